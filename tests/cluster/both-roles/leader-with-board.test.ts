import { AcceptedTask, createClient, leaderApi, unitApi, waitForTask } from '@lcs/contract';
import { readWitness } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import { endBoard, outputsOn, startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { expect, it, onTestFinished, vi } from 'vitest';

const wire = realClock();
const [reactor_unit, experiment] = ['leader', 'single machine'];
const jobs = ['stirring', 'od_reading'];

const clientOf = (baseUrl: string) => ({
  ...createClient(leaderApi, { baseUrl }),
  ...createClient(unitApi, { baseUrl }),
  baseUrl,
});
type Client = ReturnType<typeof clientOf>;

async function outcomeOf({ baseUrl }: Client, accepted: unknown): Promise<unknown> {
  if (!Value.Check(AcceptedTask, accepted)) throw new Error(`no accepted task: ${JSON.stringify(accepted)}`);
  const task = await waitForTask(baseUrl, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
  return task.status === 'succeeded' ? task.result : task;
}

const readyJobs = async (client: Client) =>
  (await client.listRunningJobs()).filter(({ state }) => state === 'ready').map(({ job_name }) => job_name);

const readingsOf = async (client: Client): Promise<number> => {
  const { data } = await client.getRawOdReadings({ params: { experiment }, query: { lookback: 1 } });
  return data.reduce((sum, points) => sum + points.length, 0);
};

it('is a single-machine laboratory: it measures, stores, continues after a kill, and switches off', async () => {
  const folder = await temporaryFolder('leader-with-board');
  // Gone last: the socket of the board is in it.
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const dataFolder = `${folder.path}/leader`;
  const witnessPath = `${folder.path}/witness`;
  const start = () => startLeaderProcess({ dataFolder, witnessPath });
  onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));

  const first = await start();
  onTestFinished(() => first.kill('SIGKILL'));
  expect(first.ready).toMatchObject({ units: [{ name: reactor_unit, url: first.url }] });
  const client = clientOf(first.url);
  await vi.waitFor(async () => expect(await client.discoverWorkers()).toEqual([{ reactor_unit }]), 10_000);
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_20ml', model_version: '1.5' } });
  await client.createExperiment({ body: { experiment } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  for (const job of jobs) {
    const accepted = await client.runWorkerJob({ params: { reactor_unit, job, experiment }, body: {} });
    expect(await outcomeOf(client, accepted)).toMatchObject({ [reactor_unit]: { ok: true } });
  }
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), 10_000);
  await vi.waitFor(async () => expect(await readingsOf(client)).toBeGreaterThan(0), 20_000);
  const listed = await client.listUnits();
  expect(listed).toMatchObject([{ reactor_unit, liveness: 'online', is_simulated: true }]);
  const always = ['monitor', 'mqtt_to_db_streaming'];
  expect((await client.listRunningLongJobs()).map(({ job_name }) => job_name).sort()).toEqual(always);

  const killedAt = Date.now();
  await first.kill('SIGKILL');
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual([]), { timeout: 3_000, interval: 20 });
  const changes = readWitness(witnessPath).filter((entry) => entry.kind === 'output' && entry.at > killedAt);
  for (const { at } of changes) expect(at - killedAt).toBeLessThan(1_000);

  const second = await start();
  onTestFinished(() => second.kill('SIGKILL'));
  const again = clientOf(second.url);
  const stored = await readingsOf(again);
  expect(stored).toBeGreaterThan(0);
  await vi.waitFor(async () => expect(await readyJobs(again)).toEqual(expect.arrayContaining(jobs)), 20_000);
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), 10_000);
  await vi.waitFor(async () => expect(await readingsOf(again)).toBeGreaterThan(stored), 20_000);

  const stopped = await again.stopWorkerJobsOfExperiment({ params: { reactor_unit, experiment } });
  await outcomeOf(again, stopped);
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual([]), 5_000);
  // What serves the cluster, and the watch over the node, goes on.
  expect((await again.listRunningJobs()).map(({ job_name }) => job_name).sort()).toEqual(always);

  const stirring = { params: { reactor_unit, job: 'stirring', experiment }, body: {} };
  await vi.waitFor(
    async () =>
      expect(await outcomeOf(again, await again.runWorkerJob(stirring))).toMatchObject({
        [reactor_unit]: { ok: true },
      }),
    { timeout: 10_000, interval: 1_100 },
  );
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), 10_000);
  const stoppingAt = performance.now();
  await second.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(performance.now() - stoppingAt).toBeLessThan(5_000);
  expect(outputsOn(witnessPath)).toEqual([]);
}, 120_000);
