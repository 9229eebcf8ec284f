import { createClient, type RunJob, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import {
  outputsOn,
  startLeader,
  startStandInLeader,
  startUnitProcess,
  temporaryFolder,
  testExperiment,
} from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pumpYaml } from '../../routes/calibration-fixtures.ts';

const wire = realClock();
const branch = `reactor/unit1/${testExperiment.name}`;
/** Of the media pump by its calibration. */
const mlPerSecond = 0.5;

/** A unit in processes of its own, its broker, and a client that keeps the newest message of each topic. */
async function unitWithClient() {
  const parts = new AsyncDisposableStack();
  const folder = parts.use(await temporaryFolder('pumps'));
  const broker = parts.use(await startLeader());
  const leader = parts.use(await startStandInLeader());
  const mqttUrl = broker.node.mqttUrl ?? '';
  const witnessPath = `${folder.path}/witness`;
  const dataFolder = `${folder.path}/unit`;
  const unit = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath, mqttUrl });
  parts.defer(() => unit.kill('SIGTERM'));
  const mqtt = await connectAsync(mqttUrl);
  parts.defer(() => mqtt.endAsync());
  const newest = new Map<string, string>();
  const doses: { event: string; volume_change: number }[] = [];
  mqtt.on('message', (topic, payload) => {
    newest.set(topic, payload.toString());
    if (topic === `${branch}/dosing_events`) doses.push(JSON.parse(payload.toString()));
  });
  await mqtt.subscribeAsync(`${branch}/#`, { qos: 2 });
  await leader.put(unit.url);
  const client = createClient(unitApi, { baseUrl: unit.url });
  await client.createUnitCalibration({
    params: { device: 'media_pump' },
    body: { calibration_data: pumpYaml(), set_as_active: true },
  });
  return {
    client,
    doses,
    state: (job: string) => newest.get(`${branch}/${job}/$state`),
    pumping: () => outputsOn(witnessPath).sort(),
    run: async (job: string, body: RunJob) => {
      doses.length = 0;
      // The same start within a second is refused.
      const accepted = await vi.waitFor(() => client.runJob({ params: { job }, body }), soon);
      return waitForTask(unit.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
    },
    stopByMqtt: (job: string) => mqtt.publishAsync(`${branch}/${job}/$state/set`, 'disconnected', { qos: 1 }),
    pumpedMl: (event: string) =>
      doses.filter((dose) => dose.event === event).reduce((sum, { volume_change }) => sum + volume_change, 0),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const soon = { timeout: 10_000, interval: 100 };

let unit: Awaited<ReturnType<typeof unitWithClient>>;
beforeAll(async () => {
  unit = await unitWithClient();
});
afterAll(() => unit[Symbol.asyncDispose]());

const actions: readonly (readonly [job: string, body: RunJob, outputs: readonly string[]])[] = [
  ['add_media', { options: { duration: 20 } }, ['pwm2']],
  ['add_alt_media', { options: { duration: 20 } }, ['pwm3']],
  ['remove_waste', { options: { duration: 20 } }, ['pwm4']],
  ['circulate_media', { options: { duration: 20 } }, ['pwm2', 'pwm4']],
  ['circulate_alt_media', { options: { duration: 20 } }, ['pwm3', 'pwm4']],
  ['add_media', { options: { continuously: true } }, ['pwm2']],
  ['pumps', { args: ['media', '5'] }, ['pwm2']],
];

for (const [job, body, outputs] of actions) {
  it(`${job} ${JSON.stringify(body)} is ready while its pump runs, and is stopped in mid-dose`, async () => {
    const started = await unit.run(job, body);
    expect(started).toMatchObject({ status: 'succeeded' });
    await vi.waitFor(() => expect(unit.state(job)).toBe('ready'), 2_000);
    await vi.waitFor(() => expect(unit.pumping()).toEqual(outputs), soon);
    await unit.stopByMqtt(job);
    await vi.waitFor(() => expect(unit.state(job)).toBe('disconnected'), 2_000);
    expect(unit.pumping()).toEqual([]);
    expect(await unit.client.listRunningJobs()).not.toContainEqual(expect.objectContaining({ job_name: job }));
    // What was entered and not pumped is taken back.
    await vi.waitFor(() => expect(unit.doses.at(-1)?.volume_change).toBeLessThan(0), soon);
  });
}

it('completes a dose that takes longer than the time limit of a start', async () => {
  expect(await unit.run('add_media', { options: { ml: 12 * mlPerSecond } })).toMatchObject({ status: 'succeeded' });
  await vi.waitFor(() => expect(unit.state('add_media')).toBe('ready'), 2_000);
  await vi.waitFor(() => expect(unit.state('add_media')).toBe('disconnected'), { timeout: 25_000, interval: 50 });
  // Where the guard's answer is late, the dose counts what its pump may have run on.
  await vi.waitFor(() => expect(unit.pumpedMl('add_media')).toBeGreaterThan(12 * mlPerSecond - 1e-9), soon);
  expect(unit.pumpedMl('add_media')).toBeLessThan(12.5 * mlPerSecond);
  expect(unit.pumping()).toEqual([]);
});
