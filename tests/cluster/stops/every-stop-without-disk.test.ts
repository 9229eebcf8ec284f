import { writeFile } from 'node:fs/promises';
import { createClient, nodeApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { connectAsync } from 'mqtt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BusyUnit, drivenKinds, experiment, startBusyUnit, unitName } from './busy-unit.ts';
import { canMount, makeTrouble } from './store-trouble.ts';

const wire = realClock();
const params = { reactor_unit: unitName, experiment };
const everyUnit = { ...params, reactor_unit: '$broadcast' };
/** What a stop may take from the request to the last output at 0. */
const stopLimitMs = 2_000;
const troubles = ['full', 'locked'] as const;

const inTurns = { sleep: (delayMs: number) => wire.sleep(delayMs) };

/** Outputs that are on, without the pump: a dose ends by itself when its ledger cannot be written. */
const outputsOn = (world: BusyUnit) => world.outputsOn().filter((output) => output !== drivenKinds.pump);

/** These outputs are off within the limit, and no others. */
async function expectOff(world: BusyUnit, outputs: readonly string[], stop: () => Promise<unknown>): Promise<void> {
  const left = outputsOn(world).filter((output) => !outputs.includes(output));
  expect(outputsOn(world)).toEqual(expect.arrayContaining([...outputs]));
  const askedAt = Date.now();
  await stop();
  await vi.waitFor(() => expect(outputsOn(world)).toEqual(left), { timeout: 15_000, interval: 20 });
  expect(world.offAfterMs(askedAt)).toBeLessThan(stopLimitMs);
}

const succeeds = async (url: string, accepted: { readonly task_id: string; readonly result_url_path: string }) => {
  const task = await waitForTask(url, accepted, inTurns);
  if (task.status !== 'succeeded') throw new Error(`The task failed: ${JSON.stringify(task)}`);
  return task.result;
};

/** Starts what drives the remaining LEDs. */
async function withLedAutomation(world: BusyUnit): Promise<void> {
  await world.run('led_automation', { automation_name: 'light_dark_cycle', light_intensity: 20 });
  await vi.waitFor(() => expect(world.outputsOn()).toEqual(expect.arrayContaining(['ledC', 'ledD'])), 15_000);
}

/** The unit is killed before the records of the stops are on disk; at its restart the disk works: all stays off. */
async function expectNothingComesBack(world: BusyUnit, free: () => Promise<void>): Promise<void> {
  const killedAt = Date.now();
  await world.restartUnit('SIGKILL', free);
  await world.jobsWouldBeBack();
  expect(world.drivenSince(killedAt)).toEqual([]);
}

async function publisher(world: BusyUnit) {
  const client = await connectAsync(world.leader.mqttUrl ?? '');
  onTestFinished(() => client.endAsync());
  return (job: string, state: string) =>
    client.publishAsync(`reactor/${unitName}/${experiment}/${job}/$state/set`, state, { qos: 1 });
}

/** When a step of the profile is due. */
const stepAfterMs = 15_000;
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
  await succeeds(leader.url, await node.runJob({ params: { job: 'experiment_profile' }, body }));
  return Date.now() + stepAfterMs;
}

describe.runIf(canMount())('when the disks of leader and unit take nothing', () => {
  it.each(troubles)(
    'and are %s, an LED set to 0, MQTT states and a stop on all workers take effect',
    async (trouble) => {
      await using world = await startBusyUnit();
      await withLedAutomation(world);
      const publish = await publisher(world);
      // A second start of a job within a second is refused.
      await wire.sleep(1_000);
      await using made = await makeTrouble(world, 'both', trouble);
      const { leaderClient: leader } = world;
      const { url } = world.leader;
      await expectOff(world, ['ledB'], async () => {
        const body = { options: { B: 0 } };
        const accepted = await leader.runWorkerJob({ params: { ...params, job: 'led_intensity' }, body });
        expect(await succeeds(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectOff(world, ['ledC', 'ledD'], () => publish('led_automation', 'disconnected'));
      await expectOff(world, ['pwm1'], () => publish('stirring', 'sleeping'));
      await expectOff(world, ['pwm5'], async () => {
        const accepted = await leader.stopWorkerJobsOfExperiment({ params: everyUnit });
        expect(await succeeds(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectNothingComesBack(world, () => made.disposeAsync());
    },
  );

  it.each(troubles)(
    'and are %s, a step of a profile, a lower LED, stops of one job and a stop on all units take effect',
    async (trouble) => {
      await using world = await startBusyUnit();
      await withLedAutomation(world);
      const dueAt = await startProfile(world);
      await using made = await makeTrouble(world, 'both', trouble);
      const { leaderClient: leader } = world;
      const { url } = world.leader;
      await vi.waitFor(() => expect(outputsOn(world)).not.toContain('pwm1'), { timeout: 30_000, interval: 20 });
      expect(world.offAfterMs(dueAt)).toBeLessThan(stopLimitMs);
      const lowered = Date.now();
      const body = { options: { B: 10 } };
      const accepted = await leader.runWorkerJob({ params: { ...params, job: 'led_intensity' }, body });
      await vi.waitFor(() => expect(world.levelOf('ledB')).toBeCloseTo(10, 0), { timeout: 15_000, interval: 20 });
      expect(Date.now() - lowered).toBeLessThan(stopLimitMs);
      expect(await succeeds(url, accepted)).toMatchObject({ [unitName]: { ok: true } });
      await expectOff(world, ['ledB'], async () => {
        const stop = await world.unitClient().stopJobs({ body: { job_name: 'led_intensity' } });
        expect(await succeeds(world.unit.url, stop)).toMatchObject({ still_running: [], recorded: false });
      });
      await expectOff(world, ['ledC', 'ledD'], async () => {
        const stop = await leader.stopWorkerJob({ params: { ...params, job_name: 'led_automation' } });
        expect(await succeeds(url, stop)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectOff(world, ['pwm5'], async () => {
        const stop = await leader.stopUnitJobsOfExperiment({ params: everyUnit });
        expect(await succeeds(url, stop)).toMatchObject({ [unitName]: { ok: true } });
      });
      await expectNothingComesBack(world, () => made.disposeAsync());
    },
  );
});
