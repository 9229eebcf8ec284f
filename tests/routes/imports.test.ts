import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { runProgram } from '@lcs/cli/testing';
import {
  EndedImport,
  type ErrorCode,
  ImportReport,
  type PioreactorImport,
  TimeSeries,
  taskResult,
} from '@lcs/contract';
import { signIn, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { observe } from '../observe.ts';
import { est1Yaml, pumpYaml } from './calibration-fixtures.ts';
import { exporting } from './exporting.ts';
import { type PioreactorSource, pioreactorSource, stateOfFolder } from './pioreactor-source.ts';

type Leader = Awaited<ReturnType<typeof startLeader>>;

const profile = `version: "1.0"
experiment_profile_name: ramp
pioreactors:
  pio01:
    jobs:
      stirring:
        actions:
          - {type: start, t: 0s}
`;

let folder: TemporaryFolder;
let source: PioreactorSource;
let leader: Leader;
let startMs: number;

beforeEach(async () => {
  folder = await temporaryFolder('imports');
  source = await pioreactorSource(join(folder.path, 'pio'));
  leader = await startLeader({ observe });
  startMs = leader.clock.now() - 10 * 86_400_000;
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const iso = (ms: number): string => new Date(ms).toISOString();
const at = (index: number): string => iso(startMs + 5_000 * index);
const place = (index: number, experiment = 'yeast', unit = 'pio01') => [experiment, unit, at(index)] as const;

/** Every table of one experiment with some rows. */
function fill(): void {
  const rows = Array.from({ length: 20 }, (_, index) => index);
  source.insert('experiments', ['yeast', at(0), 'A run']);
  source.insert('experiment_tags', ['yeast', 'paper', at(0)]);
  source.insert('workers', ['pio01', at(0), 'pioreactor_20ml', '1.1', 1], ['pio02', at(0), null, null, 1]);
  source.insert(
    'experiment_worker_assignments_history',
    ['pio01', 'yeast', at(0), at(10)],
    ['pio02', 'yeast', at(1), null],
  );
  source.insert('pioreactor_unit_labels', ['yeast', 'pio01', 'left', at(0)]);
  source.insert('od_readings', ...rows.map((index) => [...place(index), 0.1 + index / 1_000, 90, 2]));
  source.insert('raw_od_readings', ...rows.map((index) => [...place(index), 0.2 + index / 1_000, 1]));
  source.insert('od_readings_fused', [...place(1), 0.5]);
  source.insert('od_readings_filtered', ...rows.map((index) => [...place(index), 1 + index / 100]));
  source.insert('growth_rates', ...rows.map((index) => [...place(index), 0.4 + index / 1_000]));
  source.insert('temperature_readings', [...place(1), 30.125]);
  source.insert('stirring_rates', [...place(1), 500]);
  source.insert('alt_media_fractions', [...place(1), 0.25]);
  source.insert('liquid_volumes', [...place(1), 14]);
  source.insert('ir_led_intensities', [...place(1), 1.001]);
  source.insert('od_blanks', [...place(1), '2', 90, 0.01]);
  source.insert('pwm_dcs', [...place(1), 10, null, 30, null, 50]);
  source.insert(
    'dosing_events',
    [...place(2), 'add_media', 0.5, 'dosing_automation:chemostat'],
    [...place(2), 'add_media', 0.5, 'dosing_automation:chemostat'],
  );
  source.insert('led_change_events', [...place(3), 'B', 40, 'manually']);
  source.insert('dosing_automation_events', [...place(2), 'DilutionEvent', 'diluted', '{"volume": 0.5}']);
  source.insert('dosing_automation_settings', [
    'yeast',
    'pio01',
    at(1),
    at(9).replace('Z', '000Z'),
    'chemostat',
    btoa('{"volume":0.5}'),
  ]);
  source.insert(
    'logs',
    [...place(4), 'It grows', 'app', 'info', 'od_reading'],
    ['$experiment', 'pio01', at(5), 'Ready', 'app', 'INFO', 'monitor'],
  );
  source.insert('experiment_profile_runs', [at(6), 'ramp', 'yeast']);
  source.insert('kalman_filter_outputs', [...place(1), '[1]', '[[1]]']);
  source.insert('config_files_histories', [at(0), 'config.ini', '[a]']);
}

async function imported(body: Partial<PioreactorImport> = {}): Promise<ImportReport> {
  const accepted = (await leader.api.call('importPioreactor', { body: { folder: source.folder, ...body } })).expect(
    202,
  );
  const task = await leader.finished(accepted);
  expect(task).toMatchObject({ status: 'succeeded' });
  const { import_id } = Value.Parse(EndedImport, Reflect.get(task, 'result'));
  const report = (await leader.api.call('getImport', { params: { import_id } })).expect(200);
  return Value.Parse(ImportReport, report);
}

const tableOf = (report: ImportReport, name: string) => report.tables.find(({ table }) => table === name);

/** SHA-256 of a table with one series, by the rule of docs/moving-in.md. */
function checksumOf(
  unit: string,
  channel: string | null,
  angle: number | null,
  rows: readonly (readonly [number, number])[],
) {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const series = sha(rows.map(([ms, value]) => `${ms} ${value}\n`).join(''));
  return sha(`${JSON.stringify(['yeast', unit, channel, angle, rows.length, series])}\n`);
}

async function zipOf(files: Readonly<Record<string, Buffer>>): Promise<string> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(content, name);
  zip.end();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await buffer(zip.outputStream))]), 'pio.zip');
  const response = await fetch(`${leader.url}/api/system/upload`, { method: 'POST', body: form });
  return String(Reflect.get(Object(await response.json()), 'upload_id'));
}

describe('an import from a Pioreactor leader', () => {
  it('brings every table with equal checksums, reads the source only, and stores nothing twice', async () => {
    fill();
    await source.write(
      'config.ini',
      '[stirring.config]\ninitial_target_rpm=432\n[mqtt]\npassword=hush\n[other]\nx=1\n',
    );
    await source.write('experiment_profiles/ramp.yaml', profile);
    await source.write('experiment_profiles/bad.yaml', 'experiment_profile_name: 3\n');
    await source.write('storage/calibrations/od90/a.yaml', 'calibration_name: a\n');
    await leader.client.createExperiment({ body: { experiment: 'yeast' } });
    const before = await stateOfFolder(source.folder);
    const report = await imported();
    expect(await stateOfFolder(source.folder)).toEqual(before);
    expect(report).toMatchObject({ is_verified: true, source_changed: false, is_dry_run: false });
    expect(report.experiments).toEqual([
      { source_name: 'yeast', experiment: 'yeast (imported)', status: 'new', reason: null, rows: expect.any(Number) },
    ]);
    const counts = Object.fromEntries(report.tables.map(({ table, rows, imported: came }) => [table, [rows, came]]));
    expect(counts).toEqual({
      workers: [2, 2],
      experiment_worker_assignments_history: [2, 2],
      pioreactor_unit_labels: [1, 1],
      experiment_tags: [1, 1],
      experiments: [1, 1],
      od_readings: [20, 20],
      raw_od_readings: [20, 20],
      od_readings_fused: [1, 1],
      od_readings_filtered: [20, 20],
      growth_rates: [20, 20],
      temperature_readings: [1, 1],
      stirring_rates: [1, 1],
      alt_media_fractions: [1, 1],
      liquid_volumes: [1, 1],
      ir_led_intensities: [1, 1],
      pwm_dcs: [1, 1],
      od_blanks: [1, 1],
      dosing_events: [2, 2],
      led_change_events: [1, 1],
      logs: [2, 1],
      experiment_profile_runs: [1, 1],
      dosing_automation_events: [1, 1],
      led_automation_events: [0, 0],
      temperature_automation_events: [0, 0],
      dosing_automation_settings: [1, 1],
      led_automation_settings: [0, 0],
      temperature_automation_settings: [0, 0],
    });
    for (const { checksum, stored_checksum, values, stored_values } of report.tables)
      expect([stored_checksum, stored_values]).toEqual([checksum, values]);
    const rows = Array.from({ length: 20 }, (_, index) => [startMs + 5_000 * index, 0.1 + index / 1_000] as const);
    expect(tableOf(report, 'od_readings')?.checksum).toBe(checksumOf('pio01', '2', 90, rows));
    expect(tableOf(report, 'logs')?.skipped).toEqual([{ reason: expect.any(String), rows: 1 }]);
    expect(Object.fromEntries(report.other_tables.map(({ table, rows: count }) => [table, count]))).toEqual({
      experiment_worker_assignments: 0,
      config_files_histories: 1,
      kalman_filter_outputs: 1,
    });
    expect(report.files.map(({ file, status, target }) => [file, status, target])).toEqual([
      ['experiment_profiles/bad.yaml', 'skipped', null],
      ['experiment_profiles/ramp.yaml', 'imported', 'ramp.yaml'],
      ['storage/calibrations/od90/a.yaml', 'skipped', null],
    ]);
    expect(report.configuration.map(({ key, value, status }) => [key, value, status])).toEqual([
      ['initial_target_rpm', '432', 'differs'],
      ['password', '********', 'differs'],
      ['x', '********', 'no_meaning'],
    ]);

    const params = { experiment: 'yeast (imported)' };
    const series = await leader.api.call('getOdReadings', {
      params: { ...params, reactor_unit: 'pio01' },
      query: { lookback: 10_000 },
    });
    const { series: names, data } = Value.Parse(TimeSeries, series.expect(200));
    expect(names).toEqual(['pio01-2']);
    expect(data[0]?.map(({ x, y }) => [Date.parse(String(x)), y])).toEqual(
      rows.map(([ms, value]) => [ms, Number(value.toFixed(7))]),
    );
    const experiment = (await leader.api.call('getExperiment', { params })).expect(200);
    expect(experiment).toMatchObject({ created_at: at(0), ended_at: at(19), description: 'A run', tags: ['paper'] });
    expect((await leader.api.call('getLatestExperiment')).expect(200)).toMatchObject({ experiment: 'yeast' });
    expect((await leader.api.call('listHistoricalAssignments', { params })).expect(200)).toHaveLength(2);

    const { exported } = exporting(() => leader);
    expect(await exported(params)).toMatchObject({ row_count: 20, skipped: [] });

    const stored = () => ['samples', 'events', 'logs', 'experiments'].map((table) => leader.storedRows(table).length);
    const counted = stored();
    source.insert('od_readings', [...place(20), 0.3, 90, 2]);
    await leader.clock.advance(1_000);
    const connection = ['--url', leader.url];
    const { code, out } = await runProgram(['import', 'pioreactor', source.folder, ...connection, '--json']);
    expect(code).toBe(0);
    const again = Value.Parse(ImportReport, JSON.parse(out));
    const shown = await runProgram(['import', 'report', again.import_id, ...connection]);
    expect(shown.out.split('\n').length).toBeGreaterThan(again.tables.length);
    expect(again).toMatchObject({
      is_verified: true,
      experiments: [{ status: 'known', experiment: 'yeast (imported)' }],
    });
    // One reading, and the entry of the event log about the second import.
    expect(stored()).toEqual([Number(counted[0]) + 1, counted[1], Number(counted[2]) + 1, counted[3]]);
    const list = (await leader.api.call('listImports')).expect(200);
    expect(list).toMatchObject([{ import_id: again.import_id }, { import_id: report.import_id }]);
    const text = (await leader.api.call('getImportText', { params: { import_id: report.import_id } })).expect(200);
    expect(text).toContain('kalman_filter_outputs');

    // It is undone by deleting the experiment, and can be imported again.
    await leader.finished((await leader.api.call('deleteExperiment', { params })).expect(202));
    expect(await imported()).toMatchObject({ is_verified: true, experiments: [{ status: 'new' }] });
  });

  it('keeps what is unusual, and reports what cannot be stored', async () => {
    source.insert('experiments', ['yeast', at(0), null], ['a/b', at(1), null], ['lost', 'yesterday', null]);
    const od = (time: string, value: number | string, unit = 'pio01', channel: number = 2) => [
      'yeast',
      unit,
      time,
      value,
      90,
      channel,
    ];
    source.insert(
      'od_readings',
      ...[od(at(5), 0.2), od(at(3), 0.1), od(at(5), 0.2), od(at(5), 0.3), od(at(5), 0.25)],
      ...[od(at(6).replace('T', ' ').replace('Z', ''), 0.5), od(at(7).replace('Z', '456Z'), 0.6)],
      ...[od('never', 1), od(at(8), 'many'), od(at(8), 'x', 'no unit!'), od(at(9), 1, 'pio01', 9)],
      ...[od(at(9), Number.POSITIVE_INFINITY), ['gone', 'pio01', at(1), 1, 90, 2], ['a/b', 'pio01', at(1), 1, 90, 2]],
    );
    source.insert(
      'logs',
      [...place(1), 'x'.repeat(70_000), 'app', 'INFO', 'a'],
      [...place(2), '=1+1', 'app', 'odd', 'a'],
    );
    // A clock that stood still: more values than milliseconds to move them to, and not in the order in which they are compared.
    source.exec(`insert into stirring_rates with recursive n (i) as (select 0 union all select i + 1 from n where i < 299)
      select 'yeast', 'pio01', '${at(1)}', 1000 - i from n`);
    source.exec(`insert into pioreactor_unit_labels with recursive n (i) as (select 0 union all select i + 1 from n where i < 100002)
      select 'gone', 'pio01', i, '${at(1)}' from n`);
    source.exec('alter table growth_rates rename column rate to other');
    source.insert('growth_rates', [...place(1), 0.4]);
    const report = await imported();
    expect(report.experiments.map(({ source_name, experiment }) => [source_name, experiment])).toEqual([
      ['yeast', 'yeast'],
      ['a/b', 'a-b'],
      ['lost', null],
    ]);
    const readings = tableOf(report, 'od_readings');
    expect(readings).toMatchObject({ rows: 14, imported: 7, values: 7, stored_values: 7, fault: null });
    expect(readings?.stored_checksum).toBe(readings?.checksum);
    expect(readings?.skipped.reduce((sum, { rows }) => sum + rows, 0)).toBe(7);
    expect(tableOf(report, 'logs')).toMatchObject({ rows: 2, imported: 1, skipped: [{ rows: 1 }] });
    const rates = tableOf(report, 'stirring_rates');
    expect(rates).toMatchObject({
      rows: 300,
      imported: 100,
      skipped: [{ rows: 200 }],
      stored_values: 100,
      fault: null,
    });
    expect(rates?.stored_checksum).toBe(rates?.checksum);
    const labels = tableOf(report, 'pioreactor_unit_labels');
    expect(labels).toMatchObject({ rows: 100_003, imported: 0, fault: expect.any(String) });
    expect(labels?.skipped.map(({ rows }) => rows)).toEqual([3, 100_000]);
    expect(tableOf(report, 'growth_rates')).toMatchObject({ rows: 1, imported: 0, fault: expect.any(String) });
    expect(report.is_verified).toBe(false);
  });

  it('counts what it cannot store, and what has changed here since, and keeps the owner of history', async () => {
    await leader.client.createExperiment({ body: { experiment: 'own' } });
    source.insert(
      'experiments',
      ['yeast', at(0), 'd'.repeat(70_000)],
      ['other', at(1), null],
      ['null', at(2), null],
      ['x\nEvery row', 'yesterday', null],
    );
    source.insert('experiment_tags', ['yeast', 'Paper', at(0)], ['yeast', 'paper', at(0)]);
    source.insert('pioreactor_unit_labels', ['yeast', 'pio01', 'left', at(0)]);
    source.insert('experiment_worker_assignments_history', ['pio01', 'yeast', at(0), at(10)]);
    source.insert('dosing_automation_events', [...place(2), 'DilutionEvent', 'm'.repeat(70_000), null]);
    source.insert('dosing_events', [...place(2), 'add_media', 0.5, 's'.repeat(70_000)]);
    source.insert('pwm_dcs', [...place(1), Number.POSITIVE_INFINITY, 20, 'text', null, 50]);
    source.exec(`create table constructor (a);
      drop table stirring_rates;
      create table stirring_rates (experiment text, pioreactor_unit text, timestamp text, measured_rpm real);
      insert into stirring_rates values (null, 'pio01', '${at(1)}', 400);
      insert into temperature_readings (rowid, experiment, pioreactor_unit, timestamp, temperature_c)
        values (-5, 'yeast', 'pio01', '${at(1)}', 30);
      insert into liquid_volumes (rowid, experiment, pioreactor_unit, timestamp, liquid_volume)
        values (9007199254740993, 'yeast', 'pio01', '${at(1)}', 14)`);
    await source.write(
      'config.ini',
      '[mqtt]\nbroker_address=mqtt://u:hush@h\n[wifi]\npsk=hush\n[x]\ncredentials=hush\n',
    );
    const caches = join(source.folder, 'storage', 'local_persistent_metadata.sqlite');
    execFileSync('mkfifo', [caches]);
    const report = await imported();
    // An experiment could not come, and a table ended early.
    expect(report.is_verified).toBe(false);
    expect(report.other_tables).toContainEqual({ table: 'constructor', rows: 0, reason: expect.any(String) });
    const came = (name: string) => {
      const { rows, imported: stored, skipped = [] } = tableOf(report, name) ?? {};
      return [rows, stored, skipped.reduce((sum, skip) => sum + skip.rows, 0)];
    };
    for (const table of ['dosing_automation_events', 'dosing_events', 'stirring_rates'])
      expect([table, ...came(table)]).toEqual([table, 1, 0, 1]);
    expect(came('pwm_dcs')).toEqual([1, 1, 1]);
    expect(came('experiments')).toEqual([4, 2, 2]);
    expect(came('experiment_tags')).toEqual([2, 1, 1]);
    expect(tableOf(report, 'temperature_readings')).toMatchObject({ imported: 1, stored_values: 1 });
    expect(tableOf(report, 'liquid_volumes')?.fault).toEqual(expect.any(String));
    expect(JSON.stringify(report.configuration)).not.toContain('hush');
    const { import_id } = report;
    const text = String((await leader.api.call('getImportText', { params: { import_id } })).expect(200));
    expect(text).not.toMatch(/^Every row/m);

    source.exec(`delete from experiments where created_at = 'yesterday'; delete from liquid_volumes;
      update experiments set description = 'two' where experiment = 'yeast';
      update pioreactor_unit_labels set label = 'right';
      insert into experiment_tags values ('yeast', 'later', '${at(1)}')`);
    const again = await imported();
    expect(again).toMatchObject({ is_verified: true, source_changed: false });
    const kept = again.tables.filter(({ skipped }) => skipped.some(({ reason }) => reason.includes('differs')));
    expect(kept.map(({ table }) => table)).toEqual(['pioreactor_unit_labels', 'experiment_tags', 'experiments']);

    for (const experiment of ['null', 'other', 'yeast'])
      await leader.finished((await leader.api.call('deleteExperiment', { params: { experiment } })).expect(202));
    await imported({ experiments: ['other'] });
    const params = { experiment: 'other' };
    expect((await leader.api.call('listHistoricalAssignments', { params })).expect(200)).toEqual([]);

    await writeFile(join(leader.dataFolder, 'storage', 'imports', `${import_id}.json`), '{}');
    (await leader.api.call('getImport', { params: { import_id } })).expect(500, 'import_report_damaged');
    await writeFile(`${source.databasePath}-journal`, Buffer.from('d9d505f920a163d7', 'hex'));
    const refused = await leader.api.call('importPioreactor', { body: { folder: source.folder } });
    refused.expect(400, 'import_source_invalid');
  });

  it('changes nothing in a dry run, and brings only chosen experiments', async () => {
    source.insert('experiments', ['yeast', at(0), null], ['other', at(1), null]);
    source.insert('temperature_readings', [...place(1), 30], [...place(2, 'other'), 31]);
    const tables = ['experiments', 'samples', 'workers', 'logs'];
    const before = tables.map((table) => leader.storedRows(table).length);
    const dry = await imported({ dry_run: true });
    expect(dry).toMatchObject({ is_dry_run: true, is_verified: null });
    expect(tableOf(dry, 'temperature_readings')).toMatchObject({ imported: 2, stored_checksum: null });
    expect(tables.map((table) => leader.storedRows(table).length)).toEqual(before);
    await leader.client.createExperiment({ body: { experiment: 'other' } });
    const chosen = await imported({ experiments: ['yeast'] });
    expect(tableOf(chosen, 'temperature_readings')).toMatchObject({ rows: 2, imported: 1 });
    const rest = await imported({ on_conflict: 'skip' });
    expect(rest.experiments.map(({ source_name, status }) => [source_name, status])).toEqual([
      ['yeast', 'known'],
      ['other', 'skipped'],
    ]);
    const unknown = { folder: source.folder, experiments: ['nobody'] };
    const failed = await leader.finished((await leader.api.call('importPioreactor', { body: unknown })).expect(202));
    expect(failed).toMatchObject({ status: 'failed', code: 'import_source_invalid' });
  });

  it('continues where an earlier one was interrupted', async () => {
    source.insert('experiments', ['yeast', at(0), null]);
    source.exec(`insert into stirring_rates
      with recursive n (i) as (select 0 union all select i + 1 from n where i < 5999)
      select 'yeast', 'pio01', strftime('%Y-%m-%dT%H:%M:%fZ', ${startMs / 1_000} + i, 'unixepoch'), 400 + i % 100 from n`);
    const accepted = (await leader.api.call('importPioreactor', { body: { folder: source.folder } })).expect(202);
    const task_id = String(Reflect.get(Object(accepted), 'task_id'));
    await leader.api.call('cancelTask', { params: { task_id } });
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
    const marks = () => leader.storedRows('import_marks');
    await imported();
    expect(marks()).toMatchObject([{ row_id: 6_000, row_count: 6_000 }]);
    // As after a power cut between two batches.
    await leader.editStore((database) => {
      database.exec(`delete from samples where at >= ${startMs + 3_000 * 1_000};
        update import_marks set row_id = 3000, row_count = 3000`);
    });
    const report = await imported();
    expect(report).toMatchObject({ is_verified: true, experiments: [{ status: 'known' }] });
    expect(tableOf(report, 'stirring_rates')).toMatchObject({ imported: 6_000, stored_values: 6_000 });
    expect(marks()).toMatchObject([{ row_id: 6_000, row_count: 6_000 }]);
    // Rows whose numbers have changed are sent again.
    await leader.editStore((database) => {
      database.exec(`delete from samples where at < ${startMs + 1_000 * 1_000}`);
    });
    expect(await imported()).toMatchObject({ is_verified: true });
    expect(leader.storedRows('samples')).toHaveLength(6_000);
  });

  it('sends calibrations and estimators to their units', async () => {
    await using both = await startLeader({ configure: { board: { kind: 'here', seed: 1 } }, observe });
    source.insert('experiments', ['yeast', at(0), null]);
    const ofLead = (yaml: string) => yaml.replaceAll('unit1', 'lead');
    await source.write('storage/calibrations/media_pump/a.yaml', ofLead(pumpYaml('a')));
    await source.write('storage/calibrations/media_pump/b.yaml', ofLead(pumpYaml('b')));
    await source.write('storage/calibrations/waste_pump/c.yaml', pumpYaml('c'));
    await source.write('storage/estimators/od_fused/e.yaml', ofLead(est1Yaml));
    using caches = new DatabaseSync(join(source.folder, 'storage', 'local_persistent_metadata.sqlite'));
    caches.exec(`create table cache_active_calibrations (key text primary key, value blob);
      insert into cache_active_calibrations values ('media_pump', 'b')`);
    const files = async () => {
      const task = await both.finished(await both.client.importPioreactor({ body: { folder: source.folder } }));
      const { import_id } = taskResult(task, EndedImport);
      const { files: reported } = await both.client.getImport({ params: { import_id } });
      return reported.map(({ file, status }) => [file.slice('storage/'.length), status]);
    };
    expect(await files()).toEqual([
      ['calibrations/media_pump/a.yaml', 'imported'],
      ['calibrations/media_pump/b.yaml', 'imported'],
      ['calibrations/waste_pump/c.yaml', 'skipped'],
      ['estimators/od_fused/e.yaml', 'imported'],
    ]);
    const there = await both.client.listUnitCalibrations();
    expect(there.media_pump).toMatchObject([
      { calibration_name: 'a', is_active: false },
      { calibration_name: 'b', is_active: true },
    ]);
    expect((await files()).map(([, status]) => status)).toEqual(['known', 'known', 'skipped', 'known']);
  });

  it('reads a database with a write-ahead log, and an archive of it', async () => {
    source.insert('experiments', ['yeast', at(0), null]);
    using database = new DatabaseSync(source.databasePath);
    database.exec(`pragma journal_mode = wal;
      insert into temperature_readings values ('yeast', 'pio01', '${at(1)}', 30)`);
    const before = await stateOfFolder(source.folder);
    const report = await imported();
    expect(await stateOfFolder(source.folder)).toEqual(before);
    expect(tableOf(report, 'temperature_readings')).toMatchObject({ imported: 1, stored_values: 1 });
    const upload_id = await zipOf({
      'home/.pioreactor/storage/pioreactor.sqlite': await readFile(source.databasePath),
      'home/.pioreactor/storage/pioreactor.sqlite-wal': await readFile(`${source.databasePath}-wal`),
      'home/.pioreactor/experiment_profiles/ramp.yaml': Buffer.from(profile),
    });
    const accepted = (await leader.api.call('importPioreactor', { body: { upload_id } })).expect(202);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded', result: { is_verified: true } });
    const profiles = (await leader.api.call('listExperimentProfiles')).expect(200);
    expect(JSON.stringify(profiles)).toContain('ramp.yaml');
    expect(leader.storedRows('samples')).toHaveLength(1);
  });

  it('brings the other tables of a damaged database', async () => {
    source.insert('experiments', ['yeast', at(0), null]);
    source.insert('temperature_readings', [...place(1), 30]);
    source.exec(`insert into logs with recursive n (i) as (select 0 union all select i + 1 from n where i < 999)
      select 'yeast', 'pio01', '${at(1)}', printf('%0500d', i), 'app', 'INFO', 'a' from n`);
    const file = await open(source.databasePath, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, size - 40 * 4_096);
    await file.close();
    const { code, out } = await runProgram(['import', 'pioreactor', source.folder, '--url', leader.url, '--json']);
    expect(code).toBe(1);
    const report = Value.Parse(ImportReport, JSON.parse(out));
    expect(tableOf(report, 'logs')?.fault).toEqual(expect.any(String));
    expect(tableOf(report, 'temperature_readings')).toMatchObject({ imported: 1, stored_values: 1 });
    expect(report.is_verified).toBe(false);
  });

  it('is not complete when something wrote the source meanwhile', async () => {
    source.insert('experiments', ['yeast', at(0), null]);
    source.insert('temperature_readings', [...place(1), 30]);
    let isOver = false;
    const ended = imported().finally(() => {
      isOver = true;
    });
    for (let seconds = 1; !isOver; seconds += 1) {
      await utimes(source.databasePath, seconds, seconds);
      await turnOfEventLoop();
    }
    const report = await ended;
    expect(report).toMatchObject({ source_changed: true, is_verified: false });
    expect(tableOf(report, 'temperature_readings')).toMatchObject({ imported: 1, stored_values: 1 });
  });

  it('is cancelled between two experiments', async () => {
    source.insert('experiments', ...Array.from({ length: 1_000 }, (_, index) => [`e${index}`, at(index), null]));
    const accepted = (await leader.api.call('importPioreactor', { body: { folder: source.folder } })).expect(202);
    const created = () => leader.storedRows('experiments').length;
    await expect.poll(created).toBeGreaterThan(0);
    const task_id = String(Reflect.get(Object(accepted), 'task_id'));
    await leader.api.call('cancelTask', { params: { task_id } });
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
    expect(created()).toBeLessThan(1_000);
  });

  it('fails, and continues later, when the thread that compares source and store ends', async () => {
    source.insert('experiments', ['yeast', at(0), null]);
    source.insert('dosing_events', [...place(2), 'add_media', 0.5, 'manually']);
    expect(await imported()).toMatchObject({ is_verified: true });
    const data = () => leader.storedRows('events').map((row) => row.data);
    const [before] = data();
    const store = (text: unknown) =>
      leader.editStore((database) => {
        if (leader.engine === 'sqlite') database.exec('pragma ignore_check_constraints = on');
        database.prepare('update events set data = ?').run(String(text));
      });
    await store('{');
    const again = (await leader.api.call('importPioreactor', { body: { folder: source.folder } })).expect(202);
    expect(await leader.finished(again)).toMatchObject({ status: 'failed', code: 'import_failed' });
    await store(before);
    expect(await imported()).toMatchObject({ is_verified: true });
  });

  it('is refused for anything else', async () => {
    const refused = async (body: object, status: number, code: ErrorCode) => {
      (await leader.api.call('importPioreactor', { body })).expect(status, code);
    };
    await refused({}, 400, 'import_source_invalid');
    await refused({ folder: join(folder.path, 'nothing') }, 400, 'import_source_invalid');
    await refused({ folder: 'pio' }, 400, 'import_source_invalid');
    await refused({ folder: '/a\0b' }, 400, 'import_source_invalid');
    await refused({ folder: folder.path }, 400, 'import_source_invalid');
    await refused({ folder: source.databasePath }, 400, 'import_source_invalid');
    await refused({ folder: source.folder, upload_id: 'x' }, 400, 'import_source_invalid');
    await refused({ upload_id: 'x' }, 400, 'import_source_invalid');
    const linked = await pioreactorSource(join(folder.path, 'linked'));
    await rm(linked.databasePath);
    await symlink(source.databasePath, linked.databasePath);
    await refused({ folder: linked.folder }, 400, 'import_source_invalid');
    const text = join(folder.path, 'text');
    await (await pioreactorSource(text)).write('storage/pioreactor.sqlite', 'not a database');
    await refused({ folder: text }, 400, 'import_source_invalid');
    await refused({ upload_id: await zipOf({ 'a/notes.txt': Buffer.from('nothing') }) }, 400, 'import_source_invalid');
    const ada = { name: 'ada', password: 'correct horse battery', role: 'administrator' } as const;
    (await leader.api.call('createPerson', { body: ada })).expect(201);
    const headers = await signIn(leader.url, ada.name, ada.password);
    const answer = await leader.api.call('importPioreactor', { body: { folder: source.folder }, headers });
    answer.expect(403, 'import_folder_remote');
  });

  it('has no report under another name', async () => {
    (await leader.api.call('getImport', { params: { import_id: 'x' } })).expect(404, 'import_not_found');
    (await leader.api.call('getImportText', { params: { import_id: 'x' } })).expect(404, 'import_not_found');
  });
});
