import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

const [reactor_unit, experiment] = ['unit1', 'ramp 7'];
const params = { reactor_unit, experiment, job: 'od_reading', job_name: 'od_reading' };

it('restored from its backup, a leader continues with its units and receives what they measured since', async () => {
  await using folder = await temporaryFolder('restored');
  const [lost, place, restored] = ['lost', 'drive', 'restored'].map((name) => join(folder.path, name));
  if (lost === undefined || place === undefined || restored === undefined) throw new Error('no folders');
  await mkdir(lost);
  await mkdir(place);
  await writeFile(join(lost, 'leader.ini'), `[backup]\nfolder=${place}\n`);
  const leader = await startLeader({ dataFolder: lost });
  const { client, clock } = leader;
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params, body: { reactor_unit } });
  let leaderUrl = leader.url;
  await using unit = await startUnit({ name: reactor_unit, clock, configure: { leaderUrl: () => leaderUrl } });
  await vi.waitFor(async () => {
    const { parts } = await unit.client.getDesired();
    expect(parts).toMatchObject({ experiment: { state: 'applied' } });
  }, 15_000);
  const momentsOf = async (from: typeof client) => {
    const { data } = await from.getOdReadings({ params, query: { target_points: 100_000 } });
    return (data[0] ?? []).map(({ x }) => x);
  };
  await leader.finished(await client.runWorkerJob({ params, body: {} }));
  await clock.advance(60_000);
  await vi.waitFor(async () => expect((await momentsOf(client)).length).toBeGreaterThan(8), 15_000);

  const made = await runProgram(['backups', 'make', '--url', leader.url, '--json']);
  expect(made).toMatchObject({ code: 0, err: '' });
  const backup = join(place, String(Reflect.get(Object(JSON.parse(made.out)), 'backup_name')));
  expect((await runProgram(['backups', 'list', '--url', leader.url])).out).toContain('backup-lead-');
  await clock.advance(60_000);
  await client.putUnitLabel({ params, body: { unit: reactor_unit, label: 'after the backup' } });
  for (const n of [1, 2, 3]) await client.saveSpecificConfig({ params, body: { code: `[x]\nn=${n}\n` } });
  await vi.waitFor(async () => expect(await unit.client.getOwnSpecificConfig()).toContain('n=3'), 15_000);
  const stored = await vi.waitFor(async () => {
    const moments = await momentsOf(client);
    expect(moments.length).toBeGreaterThan(18);
    return moments;
  }, 15_000);
  const running = await runProgram(['restore', backup, '--data-dir', lost, '--replace']);
  expect(running).toMatchObject({ code: 1, out: '' });
  expect(running.err).toContain('in use by another node');
  await leader.node.stop();
  await clock.advance(30_000);

  expect(await runProgram(['restore', backup, '--data-dir', restored])).toMatchObject({ code: 0, err: '' });
  const occupied = await runProgram(['restore', backup, '--data-dir', restored]);
  expect(occupied).toMatchObject({ code: 1 });
  expect(occupied.err).toContain('is not empty');
  await using again = await startLeader({ dataFolder: restored, clock });
  leaderUrl = again.url;
  await clock.advance(60_000);
  await vi.waitFor(async () => {
    await clock.advance(5_000);
    const moments = await momentsOf(again.client);
    expect(moments).toEqual(expect.arrayContaining(stored));
    expect(moments.length).toBeGreaterThan(stored.length + 5);
    expect(new Set(moments).size).toBe(moments.length);
  }, 60_000);
  expect(await again.client.getUnitLabels({ params })).toEqual({});
  expect(await again.client.listUnits()).toContainEqual(
    expect.objectContaining({ reactor_unit, liveness: 'online', trouble: null }),
  );
  // A newer document than any that the lost leader had given out.
  await again.client.saveSpecificConfig({ params, body: { code: '[x]\nn=after\n' } });
  await vi.waitFor(async () => expect(await unit.client.getOwnSpecificConfig()).toContain('n=after'), 15_000);
  const stopped = await again.finished(await again.client.stopWorkerJob({ params }));
  expect(stopped).toMatchObject({ result: { unit1: { ok: true } } });
  await vi.waitFor(async () => {
    const jobs = await unit.client.listRunningJobs();
    expect(jobs.map(({ job_name }) => job_name)).not.toContain('od_reading');
  }, 15_000);
}, 120_000);
