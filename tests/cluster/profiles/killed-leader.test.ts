import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startLeaderProcess, startToyUnit, startUnit, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { experiment, orders, profileOf } from './profile-fixture.ts';

const params = { experiment };
const limitMs = 20_000;

it('continues with the next start of a killed leader, which still has its stop', async () => {
  await using folder = await temporaryFolder('killed');
  await using unit = await startToyUnit('rx01');
  const first = await startLeaderProcess({ dataFolder: folder.path });
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: first.url });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: 'rx01' } });
  const config = await client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&rx01=${unit.address}\n`);
  await client.saveSharedConfig({ body: { code } });
  await client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
  const text = profileOf(['{type: start, t: 0}', '{type: stop, t: 2s}']);
  await writeFile(join(folder.path, 'experiment_profiles', 'p.yaml'), text);
  await client.runJob({ params: { job: 'experiment_profile' }, body: { args: ['execute', 'p.yaml', experiment] } });
  await vi.waitFor(() => expect(orders(unit)).toHaveLength(1), limitMs);
  await first.kill('SIGKILL');

  const second = await startLeaderProcess({ dataFolder: folder.path });
  const after = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: second.url });
  try {
    const stop = `POST stop {"job_name":"stirring","experiment":"${experiment}"}`;
    await vi.waitFor(() => expect(orders(unit)).toContain(stop), limitMs);
    await vi.waitFor(
      async () =>
        expect(await after.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished', dry_run: false }]),
      limitMs,
    );
    // Whether or not its answer was written down: the start came under one key.
    const starts = unit.requests.filter(({ path }) => path.includes('/jobs/run/'));
    expect(new Set(starts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  } finally {
    await second.kill('SIGTERM');
  }
}, 90_000);

it('a job of a unit whose leader is killed ends in time', async () => {
  await using folder = await temporaryFolder('killed');
  const leader = await startLeaderProcess({ dataFolder: folder.path });
  await using unit = await startUnit({ leaderUrl: leader.url, configure: { clock: realClock() } });
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({
    body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' },
  });
  await client.assignWorker({ params, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    limitMs,
  );
  const text = profileOf(['{type: start, t: 0, options: {target_rpm: 400}}', '{type: stop, t: 3s}']);
  await writeFile(join(folder.path, 'experiment_profiles', 'p.yaml'), text);
  const beganMs = realClock().now();
  await client.runJob({ params: { job: 'experiment_profile' }, body: { args: ['execute', 'p.yaml', experiment] } });
  const running = async () =>
    (await unit.client.listRunningJobs()).filter(({ job_name }) => job_name === 'stirring').length;
  await vi.waitFor(async () => expect(await running()).toBe(1), limitMs);
  await leader.kill('SIGKILL');
  expect(await running()).toBe(1);
  await vi.waitFor(async () => expect(await running()).toBe(0), limitMs);
  const history = await unit.client.listJobHistory({});
  const { ended_at } = history.find(({ job_name }) => job_name === 'stirring') ?? {};
  const afterMs = Date.parse(ended_at ?? '') - beganMs;
  // The planned 3 s, and the 2 s that the leader has for its own stop; not before.
  expect(afterMs).toBeGreaterThan(4_900);
  expect(afterMs).toBeLessThan(12_000);
}, 90_000);
