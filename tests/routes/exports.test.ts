import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcceptedTask } from '@lcs/contract';
import { type LeaderUnderTest, type LeaderUnderTestOptions, startLeader } from '@lcs/testkit';
import { parse } from 'csv-parse/sync';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { type Exported, exporting, manifestOf, unzipped } from './exporting.ts';

let leader: LeaderUnderTest;
const startWithExperiment = async (options: LeaderUnderTestOptions = {}): Promise<void> => {
  leader = await startLeader({ observe, ...options });
  await leader.client.createExperiment({ body: { experiment: 'exp 1', tags: ['media: LB'] } });
};
beforeEach(() => startWithExperiment());
afterEach(() => leader[Symbol.asyncDispose]());

const { store, at, ask, begin, exported, failed, downloaded } = exporting(() => leader);
const usbFolder = () => join(leader.dataFolder, 'run', 'usb', 'DEV_USB');

describe('an export', () => {
  it('is a task whose file can be fetched and lists its content', async () => {
    await store('rx01', 'od', [
      [5_000, 500],
      [0, 1 / 3],
    ]);
    const accepted = (await begin({ datasets: ['od_readings', 'nope'] })).expect(202);
    expect(Value.Check(AcceptedTask, accepted)).toBe(true);
    const { result, message } = { result: undefined, ...(await leader.finished(accepted)) };
    expect(message).toBe('2 rows in all.');
    const { filename, bytes, sha256, row_count }: Exported = JSON.parse(JSON.stringify(result));
    expect(row_count).toBe(2);
    const whole = await leader.api.call('downloadExport', { params: { filename } });
    whole.expect(200);
    expect(whole.bytes.length).toBe(bytes);
    expect(createHash('sha256').update(whole.bytes).digest('hex')).toBe(sha256);
    const files = await unzipped(whole.bytes);
    expect(manifestOf(files)).toMatchObject({
      selected_datasets: ['od_readings', 'nope'],
      skipped: [{ dataset_name: 'nope', reason: 'There is no dataset of this name.' }],
      datasets: [{ dataset_name: 'od_readings', row_count: 2 }],
    });
    const [name = ''] = [...files.keys()].filter((path) => path.endsWith('.csv'));
    expect(name).toMatch(/^od_readings\/od_readings-exp_1-all_units-\d{14}\.csv$/);
    const rows: unknown = parse(files.get(name) ?? '', { columns: true });
    expect(rows).toMatchObject([
      { experiment: 'exp 1', reactor_unit: 'rx01', timestamp: at(5_000), od_reading: '500.0', channel: '1' },
      { od_reading: '0.333333333333', hours_since_experiment_created: '0.0' },
    ]);
    const messages = (await leader.client.listExperimentLogs({ params: { experiment: '$experiment' } })).map(
      (row) => row.message,
    );
    expect(messages).toEqual(
      expect.arrayContaining([`Exported 2 rows to ${filename}.`, `Exporting 1 datasets to ${filename}.`]),
    );
  });

  it('accepts bounds in any zone and truncates them to milliseconds; both are inclusive', async () => {
    await store('rx01', 'od', [
      [3_000, 1],
      [2_000, 2],
      [1_000, 3],
      [0, 4],
    ]);
    const shifted = new Date(leader.clock.now() - 2_000 - 5 * 3_600_000).toISOString().replace('Z', '999-05:00');
    const { filename } = await exported({ start_time: shifted, end_time: at(1_000) });
    expect(manifestOf(await downloaded(filename))).toMatchObject({
      filters: { start_time: at(2_000), end_time: at(1_000) },
      datasets: [{ row_count: 2 }],
    });
    expect(await exported({ start_time: null, end_time: null })).toMatchObject({ row_count: 4 });
  });

  it('has the minutes of the first day (both bounds) of activity by the minute, and of the system its log', async () => {
    await store('rx01', 'od', [[0, 1]]);
    const start = new Date(leader.clock.now() - 3_600_000).toISOString();
    const rollup = { datasets: ['pioreactor_unit_activity_data_rollup'], start_time: start };
    expect(await exported(rollup)).toMatchObject({ row_count: 1 });
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'exp 1' } }));
    const { filename } = await exported({ experiment: '$experiment', datasets: ['logs'] });
    const files = await downloaded(filename);
    expect([...files.keys()][1]).toMatch(/^logs\/logs-\$experiment-all_units-/);
    expect([...files.values()][1]).toContain('Deleted experiment exp 1');
  });

  it('of all datasets is possible, as CSV and as Parquet', async () => {
    await store('rx01', 'od', [[0, 1]]);
    const datasets = (await leader.client.listExportableDatasets()).map((one) => one.dataset_name);
    for (const format of ['csv', 'parquet']) {
      const { filename } = await exported({ datasets, format, partition_by_unit: true });
      const files = await downloaded(filename);
      expect([...files.keys()].filter((path) => path.endsWith(`.${format}`))).toHaveLength(datasets.length);
    }
  });

  it('has no rows of an unknown experiment', async () => {
    await store('rx01', 'od', [[0, 1]]);
    const { filename, row_count } = await exported({ experiment: 'nobody' });
    expect(row_count).toBe(0);
    const files = await downloaded(filename);
    expect([...files.values()][1]).toMatch(/^experiment,reactor_unit,timestamp,od_reading,angle,channel,[^\n]*\r\n$/);
  });

  it('is pending while another one runs, and both end with files of their own', async () => {
    await store('rx01', 'od', [[0, 1]]);
    const all = await Promise.all([exported(), exported(), exported()]);
    expect(new Set(all.map(({ filename }) => filename)).size).toBe(3);
    for (const { filename } of all) {
      expect(manifestOf(await downloaded(filename))).toMatchObject({ datasets: [{ row_count: 1 }] });
    }
  });

  it('leaves no file when it is cancelled', async () => {
    await leader[Symbol.asyncDispose]();
    // Only a thread can be cut short.
    await startWithExperiment({ configure: { startDatasets: undefined } });
    const first = leader.client.exportDatasets({ body: ask() });
    const { task_id, ...rest } = await leader.client.exportDatasets({ body: ask() });
    await first;
    (await leader.api.call('cancelTask', { params: { task_id } })).expect(202);
    const ended = await leader.finished({ task_id, ...rest });
    expect(ended).toMatchObject({ status: 'failed', code: 'task_cancelled' });
    const files = await readdir(join(leader.dataFolder, 'exports'));
    expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('ends when it exceeds a configured limit, and reports both numbers', async () => {
    const code = `${await leader.client.getSharedConfig()}\n[export]\nmin_free_disk_mb=999999999\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    const ended = await failed({}, 'exportDatasets');
    expect(ended).toMatchObject({ code: 'export_short_of', cause: expect.stringMatching(/\d+ MB.*999999999 MB/) });
    expect(await readdir(join(leader.dataFolder, 'exports'))).toEqual([]);
  });

  it.each(['exportDatasets', 'exportDatasetsToUsb'] as const)(
    'is refused by %s for invalid requests',
    async (operation) => {
      (await begin({ datasets: [] }, operation)).expect(400, 'datasets_unknown');
      (await begin({ datasets: ['nope'] }, operation)).expect(400, 'datasets_unknown');
      (await begin({ experiment: '' }, operation)).expect(400, 'invalid_body');
      (await begin({ experiments: ['a'] }, operation)).expect(400, 'invalid_body');
      (await begin({ partition_by_unit: undefined }, operation)).expect(400, 'invalid_body');
      (await begin({ format: 'xlsx' }, operation)).expect(400, 'invalid_body');
      (await begin({ start_time: '2026-05-02T09:14:03' }, operation)).expect(400, 'export_time_invalid');
      (await begin({ end_time: 'soon' }, operation)).expect(400, 'export_time_invalid');
      (await begin({ start_time: at(0), end_time: at(1) }, operation)).expect(400, 'export_window_reversed');
    },
  );
});

describe('an export to a USB drive', () => {
  it('writes into its own folder on the drive and changes nothing else', async () => {
    await store('rx01', 'od', [[0, 1]]);
    const folder = join(usbFolder(), 'reactor', 'exports');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'mine.csv'), 'a');
    await writeFile(join(folder, 'mine.tmp'), 'b');
    await writeFile(join(folder, '.export_20260101000000_abcdef.zip.tmp'), 'left over');
    const { filename, path } = await exported({}, 'exportDatasetsToUsb');
    expect(path).toBe(join(folder, filename));
    expect((await readdir(folder)).sort()).toEqual([filename, 'mine.csv', 'mine.tmp'].sort());
    expect(manifestOf(await unzipped(await readFile(path ?? '')))).toMatchObject({ datasets: [{ row_count: 1 }] });
    expect(await readdir(join(leader.dataFolder, 'exports'))).toEqual([]);
  });

  it('does not follow a link out of the drive', async () => {
    const elsewhere = join(leader.dataFolder, 'elsewhere');
    await mkdir(elsewhere);
    await mkdir(usbFolder(), { recursive: true });
    await symlink(elsewhere, join(usbFolder(), 'reactor'));
    expect(await failed({}, 'exportDatasetsToUsb')).toMatchObject({ status: 'failed', code: 'usb_unusable' });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('fails as a task without a drive', async () => {
    expect(await failed({}, 'exportDatasetsToUsb')).toMatchObject({ status: 'failed', code: 'usb_not_mounted' });
  });
});

describe('a finished export', () => {
  const get = (filename: string, headers: Readonly<Record<string, string>> = {}) =>
    leader.api.call('downloadExport', { params: { filename }, headers });

  it('can be fetched as a whole, in parts, and not again when the client has it', async () => {
    const { filename, bytes } = await exported();
    const whole = await get(filename);
    whole.expect(200);
    expect(whole.headers.get('content-type')).toBe('application/zip');
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${filename}"`);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(whole.headers.get('content-length')).toBe(String(bytes));
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^".+"$/);

    const part = async (range: string, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await get(filename, { range, ...headers });
      return [answer.status, answer.headers.get('content-range'), Buffer.from(answer.bytes)] as const;
    };
    const all = Buffer.from(whole.bytes);
    (await get(filename, { range: 'bytes=0-9' })).expect(206);
    expect(await part('bytes=0-9')).toEqual([206, `bytes 0-9/${bytes}`, all.subarray(0, 10)]);
    expect(await part('bytes=100-')).toEqual([206, `bytes 100-${bytes - 1}/${bytes}`, all.subarray(100)]);
    expect(await part('bytes=-5')).toEqual([206, `bytes ${bytes - 5}-${bytes - 1}/${bytes}`, all.subarray(-5)]);
    expect(await part(`bytes=0-${bytes * 2}`)).toEqual([206, `bytes 0-${bytes - 1}/${bytes}`, all]);
    expect(await part('bytes=10-12', { 'if-range': etag })).toEqual([
      206,
      `bytes 10-12/${bytes}`,
      all.subarray(10, 13),
    ]);
    const modified = whole.headers.get('last-modified') ?? '';
    expect((await part('bytes=10-12', { 'if-range': modified }))[0]).toBe(206);
    expect(await part('bytes=10-12', { 'if-range': '"another"' })).toEqual([200, null, all]);
    for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=9-3', 'bytes=-']) {
      expect(await part(range)).toEqual([200, null, all]);
    }
    const beyond = await get(filename, { range: `bytes=${bytes}-` });
    beyond.expect(416, 'range_not_satisfiable');
    expect(beyond.headers.get('content-range')).toBe(`bytes */${bytes}`);
    expect((await get(filename, { 'if-none-match': etag })).status).toBe(304);

    const head = await fetch(`${leader.url}/exports/${filename}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      String(bytes),
      etag,
    ]);
  });

  it('is the only file that can be fetched', async () => {
    await exported();
    await writeFile(join(leader.dataFolder, 'exports', 'notes.txt'), 'secret');
    for (const filename of [
      'notes.txt',
      '../config.ini',
      '..%2Fconfig.ini',
      'export_1.zip',
      'export_../x.zip',
      '.',
      'exports',
    ]) {
      const answer = await get(filename);
      expect(answer.text).not.toContain('secret');
      answer.expect(404);
    }
    (await get('export_1.zip')).expect(404, 'export_not_found');
  });

  it('is kept for seven days', async () => {
    const { filename: old } = await exported();
    const nineDaysAgo = leader.clock.now() / 1_000 - 9 * 86_400;
    await utimes(join(leader.dataFolder, 'exports', old), nineDaysAgo, nineDaysAgo);
    const { filename } = await exported();
    (await get(old)).expect(404, 'export_not_found');
    (await get(filename)).expect(200);
  });
});
