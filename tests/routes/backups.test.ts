import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Backups } from '@lcs/contract';
import { openZip, restoreBackup } from '@lcs/node';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { refusesBackups } from './refuses-backups.ts';

const hourMs = 3_600_000;

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder('backups');
});
afterEach(() => folder[Symbol.asyncDispose]());

const start = () => startLeader({ observe, dataFolder: join(folder.path, 'data') });

const listed = async (leader: LeaderUnderTest) =>
  Value.Parse(Backups, (await leader.api.call('listBackups')).expect(200));
const logsOf = async (leader: LeaderUnderTest) => (await leader.api.call('listLogs')).expect(200);

/** A leader whose backups go to another disk. */
async function startWithSecondPlace() {
  const place = join(folder.path, 'drive');
  await mkdir(join(folder.path, 'data'), { recursive: true });
  await mkdir(place);
  await writeFile(join(folder.path, 'data', 'leader.ini'), `[backup]\nfolder=${place}\n`);
  return { leader: await start(), place };
}

describe('backups of the leader', () => {
  it('are stored below the data folder until a second folder is configured, as the list states', async () => {
    await using leader = await start();
    const before = await listed(leader);
    expect(before).toMatchObject({ is_second_place: false, interval_hours: 24, problem: null, backups: [] });
    expect(before).toMatchObject({ has_keys: false });
    expect(before.place).toBe(join(leader.dataFolder, 'backups'));
    const file = join(leader.dataFolder, 'leader.ini');
    await writeFile(file, 'no setting\n');
    expect(await listed(leader)).toMatchObject({ has_keys: null, backups: [] });
    await rm(file);
    if (await refusesBackups(leader)) return;
    const ended = await leader.finished((await leader.api.call('createBackup')).expect(202));
    expect(ended).toMatchObject({ status: 'succeeded', result: { place: before.place, removed: [] } });
    const after = await listed(leader);
    expect(after.backups).toHaveLength(1);
    expect(after.backups[0]).toMatchObject({ app_version: expect.stringMatching(/^\d+\.\d+/) });
    expect(after.backups[0]?.bytes).toBeGreaterThan(50_000);
    expect(await readdir(before.place)).toEqual([after.backups[0]?.backup_name]);
    expect(Date.parse(String(after.next_at)) - Date.parse(String(after.backups[0]?.created_at))).toBe(24 * hourMs);
    const logs = await logsOf(leader);
    expect(logs).toContainEqual(expect.objectContaining({ task: 'backup_database', level: 'INFO' }));
  });

  it("on the leader's own disk are two at most", async () => {
    await using leader = await start();
    if (await refusesBackups(leader)) return;
    const made = [];
    for (let day = 0; day < 3; day += 1) {
      if (day > 0) await leader.clock.advance(24 * hourMs);
      made.push(await leader.finished(await leader.client.createBackup({})));
    }
    const [first] = made.map((task) => task.status === 'succeeded' && task.result);
    expect(made[2]).toMatchObject({ result: { removed: [Reflect.get(Object(first), 'backup_name')] } });
    const moments = (await listed(leader)).backups.map(({ created_at }) => Date.parse(created_at));
    expect(moments).toHaveLength(2);
    expect(moments[0]).toBe(Number(moments[1]) + 24 * hourMs);
  });

  it('are stored in the second folder that leader.ini contains', async () => {
    const { leader, place } = await startWithSecondPlace();
    await using _ = leader;
    if (await refusesBackups(leader)) return;
    expect(await leader.finished(await leader.client.createBackup({}))).toMatchObject({ result: { place } });
    expect(await listed(leader)).toMatchObject({ place, is_second_place: true, backups: [{}] });
  });

  it('are refused while the second folder is missing, and never stored elsewhere', async () => {
    const { leader, place } = await startWithSecondPlace();
    await using _ = leader;
    await rm(place, { recursive: true });
    const answer = (await leader.api.call('createBackup')).expect(503, 'backup_place_missing');
    expect(answer).toMatchObject({ cause: expect.any(String) });
    const list = await listed(leader);
    expect(list.problem).toContain(place);
    expect(await readdir(folder.path)).toEqual(['data']);
  });

  it('that fail have their reason in the task, the list and the event log', async () => {
    const { leader, place } = await startWithSecondPlace();
    const foreign = join(leader.dataFolder, 'storage', 'foreign.sqlite');
    await writeFile(foreign, 'no database at all, and long enough');
    const ended = await leader.finished(await leader.client.createBackup({}));
    expect(ended).toMatchObject({ status: 'failed', code: 'backup_failed' });
    expect(await readdir(place)).toEqual([]);
    const list = await listed(leader);
    expect(list.problem).not.toBeNull();
    const logs = await logsOf(leader);
    expect(logs).toContainEqual(expect.objectContaining({ task: 'backup_database', level: 'ERROR' }));
    await leader[Symbol.asyncDispose]();
    await using again = await start();
    expect((await listed(again)).problem).toBe(list.problem);
    await rm(foreign);
    if (await refusesBackups(again)) return;
    await again.finished(await again.client.createBackup({}));
    expect(await listed(again)).toMatchObject({ problem: null, backups: [{}] });
  });

  it.each(['the route', 'the job'])('that fail by %s raise an alarm, which ends after a good one', async (by) => {
    const { leader, place } = await startWithSecondPlace();
    await using _ = leader;
    const makeByRoute = async () => leader.finished(await leader.client.createBackup({}));
    const makeByJob = async () =>
      leader.finished(await leader.client.runJob({ params: { job: 'backup_database' }, body: {} }));
    const alarms = async () => {
      await leader.clock.advance(15_000);
      return leader.client.listAlarms({ query: { rule: 'backup_failed' } });
    };
    const foreign = join(leader.dataFolder, 'storage', 'foreign.sqlite');
    await writeFile(foreign, 'no database at all, and long enough');
    await (by === 'the job' ? makeByJob() : makeByRoute());
    await expect.poll(alarms).toMatchObject([{ state: 'unacknowledged', severity: 'error', reactor_unit: null }]);
    await rm(foreign);
    if (await refusesBackups(leader)) return;
    await makeByRoute();
    await expect.poll(alarms).toMatchObject([{ state: 'returned', occurrences: 1 }]);
    expect(await readdir(place)).toHaveLength(1);
  });

  it('are downloaded as a zip whose folder lcs restore accepts', async () => {
    await using leader = await start();
    if (await refusesBackups(leader)) return;
    await leader.client.createExperiment({ body: { experiment: 'kept' } });
    await leader.finished(await leader.client.createBackup({}));
    const [made] = (await listed(leader)).backups;
    const backup_name = made?.backup_name ?? '';
    const answer = await leader.api.call('downloadBackup', { params: { backup_name } });
    answer.expect(200);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${backup_name}.zip"`);
    const file = join(folder.path, 'backup.zip');
    await writeFile(file, answer.bytes);
    const zip = await openZip(file, { entries: 10_000, totalBytes: 1e9, ratio: 1000 });
    for (const { name, open } of zip.members) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await pipeline(await open(), createWriteStream(join(folder.path, name)));
    }
    zip.close();
    const { manifest } = await restoreBackup({
      backup: join(folder.path, backup_name),
      dataFolder: join(folder.path, 'restored'),
      version: '99.0.0',
      replace: false,
      nowMs: 0,
      signal: new AbortController().signal,
    });
    expect(Object.keys(manifest.files)).toContain('storage/leader.sqlite');
    await using again = await startLeader({ dataFolder: join(folder.path, 'restored') });
    expect(await again.client.listExperiments()).toMatchObject([{ experiment: 'kept' }]);
  });

  it('that lack a file are not downloaded as a whole archive; others are unknown, forbidden or away', async () => {
    const { leader, place } = await startWithSecondPlace();
    await using _ = leader;
    if (await refusesBackups(leader)) return;
    await leader.finished(await leader.client.createBackup({}));
    const [made] = (await listed(leader)).backups;
    const params = { backup_name: made?.backup_name ?? '' };
    for (const backup_name of ['backup-lead-nothing', '../drive'])
      (await leader.api.call('downloadBackup', { params: { backup_name } })).expect(404, 'backup_not_found');
    await rm(join(place, params.backup_name, 'storage', 'leader.sqlite'));
    const cut = leader.api.call('downloadBackup', { params });
    await expect(cut).rejects.toThrow();
    await writeFile(join(leader.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'), '');
    (await leader.api.call('downloadBackup', { params })).expect(403, 'file_access_disabled');
    await rm(join(leader.dataFolder, 'DISALLOW_UI_FILE_SYSTEM'));
    await rm(place, { recursive: true });
    (await leader.api.call('downloadBackup', { params })).expect(503, 'backup_place_missing');
  });

  it('are kept as the configuration says; on the own disk fewer', async () => {
    const leader = await start();
    expect(await listed(leader)).toMatchObject({ keep_daily: 2, keep_weekly: 0, has_keys: false });
    await leader[Symbol.asyncDispose]();
    const { leader: second } = await startWithSecondPlace();
    await using _ = second;
    expect(await listed(second)).toMatchObject({ keep_daily: 7, keep_weekly: 4 });
    await writeFile(
      join(second.dataFolder, 'leader.ini'),
      `[backup]\nfolder=${join(folder.path, 'drive')}\npassphrase=three brown horses\n`,
    );
    expect(await listed(second)).toMatchObject({ has_keys: true });
  });

  it('can be made by a job of the leader', async () => {
    await using leader = await start();
    const accepted = await leader.client.runJob({ params: { job: 'backup_database' }, body: {} });
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded' });
    if (leader.engine === 'postgres')
      await expect
        .poll(() => leader.client.listBackups({}))
        .toMatchObject({ problem: expect.any(String), backups: [] });
    else await expect.poll(async () => (await leader.client.listBackups({})).backups.length).toBe(1);
    await expect
      .poll(async () => (await leader.client.listRunningJobs()).map(({ job_name }) => job_name))
      .not.toContain('backup_database');
  });
});
