import { writeFile } from 'node:fs/promises';
import { runProgram } from '@lcs/cli/testing';
import { createClient, nodeApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BusyUnit, drivenKinds, experiment, startBusyUnit, unitName } from './busy-unit.ts';
import { canMount, makeTrouble, type Trouble } from './store-trouble.ts';

const wire = realClock();
const params = { reactor_unit: unitName, experiment };
const everyUnit = { ...params, reactor_unit: '$broadcast' };
/** What a stop may take from the request to the last output at 0. */
const stopLimitMs = 2_000;
const soon = { timeout: 15_000, interval: 20 };
/** The leader checks its alarms every few seconds. */
const nextCheck = { timeout: 60_000, interval: 200 };

async function resultOf(url: string, accepted: { readonly task_id: string; readonly result_url_path: string }) {
  const task = await waitForTask(url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
  return task.status === 'succeeded' ? task.result : task;
}

/** Outputs that are on, without the pump: a dose ends by itself when its ledger cannot be written. */
const outputsOn = (world: BusyUnit) => world.outputsOn().filter((output) => output !== drivenKinds.pump);

/** These outputs are off within the limit, and no others. */
async function expectOff(world: BusyUnit, outputs: readonly string[], stop: () => Promise<unknown>): Promise<void> {
  const left = outputsOn(world).filter((output) => !outputs.includes(output));
  expect(outputsOn(world)).toEqual(expect.arrayContaining([...outputs]));
  const requestedAt = Date.now();
  await stop();
  await vi.waitFor(() => expect(outputsOn(world)).toEqual(left), soon);
  expect(world.offAfterMs(requestedAt)).toBeLessThan(stopLimitMs);
}

/** Everything is off within the limit, by the record of the board. */
async function expectAllOff(world: BusyUnit, requestedAt: number): Promise<void> {
  await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), soon);
  expect(world.offAfterMs(requestedAt)).toBeLessThan(stopLimitMs);
}

/** The unit is killed before the records of the stops are on disk; at its restart the disk works: all stays off. */
async function expectNothingComesBack(world: BusyUnit, free: () => Promise<void>): Promise<void> {
  const killedAt = Date.now();
  await world.restartUnit('SIGKILL', async () => {
    await free();
    world.coolHeater();
  });
  await world.jobsWouldBeBack();
  expect(world.drivenSince(killedAt)).toEqual([]);
  expect((await world.unitClient().listRunningJobs()).map(({ job_name }) => job_name)).toEqual(['monitor']);
}

const expectRaised = ({ leaderClient }: BusyUnit, rules: readonly string[]) =>
  vi.waitFor(async () => {
    const active = (await leaderClient.listAlarms()).filter(({ is_active }) => is_active).map(({ rule }) => rule);
    expect(active).toEqual(expect.arrayContaining([...rules]));
  }, nextCheck);

/** Starts the jobs of the unit, and one that drives its remaining LEDs. */
async function runAllWithLeds(world: BusyUnit): Promise<void> {
  await world.runAll();
  await world.run('led_automation', { automation_name: 'light_dark_cycle', light_intensity: 20 });
  await vi.waitFor(() => expect(world.outputsOn()).toEqual(expect.arrayContaining(['ledC', 'ledD'])), soon);
}

async function publisher(world: BusyUnit) {
  const client = await connectAsync(world.leader.mqttUrl ?? '');
  onTestFinished(() => client.endAsync());
  return (job: string, state: string) =>
    client.publishAsync(`reactor/${unitName}/${experiment}/${job}/$state/set`, state, { qos: 1 });
}

/** When a step of the profile is due: the disks take nothing by then. */
const stepAfterMs = 8_000;
const profile = `version: "1.0"
experiment_profile_name: stops
common:
  jobs:
    stirring: {actions: [{type: stop, t: ${stepAfterMs / 1_000}s}]}
`;

/** Starts the profile; resolves with the latest moment at which its step is due. */
async function startProfile({ leader, leaderDisk }: BusyUnit): Promise<number> {
  await writeFile(`${leaderDisk.path}/data/experiment_profiles/stops.yaml`, profile);
  const node = createClient(nodeApi, { baseUrl: leader.url });
  const body = { args: ['execute', 'stops.yaml', experiment] };
  await resultOf(leader.url, await node.runJob({ params: { job: 'experiment_profile' }, body }));
  return Date.now() + stepAfterMs;
}

const outputsOffLimitMs = 10_000;

/** The command for the unit's data folder; on a computer without a board. */
const outputsOff = async (dataFolder: string, ...more: readonly string[]) => {
  const begunMs = wire.monotonic();
  const outcome = await runProgram(['outputs-off', '--data-dir', dataFolder, ...more]);
  expect(wire.monotonic() - begunMs).toBeLessThan(outputsOffLimitMs);
  return outcome;
};

/** What is raised when stops could not be recorded. A leader whose disk is full records no new alarm. */
const alarmsOf = {
  full: { unit: ['changes_not_recorded', 'unit_disk_low'], both: ['disk_low'] },
  locked: { unit: ['changes_not_recorded'], both: [] },
} as const;

/** Stops on one cluster, whose databases take nothing during each: its unit starts all jobs again for the next. */
export function describeStops(trouble: Trouble): void {
  describe.runIf(canMount())(`a stop, when the disk is ${trouble}`, () => {
    let world: BusyUnit;
    beforeAll(async () => {
      world = await startBusyUnit();
    });
    afterAll(() => world?.[Symbol.asyncDispose]());

    // With the leader's disk alone less is wrong than with both.
    it.each(['unit', 'both'] as const)(
      'takes effect when it is the disk of %s, raises alarms, and lasts over a restart',
      async (whose) => {
        await world.runAll();
        if (whose === 'both') await expectRaised(world, alarmsOf[trouble].both);
        await using made = await makeTrouble(world, whose, trouble);
        const requestedAt = Date.now();
        const accepted = await world.leaderClient.stopWorkerJobsOfExperiment({ params });
        expect(accepted).toMatchObject({ status: 'accepted' });
        await expectAllOff(world, requestedAt);
        expect(await resultOf(world.leader.url, accepted)).toMatchObject({ [unitName]: { ok: true } });
        await expectRaised(world, alarmsOf[trouble][whose]);
        await expectNothingComesBack(world, () => made.disposeAsync());
      },
    );

    it('of the unit itself takes effect, and so do a pause and a lower setpoint, when both disks are so', async () => {
      await world.runAll();
      await using made = await makeTrouble(world, 'both', trouble);
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
      await vi.waitFor(() => expect(world.outputsOn()).toEqual(['ledB']), soon);
      // What drives more is refused and not applied.
      expect(await update('stirring', { target_rpm: 800 })).toMatchObject({
        [unitName]: { ok: false, status_code: trouble === 'full' ? 507 : 503 },
      });
      expect(world.outputsOn()).toEqual(['ledB']);
      const requestedAt = Date.now();
      const accepted = await world.unitClient().stopAllJobs();
      await expectAllOff(world, requestedAt);
      expect(await resultOf(world.unit.url, accepted)).toMatchObject({
        stopped: expect.arrayContaining([expect.objectContaining({ job_name: 'stirring' })]),
        still_running: [],
        recorded: false,
      });
      await expectNothingComesBack(world, () => made.disposeAsync());
    });

    it('takes effect as an LED set to 0, MQTT states and a stop on all workers', async () => {
      await runAllWithLeds(world);
      const publish = await publisher(world);
      // A second start of a job within a second is refused.
      await wire.sleep(1_000);
      await using made = await makeTrouble(world, 'both', trouble);
      const { leaderClient: leader } = world;
      const { url } = world.leader;
      await expectOff(world, ['ledB'], async () => {
        const body = { options: { B: 0 } };
        const accepted = await leader.runWorkerJob({ params: { ...params, job: 'led_intensity' }, body });
        expect(await resultOf(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectOff(world, ['ledC', 'ledD'], () => publish('led_automation', 'disconnected'));
      await expectOff(world, ['pwm1'], () => publish('stirring', 'sleeping'));
      await expectOff(world, ['pwm5'], async () => {
        const accepted = await leader.stopWorkerJobsOfExperiment({ params: everyUnit });
        expect(await resultOf(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectNothingComesBack(world, () => made.disposeAsync());
    });

    it('takes effect as a step of a profile, a lower LED, stops of one job and a stop on all units', async () => {
      await runAllWithLeds(world);
      const dueAt = await startProfile(world);
      await using made = await makeTrouble(world, 'both', trouble);
      expect(Date.now()).toBeLessThan(dueAt);
      const { leaderClient: leader } = world;
      const { url } = world.leader;
      await vi.waitFor(() => expect(outputsOn(world)).not.toContain('pwm1'), { timeout: 30_000, interval: 20 });
      expect(world.offAfterMs(dueAt)).toBeLessThan(stopLimitMs);
      const lowered = Date.now();
      const body = { options: { B: 10 } };
      const accepted = await leader.runWorkerJob({ params: { ...params, job: 'led_intensity' }, body });
      await vi.waitFor(() => expect(world.levelOf('ledB')).toBeCloseTo(10, 0), soon);
      expect(Date.now() - lowered).toBeLessThan(stopLimitMs);
      expect(await resultOf(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      await expectOff(world, ['ledB'], async () => {
        const stop = await world.unitClient().stopJobs({ body: { job_name: 'led_intensity' } });
        expect(await resultOf(world.unit.url, stop)).toMatchObject({ still_running: [], recorded: false });
      });
      await expectOff(world, ['ledC', 'ledD'], async () => {
        const stop = await leader.stopWorkerJob({ params: { ...params, job_name: 'led_automation' } });
        expect(await resultOf(url, stop)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectOff(world, ['pwm5'], async () => {
        const stop = await leader.stopUnitJobsOfExperiment({ params: everyUnit });
        expect(await resultOf(url, stop)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectNothingComesBack(world, () => made.disposeAsync());
    });

    // A unit does not start with a locked database (locked-store.test.ts).
    it.each(trouble === 'full' ? (['SIGKILL', 'SIGTERM'] as const) : [])(
      'is answered by a unit that starts on a full disk after %s',
      async (signal) => {
        await world.runAll();
        await using _ = await makeTrouble(world, 'unit', 'full');
        await world.restartUnit(signal, () => world.unitDisk.fill());
        await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), { timeout: 5_000, interval: 20 });
        const client = world.unitClient();
        expect(await client.getHealth()).toMatchObject({ status: 'ok' });
        expect(await resultOf(world.unit.url, await client.stopAllJobs())).toMatchObject({ still_running: [] });
        await expect(client.runJob({ params: { job: 'stirring' }, body: {} })).rejects.toMatchObject({
          body: { code: 'storage_full' },
        });
        await expectNothingComesBack(world, () => world.unitDisk.free());
      },
    );

    it('by lcs outputs-off fails beside a running unit, whose jobs switch on again, and not when there is none', async () => {
      await world.run('stirring', { target_rpm: 500 });
      await using _ = await makeTrouble(world, 'unit', trouble);
      const folder = `${world.unitDisk.path}/data`;
      const beside = await outputsOff(folder, '--board', 'simulated');
      expect(beside).toMatchObject({ code: 1, out: '', err: expect.stringContaining('A node is running') });
      await world.unit.kill('SIGKILL');
      expect(await outputsOff(folder, '--board', 'simulated', '--json')).toMatchObject({
        code: 0,
        out: '{"ok":true,"board":false}\n',
      });
      // Every output of the board is tried; here there is none.
      const tried = await outputsOff(folder, '--board', 'linux', '--board-version', '1.2');
      expect(tried).toMatchObject({ code: 1, err: expect.stringContaining('9 outputs could not be switched off') });
    });
  });
}
