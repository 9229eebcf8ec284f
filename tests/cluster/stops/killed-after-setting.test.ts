import { DatabaseSync } from 'node:sqlite';
import { waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BusyUnit, experiment, startBusyUnit, unitName } from './busy-unit.ts';

const wire = realClock();
const params = { reactor_unit: unitName, experiment };
const soon = { timeout: 30_000, interval: 50 };
/** Longer than jobs that come back need, once they are ready. */
const restMs = 1_000;

/** Kills the node at once and starts it again; resolves with the moment of the kill when the job runs again. */
async function killAndRestart(world: BusyUnit, job: string): Promise<number> {
  let killedAt = 0;
  await world.restartUnit('SIGKILL', async () => {
    killedAt = Date.now();
  });
  const client = world.unitClient();
  await vi.waitFor(async () => {
    expect((await client.getDesired()).resume).toMatchObject({ resumed: expect.arrayContaining([job]) });
    const running = await client.listRunningJobs();
    expect(running).toContainEqual(expect.objectContaining({ job_name: job, state: 'ready' }));
  }, soon);
  return killedAt;
}

/** Changes a setting of a running job; resolves when the unit has acknowledged the new value. */
type Change = (job: string, setting: string, value: number) => Promise<void>;

const overHttp = (world: BusyUnit): Change => {
  return async (job, setting, value) => {
    const answer = await world
      .unitClient()
      .updateJobSettings({ params: { job_name: job }, body: { settings: { [setting]: value } } });
    expect(answer).toMatchObject({ settings: { [setting]: value } });
    expect(answer).not.toHaveProperty('recorded');
  };
};

async function overMqtt(world: BusyUnit): Promise<Change> {
  const client: MqttClient = await connectAsync(world.leader.mqttUrl ?? '');
  onTestFinished(() => client.endAsync());
  const branch = `reactor/${unitName}/${experiment}`;
  await client.subscribeAsync(`${branch}/#`, { qos: 1 });
  return (job, setting, value) => {
    const topic = `${branch}/${job}/${setting}`;
    const acknowledged = Promise.withResolvers<void>();
    const onMessage = (at: string, payload: Buffer) => {
      if (at === topic && payload.length > 0 && Number(payload) === value) acknowledged.resolve();
    };
    client.on('message', onMessage);
    void client.publishAsync(`${topic}/set`, String(value), { qos: 1 }).catch(acknowledged.reject);
    return acknowledged.promise.finally(() => client.off('message', onMessage));
  };
}

/** What the unit has on disk of the LEDs that were set by hand. */
function recordedLeds(world: BusyUnit): string {
  using database = new DatabaseSync(`${world.unitDisk.path}/data/storage/unit.sqlite`, { readOnly: true });
  const row = database.prepare("select value from job_memory where key = 'led_intensity.levels'").get();
  return String(row?.value);
}

describe('a unit', () => {
  let world: BusyUnit;
  beforeAll(async () => {
    world = await startBusyUnit();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  afterEach(async () => {
    const accepted = await world.leaderClient.stopWorkerJobsOfExperiment({ params });
    await waitForTask(world.leader.url, accepted, { sleep: () => wire.sleep(5) });
    await vi.waitFor(() => expect(world.outputsOn()).toEqual([]), soon);
  });

  it('has LEDs set by hand after kill -9 as they were set last', async () => {
    await world.run('led_intensity', { B: 20, C: 30 });
    // What was set before is on disk: this is what an LED would come on by.
    await vi.waitFor(() => expect(recordedLeds(world)).toContain('"C"'), soon);
    const { url } = world.unit;
    const body = { options: { C: 0, D: 30 } };
    // A second start of a job within a moment is refused.
    const accepted = await vi.waitFor(
      () => world.unitClient().runJob({ params: { job: 'led_intensity' }, body }),
      soon,
    );
    const task = await waitForTask(url, accepted, { sleep: () => wire.sleep(5) });
    expect(task).toMatchObject({ status: 'succeeded' });
    const killedAt = await killAndRestart(world, 'led_intensity');
    await vi.waitFor(() => expect([...world.outputsOn()].sort()).toEqual(['ledB', 'ledD']), soon);
    await wire.sleep(restMs);
    expect(world.drivenSince(killedAt)).not.toContain('ledC');
  });

  it('has an LED and a speed after kill -9 as they were acknowledged over HTTP and over MQTT, lowered and raised', async () => {
    const [http, mqtt] = [overHttp(world), await overMqtt(world)];
    const job = 'led_automation';
    await world.run(job, { automation_name: 'light_dark_cycle', light_intensity: 20 });
    await world.run('stirring', { target_rpm: 500 });
    await vi.waitFor(() => expect([...world.outputsOn()].sort()).toEqual(['ledC', 'ledD', 'pwm1']), soon);
    const settingOf = async (of: string, setting: string) =>
      (await world.unitClient().getJobSettings({ params: { job_name: of } })).settings[setting];
    await mqtt('stirring', 'target_rpm', 600);
    await http(job, 'light_intensity', 0);
    const killedAt = await killAndRestart(world, job);
    await wire.sleep(restMs);
    await vi.waitFor(() => expect(world.outputsOn()).toEqual(['pwm1']), soon);
    expect(world.drivenSince(killedAt)).toEqual(['pwm1']);
    expect(await settingOf(job, 'light_intensity')).toBe(0);
    expect(await settingOf('stirring', 'target_rpm')).toBe(600);

    await http(job, 'light_intensity', 21);
    await mqtt('stirring', 'target_rpm', 400);
    await killAndRestart(world, job);
    await vi.waitFor(() => expect([...world.outputsOn()].sort()).toEqual(['ledC', 'ledD', 'pwm1']), soon);
    expect(await settingOf(job, 'light_intensity')).toBe(21);
    expect(await settingOf('stirring', 'target_rpm')).toBe(400);
  });

  it('has heater, stirrer and LEDs after kill -9 as they were set, or put to sleep, and never as they were started', async () => {
    const change = overHttp(world);
    const sleep = (job: string) =>
      world.unitClient().updateJobSettings({ params: { job_name: job }, body: { settings: { $state: 'sleeping' } } });
    await world.run('stirring', { target_rpm: 500 });
    await world.run('temperature_automation', { automation_name: 'thermostat', target_temperature: 40 });
    await vi.waitFor(() => expect([...world.outputsOn()].sort()).toEqual(['pwm1', 'pwm5']), soon);
    await change('temperature_automation', 'target_temperature', 10);
    await change('stirring', 'target_rpm', 0);
    const off = await killAndRestart(world, 'temperature_automation');
    await wire.sleep(restMs);
    expect(world.drivenSince(off)).toEqual([]);

    await change('stirring', 'target_rpm', 500);
    await vi.waitFor(() => expect(world.outputsOn()).toEqual(['pwm1']), soon);
    await sleep('stirring');
    let killedAt = 0;
    await world.restartUnit('SIGKILL', async () => {
      killedAt = Date.now();
    });
    const stirring = { job_name: 'stirring', state: 'sleeping' };
    await vi.waitFor(
      async () => expect(await world.unitClient().listRunningJobs()).toContainEqual(expect.objectContaining(stirring)),
      soon,
    );
    await wire.sleep(restMs);
    expect(world.drivenSince(killedAt)).toEqual([]);
  });
});
