import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
const experiment = 'yeast ramp';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The end of the month before the last one. */
function closedMonth(nowMs: number) {
  const now = new Date(nowMs);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
  return { endMs, month: new Date(endMs - 1).toISOString().slice(0, 7) };
}

it('seals a month, shows its readings and brings them back, with the threads of the built program', async () => {
  await using folder = await temporaryFolder('bundled-archive');
  const dataFolder = folder.path;
  const { endMs, month } = closedMonth(Date.now());
  const first = await startLeaderProcess({ dataFolder });
  onTestFinished(() => first.kill('SIGKILL'));
  await createClient({ ...leaderApi, ...nodeApi }, { baseUrl: first.url }).createExperiment({ body: { experiment } });
  await first.kill('SIGTERM');
  const store = new DatabaseSync(join(dataFolder, 'storage', 'leader.sqlite'));
  const { uid } = store.prepare('select uid from experiments where name = ?').get(experiment) ?? {};
  const { id } =
    store
      .prepare("insert into series (experiment_uid, unit, source, channel) values (?, 'rx01', 'od', '1') returning id")
      .get(String(uid)) ?? {};
  const insert = store.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
  for (let n = 0; n < 100; n += 1) insert.run(Number(id), endMs - (90 - n) * minuteMs, 1 + n / 1000);
  const count = () => Number(store.prepare('select count(*) as n from samples').get()?.n);

  const leader = await startLeaderProcess({ dataFolder });
  onTestFinished(() => leader.kill('SIGKILL'));
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url });
  const lookback = Math.ceil((Date.now() - endMs) / hourMs) + 24;
  const chart = () => client.getOdReadings({ params: { experiment }, query: { lookback, target_points: 1_000 } });
  const lcs = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [program, 'archive', ...words, '--url', leader.url, '--json']);
    return JSON.parse(stdout);
  };
  const before = await chart();
  expect(before.data[0]).toHaveLength(100);
  expect(await lcs('seal', '--month', month)).toMatchObject({ files: 1, rows: 90 });
  expect(count()).toBe(10);
  expect(await readdir(join(dataFolder, 'archive', 'sealed', month))).toEqual([`${String(uid)}.parquet`]);
  expect(await chart()).toEqual(before);
  expect(await lcs('verify', '--month', month)).toEqual({ month, files: 1, faulty: [] });
  expect(await lcs('list')).toMatchObject({ files: [{ month, experiment, rows: 90, is_complete: true }] });
  expect(await lcs('unseal', '--month', month)).toMatchObject({ rows: 90 });
  expect(count()).toBe(100);
  expect(await chart()).toEqual(before);
  store.close();
  await leader.kill('SIGTERM');
}, 60_000);
