import { waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { describe, expect, it, vi } from 'vitest';
import { type BusyUnit, experiment, startBusyUnit, unitName } from './busy-unit.ts';
import { canMount, makeTrouble } from './store-trouble.ts';

const wire = realClock();
const params = { reactor_unit: unitName, experiment };
/** What a stop may take from the request to the last output at 0. */
const stopLimitMs = 2_000;

/** Everything is off within the limit, by the record of the board. */
async function expectOff(world: BusyUnit, askedAt: number): Promise<void> {
  await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), { timeout: 15_000, interval: 20 });
  expect(world.offAfterMs(askedAt)).toBeLessThan(stopLimitMs);
}

async function resultOf(url: string, accepted: { readonly task_id: string; readonly result_url_path: string }) {
  const task = await waitForTask(url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
  return task.status === 'succeeded' ? task.result : task;
}

describe.runIf(canMount())('a stop, whatever the disk is', () => {
  it.each([
    ['leader', 'full'],
    ['unit', 'full'],
    ['both', 'full'],
    ['leader', 'locked'],
    ['unit', 'locked'],
    ['both', 'locked'],
  ] as const)('takes effect when the disk of %s is %s, and lasts over a restart', async (whose, trouble) => {
    await using world = await startBusyUnit();
    await using troubles = await makeTrouble(world, whose, trouble);
    const askedAt = Date.now();
    const accepted = await world.leaderClient.stopWorkerJobsOfExperiment({ params });
    expect(accepted).toMatchObject({ status: 'accepted' });
    await expectOff(world, askedAt);
    expect(await resultOf(world.leader.url, accepted)).toMatchObject({ [unitName]: { ok: true } });
    // The unit is killed before the record of the stop is on disk; at its restart the disk works.
    const killedAt = Date.now();
    await world.restartUnit('SIGKILL', () => troubles.disposeAsync());
    await world.jobsWouldBeBack();
    expect(world.drivenSince(killedAt)).toEqual([]);
    expect((await world.unitClient().listRunningJobs()).map(({ job_name }) => job_name)).toEqual(['monitor']);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is answered by a unit that starts on a full disk after %s',
    async (signal) => {
      await using world = await startBusyUnit();
      await using _ = await makeTrouble(world, 'unit', 'full');
      await world.restartUnit(signal, () => world.unitDisk.fill());
      await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), { timeout: 5_000, interval: 20 });
      const client = world.unitClient();
      expect(await client.getHealth()).toMatchObject({ status: 'ok' });
      expect(await resultOf(world.unit.url, await client.stopAllJobs())).toMatchObject({ still_running: [] });
      await expect(client.runJob({ params: { job: 'stirring' }, body: {} })).rejects.toMatchObject({
        body: { code: 'storage_full' },
      });
      const killedAt = Date.now();
      await world.restartUnit('SIGKILL', () => world.unitDisk.free());
      await world.jobsWouldBeBack();
      expect(world.drivenSince(killedAt)).toEqual([]);
    },
  );

  it.each(['full', 'locked'] as const)('of the unit itself takes effect when its disk is %s', async (trouble) => {
    await using world = await startBusyUnit();
    await using _ = await makeTrouble(world, 'unit', trouble);
    const askedAt = Date.now();
    const accepted = await world.unitClient().stopAllJobs();
    await expectOff(world, askedAt);
    expect(await resultOf(world.unit.url, accepted)).toMatchObject({
      stopped: expect.arrayContaining([expect.objectContaining({ job_name: 'stirring' })]),
      still_running: [],
      recorded: false,
    });
  });

  it.each(['full', 'locked'] as const)(
    'a pause and a lower setpoint take effect when both disks are %s',
    async (trouble) => {
      await using world = await startBusyUnit();
      await using _ = await makeTrouble(world, 'both', trouble);
      const update = async (job: string, settings: Record<string, number | string>) =>
        resultOf(
          world.leader.url,
          await world.leaderClient.updateWorkerJob({ params: { ...params, job }, body: { settings } }),
        );
      expect(await update('stirring', { target_rpm: 0 })).toMatchObject({
        [unitName]: { ok: true, value: { settings: { target_rpm: 0 }, recorded: false } },
      });
      expect(await update('temperature_automation', { $state: 'sleeping' })).toMatchObject({
        [unitName]: { ok: true, value: { recorded: false } },
      });
      await vi.waitFor(() => expect(world.outputsOn()).toEqual(['ledB']), { timeout: 5_000, interval: 20 });
      // What drives more is refused and not applied.
      expect(await update('stirring', { target_rpm: 800 })).toMatchObject({
        [unitName]: { ok: false, status_code: trouble === 'full' ? 507 : 503 },
      });
      expect(world.outputsOn()).toEqual(['ledB']);
    },
  );
});
