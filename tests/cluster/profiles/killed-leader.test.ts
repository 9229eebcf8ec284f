import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { startLeaderProcess, startToyUnit, temporaryFolder } from '@lcs/testkit';
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
