import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, type RunningJob, waitForTask } from '@lcs/contract';
import { signedInClient, startDemo, startDemoProcess, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it } from 'vitest';
import { eventually } from '../units/eventually.ts';
import { demoNotes, forgetProgress, sampleTimes, storedSeries, vialOf } from './demo-data.ts';

const jobs = ['growth_rate_calculating', 'od_reading', 'stirring', 'temperature_automation'];
const hourMs = 3_600_000;
const limitMs = 60_000;
/** Optical densities of an hour, one each 20 s. */
const hourSamples = 180;

/** Jobs that are ready by unit, those of the unit itself left out. */
async function readyJobs(leaderUrl: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const leader = createClient(leaderApi, { baseUrl: leaderUrl });
  const accepted = await leader.listWorkerRunningJobs({ params: { reactor_unit: '$broadcast' } });
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const ended = await waitForTask(leaderUrl, accepted, { sleep });
  if (ended.status !== 'succeeded') throw new Error(ended.cause);
  const outcomes = Object.entries(Object(ended.result) as Record<string, { value?: readonly RunningJob[] }>);
  return Object.fromEntries(
    outcomes.map(([unit, { value = [] }]) => [
      unit,
      value
        .filter(({ state, job_name }) => state === 'ready' && job_name !== 'monitor')
        .map(({ job_name }) => job_name)
        .sort(),
    ]),
  );
}

const allReady = (leaderUrl: string, units: readonly string[]) =>
  eventually(async () => {
    expect(await readyJobs(leaderUrl)).toEqual(Object.fromEntries(units.map((unit) => [unit, jobs])));
  }, limitMs);

/** As a page finds them when it comes. */
async function unfinishedTasks(leaderUrl: string): Promise<readonly unknown[]> {
  const { body } = await fetch(`${leaderUrl}/api/live`);
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const snapshot = /^event: snapshot\ndata: (.*)$/m.exec(text)?.[1];
    if (snapshot !== undefined && text.includes(`${snapshot}\n`)) return JSON.parse(snapshot).tasks;
  }
  return [];
}

describe('lcs demo', () => {
  it('starts with a day of history, continues live, stops in time, and continues after a restart', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    const units = ['unit1'];
    const first = await startDemoProcess({ dataFolder: data, units: units.length });
    expect(first.ready).toMatchObject({
      ready: true,
      url: first.url,
      mqtt: expect.stringMatching(/^mqtt:\/\/127\.0\.0\.1:\d+$/),
      units: units.map((name) => ({ name, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })),
    });
    // Ready means that its pumps are calibrated: what doses can be tried at once.
    const leader = createClient(leaderApi, { baseUrl: first.url });
    const params = { reactor_unit: 'unit1', job: 'dosing_automation', experiment: 'yeast-batch-demo' };
    const options = { automation_name: 'chemostat', exchange_volume_ml: 0.5, duration: 20 };
    const accepted = await leader.runWorkerJob({ params, body: { options } });
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    expect(await waitForTask(first.url, accepted, { sleep })).toMatchObject({ result: { unit1: { ok: true } } });
    const stopped = await leader.stopWorkerJob({ params: { ...params, job_name: 'dosing_automation' } });
    await waitForTask(first.url, stopped, { sleep });
    const { past } = await demoNotes(data);
    const startedAt = past?.started_at ?? 0;
    expect(Date.now() - startedAt).toBeLessThan(limitMs);
    const history = storedSeries(data, startedAt);
    expect(new Set(history.map(({ unit }) => unit))).toEqual(new Set(units));
    for (const { source, samples, simulated, first: from, last } of history) {
      expect({ source, simulated }).toEqual({ source, simulated: samples });
      expect(last - from).toBeGreaterThan(23.8 * hourMs);
    }
    await allReady(first.url, units);
    await eventually(() => {
      for (const unit of units) expect(sampleTimes(data, unit, 'growth_rate', startedAt).length).toBeGreaterThan(0);
    }, limitMs);
    // The present belongs to the very same series as the past, and is marked as it.
    const od = storedSeries(data).filter(({ source }) => source === 'growth_rate');
    expect(od).toHaveLength(units.length);
    for (const { samples, simulated } of od) expect(simulated).toBe(samples);

    const stopping = performance.now();
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - stopping).toBeLessThan(5000);
    const stoppedAt = Date.now();
    const left = await vialOf(data, 'unit1');

    const second = await startDemoProcess({ dataFolder: data, units: units.length, seed: 99 });
    const readyAt = Date.now();
    const found = await vialOf(data, 'unit1');
    expect(found.timeS - left.timeS).toBeLessThan((readyAt - stoppedAt) / 1000 + 5);
    expect(found.cells / left.cells).toBeGreaterThanOrEqual(1);
    expect(found.cells / left.cells).toBeLessThan(1.01);
    await allReady(second.url, units);
    await eventually(() => expect(sampleTimes(data, 'unit1', 'od', readyAt).length).toBeGreaterThan(0), limitMs);
    await second.kill('SIGTERM');
    // Nothing was invented for the time without the program, nor for the past again.
    const between = sampleTimes(data, 'unit1', 'od', stoppedAt).filter((at) => at < readyAt - second.startUpMs);
    expect(between).toEqual([]);
    expect(storedSeries(data, startedAt)).toEqual(history);
  });

  it('completes its history after a kill in the middle of it', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    const order = { dataFolder: data, units: 2, pastHours: 6 };
    const samples = order.pastHours * hourSamples - 1;
    // A piece is an hour of one unit.
    await expect(startDemoProcess({ ...order, crashAt: 'bulk.after_commit:9' })).rejects.toThrow('SIGKILL');
    const { past } = await demoNotes(data);
    const startedAt = past?.started_at ?? 0;
    const half = storedSeries(data, startedAt);
    const samplesOf = (name: string) => half.find(({ unit, source }) => unit === name && source === 'od')?.samples ?? 0;
    expect(samplesOf('unit1')).toBe(samples);
    expect(samplesOf('unit2')).toBeGreaterThan(0);
    expect(samplesOf('unit2')).toBeLessThan(samples);

    const second = await startDemoProcess(order);
    const jobsBegin = () =>
      eventually(async () => expect((await readyJobs(second.url)).unit1?.length).toBeGreaterThan(0), limitMs);
    await jobsBegin().catch(() => {});
    await second.kill('SIGKILL');
    await forgetProgress(data);

    const third = await startDemoProcess(order);
    await allReady(third.url, ['unit1', 'unit2']);
    await eventually(async () => expect((await demoNotes(data)).past?.done).toHaveLength(2), limitMs);
    await third.kill('SIGTERM');
    const history = storedSeries(data, startedAt).filter(({ source }) => source === 'od');
    expect(history.map(({ unit, samples: stored, moved }) => [unit, stored, moved])).toEqual(
      ['unit1', 'unit2'].map((unit) => [unit, samples, 0]),
    );
    expect(past?.began_at).toBe((await demoNotes(data)).past?.began_at);
  });

  it('starts more units than it waits for: a task adds the past of the others, which fits their cultures', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    await using demo = await startDemo(data, { units: 9, pastHours: 1 });
    const names = Array.from({ length: 9 }, (_, index) => `unit${index + 1}`);
    expect(demo.units.map(({ name }) => name)).toEqual(names);
    const startedAt = (await demoNotes(data)).past?.started_at ?? 0;
    const withPast = () => new Set(storedSeries(data, startedAt).map(({ unit }) => unit));
    expect(withPast().isSupersetOf(new Set(names.slice(0, 8)))).toBe(true);
    expect(await unfinishedTasks(demo.url)).toEqual([
      expect.objectContaining({ progress: expect.any(Number), message: 'The past and the jobs of 9 units' }),
    ]);
    await eventually(async () => expect((await demoNotes(data)).past?.done).toHaveLength(9), limitMs);
    expect(withPast()).toEqual(new Set(names));
    // Inoculated like the first of the row, and as old as all.
    const [one, ninth] = [await vialOf(data, 'unit1'), await vialOf(data, 'unit9')];
    expect(ninth.timeS).toBeGreaterThan(3600);
    expect(ninth.cells / one.cells).toBeGreaterThan(0.3);
  });

  it('grows faster with --speed, from the start of the demo on', async () => {
    await using folder = await temporaryFolder('demo');
    const demo = await startDemo(folder.path, { units: 1, speed: 1000, pastHours: 1 });
    const before = await vialOf(folder.path, 'unit1');
    await demo.stop();
    const after = await vialOf(folder.path, 'unit1');
    // Without being hurried it would be 0.2 to 0.4 per hour.
    const perHour = (3600 * Math.log(after.cells / before.cells)) / (after.timeS - before.timeS);
    expect(perHour).toBeGreaterThan(20);
    expect(storedSeries(folder.path).find(({ source }) => source === 'od')?.samples).toBeGreaterThan(hourSamples - 2);
  });

  it('without units is a leader; units that join later have no invented past', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    const empty = await startDemo(data, { units: 0 });
    expect(empty.units).toEqual([]);
    await createClient(leaderApi, { baseUrl: empty.url }).createExperiment({ body: { experiment: 'my own' } });
    await empty.stop();

    const later = await startDemo(data, { units: 2 });
    const leader = createClient(leaderApi, { baseUrl: later.url });
    expect((await leader.listExperiments()).map(({ experiment }) => experiment)).toEqual(['my own']);
    await eventually(async () => {
      const units = (await leader.listUnits()).filter(({ applied_version }) => applied_version > 0);
      expect(units.map(({ reactor_unit }) => reactor_unit)).toEqual(['unit1', 'unit2']);
    }, limitMs);
    expect((await leader.listAssignments()).map(({ experiment }) => experiment)).toEqual([null, null]);
    await leader.removeWorker({ params: { reactor_unit: 'unit2' } });
    await later.stop();
    expect(storedSeries(data).filter(({ source }) => source === 'od')).toEqual([]);

    // What a person has removed stays removed.
    await using again = await startDemo(data, { units: 2 });
    const workers = await createClient(leaderApi, { baseUrl: again.url }).listWorkers();
    expect(workers.map(({ reactor_unit }) => reactor_unit)).toEqual(['unit1']);
  });

  it('starts with people present, new units and those of an older data folder too', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    const ada = { name: 'ada', password: 'three brown horses' };
    const empty = await startDemo(data, { units: 0 });
    const body = { ...ada, role: 'administrator' } as const;
    await createClient(leaderApi, { baseUrl: empty.url }).createPerson({ body });
    await empty.stop();
    const joined = async () => {
      const demo = await startDemo(data, { units: 1, pastHours: 1 });
      const leader = await signedInClient(demo.url, ada.name, ada.password);
      await eventually(async () => {
        const unit1 = (await leader.listUnits()).find(({ reactor_unit }) => reactor_unit === 'unit1');
        expect(unit1).toMatchObject({ liveness: 'online', desired_version: unit1?.applied_version });
      }, limitMs);
      await demo.stop();
    };
    await joined();
    // Units had no keys.
    const storage = join(data, 'units', 'unit1', 'storage');
    await Promise.all(['credentials.json', 'identity.pem'].map((file) => rm(join(storage, file))));
    await joined();
    await expect(startDemo(data, { host: '0.0.0.0' })).rejects.toThrow('for this machine only');
  });

  it('does not start again when its experiment was deleted before it was complete', async () => {
    await using folder = await temporaryFolder('demo');
    const data = folder.path;
    const first = await startDemo(data, { units: 1, pastHours: 1 });
    const leader = createClient(leaderApi, { baseUrl: first.url });
    await leader.deleteExperiment({ params: { experiment: 'yeast-batch-demo' } });
    await eventually(async () => expect(await leader.listExperiments()).toEqual([]));
    await first.stop();

    await using second = await startDemo(data, { units: 1 });
    const now = createClient(leaderApi, { baseUrl: second.url });
    expect(await now.listExperiments()).toEqual([]);
    // The interrupted deletion continues; nothing is written after it.
    await eventually(() => expect(storedSeries(data).filter(({ source }) => source === 'od')).toEqual([]));
    expect((await demoNotes(data)).past).toBeNull();
  });

  it('reports damaged notes in one sentence, and leaves no process running', async () => {
    await using folder = await temporaryFolder('demo');
    await writeFile(join(folder.path, 'demo.json'), '{"seed":1');
    await expect(startDemo(folder.path, {})).rejects.toThrow(/demo\.json is damaged\. Remove it/);
    // The folder is free again.
    await rm(join(folder.path, 'demo.json'));
    await using again = await startDemo(folder.path, { units: 0 });
    expect(again.units).toEqual([]);
  });
});
