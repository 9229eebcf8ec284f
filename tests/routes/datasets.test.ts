import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { exporting, manifestOf } from './exporting.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'exp 1', tags: ['media: LB'] } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const { store, at, exported, downloaded } = exporting(() => leader);

describe('datasets that can be exported', () => {
  it('are the built-in ones in their order, each with all fields', async () => {
    const answer = await leader.api.call('listExportableDatasets');
    const list: unknown = answer.expect(200);
    expect(answer.headers.get('cache-control')).toBe('private, max-age=60');
    expect(list).toHaveLength(35);
    expect((await leader.client.listExportableDatasets()).slice(0, 25).map((one) => one.dataset_name)).toEqual([
      'reactor_unit_activity_data',
      'logs',
      'od_readings',
      'od_readings_filtered',
      'growth_rates',
      'liquid_volumes',
      'experiments',
      'dosing_events',
      'led_change_events',
      'dosing_automation_settings',
      'led_automation_settings',
      'temperature_automation_settings',
      'temperature_readings',
      'stirring_rates',
      'ir_led_intensities',
      'reactor_unit_labels',
      'temperature_automation_events',
      'dosing_automation_events',
      'led_automation_events',
      'reactor_unit_activity_data_rollup',
      'calibrations',
      'pwm_dcs',
      'raw_od_readings',
      'od_readings_fused',
      'alt_media_fractions',
    ]);
    expect((await leader.client.listExportableDatasets())[2]).toEqual({
      dataset_name: 'od_readings',
      display_name: 'Optical density',
      description: 'Optical density of each photodiode, calibrated where there is a calibration.',
      has_experiment: true,
      has_unit: true,
      default_order_by: 'timestamp',
      table: 'od_readings',
      query: null,
      source: 'app',
      timestamp_columns: ['timestamp'],
      always_partition_by_unit: false,
      column_descriptions: {
        experiment: 'Name of the experiment',
        reactor_unit: 'Name of the unit',
        timestamp: 'When it happened, UTC',
        od_reading: 'Optical density: OD when calibrated, otherwise the signal',
        angle: 'Angle between LED and photodiode',
        channel: 'Photodiode channel, 1 to 4',
        timestamp_localtime: 'timestamp in the time zone of the leader',
        hours_since_experiment_created: 'Time since the experiment was created',
      },
      column_units: { od_reading: 'OD or AU', angle: 'degrees', hours_since_experiment_created: 'h' },
    });
  });

  it('include those of files; an invalid file is omitted, and a plugin takes precedence', async () => {
    const dataset = (name: string, title: string) =>
      `dataset_name: ${name}\ndisplay_name: ${title}\ndescription: null\nhas_experiment: true\nhas_unit: true\ndefault_order_by: timestamp\ntimestamp_columns: [timestamp]\ncolour: red\n`;
    const [own, ofPlugins] = ['exportable_datasets', 'plugins/exportable_datasets'];
    for (const folder of [own, ofPlugins]) await mkdir(join(leader.dataFolder, folder), { recursive: true });
    const write = (path: string, text: string) => writeFile(join(leader.dataFolder, path), text);
    const query = 'query: SELECT experiment, reactor_unit, timestamp, 2 * od_reading AS twice FROM od_readings;\n';
    await write(`${own}/a.yaml`, dataset('mine', 'Mine') + query);
    await write(`${own}/bad.yaml`, `${dataset('bad', 'Bad')}query: DELETE FROM experiments\n`);
    await write(`${own}/broken.yml`, 'dataset_name: broken\n  display_name: [');
    await write(`${ofPlugins}/a.yaml`, `${dataset('mine', 'Of a plugin')}${query}source: my-plugin\n`);
    await write(`${ofPlugins}/b.yaml`, `${dataset('lost', 'Lost')}table: no_such_table\n`);
    const list = await leader.client.listExportableDatasets();
    expect(list.slice(35).map((one) => [one.dataset_name, one.display_name, one.source])).toEqual([
      ['mine', 'Of a plugin', 'my-plugin'],
      ['lost', 'Lost', 'app'],
    ]);
    await leader.client.listExportableDatasets();
    expect(leader.log.messages('error').filter((message) => message.includes('descriptor file'))).toHaveLength(2);
    expect(await leader.client.listDescriptorProblems()).toMatchObject([
      { kind: 'datasets', file: `${own}/bad.yaml`, line: 9, reason: 'The query is no SELECT.' },
      { kind: 'datasets', file: `${own}/broken.yml`, line: expect.any(Number) },
      { kind: 'datasets', file: `${ofPlugins}/b.yaml`, line: null, reason: expect.stringContaining('no_such_table') },
    ]);

    await store('rx01', 'od', [[0, 0.25]]);
    const preview = (target_dataset: string) =>
      leader.api.call('previewExportableDataset', { params: { target_dataset } });
    expect((await preview('mine')).expect(200)).toEqual([
      { experiment: 'exp 1', reactor_unit: 'rx01', timestamp: at(0), twice: 0.5 },
    ]);
    const cause = expect.stringMatching(/^Its table or query is not valid: .*no_such_table/);
    (await preview('lost')).expect(422, 'dataset_unreadable');
    expect((await preview('lost')).json).toMatchObject({
      error: "The dataset 'lost' cannot be read.",
      cause,
      remediation: expect.stringContaining(`${ofPlugins}/b.yaml`),
    });
    const alias = { params: { target_dataset: 'lost' } };
    (await leader.api.call('previewContribDataset', alias)).expect(422, 'dataset_unreadable');
    const refused = { experiment: 'exp 1', datasets: ['lost', 'nope'] };
    const body = { ...refused, partition_by_unit: false, partition_by_experiment: true };
    (await leader.api.call('exportDatasets', { body })).expect(422, 'dataset_unreadable');
    (await leader.api.call('exportDatasetsToUsb', { body })).expect(422, 'dataset_unreadable');
    (await leader.api.call('exportContribDatasets', { body })).expect(422, 'dataset_unreadable');
    expect((await exported({ datasets: ['lost', 'mine', 'nope'] })).skipped).toEqual(['nope', 'lost']);
    const files = await downloaded((await exported({ datasets: ['mine'] })).filename);
    const [name = ''] = [...files.keys()].filter((path) => path.endsWith('.csv'));
    expect(files.get(name)?.split('\r\n')[1]).toMatch(/^exp 1,rx01,[^,]+,0\.5,/);
  });
});

/** The clock of the computer, on which what may last ten seconds may last a tenth of one. */
function fastTimeoutClock(): Clock {
  const clock = realClock();
  return { ...clock, after: (delayMs, action) => clock.after(delayMs === 10_000 ? 100 : delayMs, action) };
}

describe('a preview', () => {
  it('of a query that takes too long is ended', async () => {
    // Only a thread can be cut short.
    const configure = { wire: fastTimeoutClock(), startDatasets: undefined };
    await using hasty = await startLeader({ observe, configure });
    // Some 4 million rows, counted: the database is busy for several times the limit.
    const pairs = Array.from({ length: 22 }, (_, index) => `(select 1 union all select 2) t${index}`).join(', ');
    const folder = join(hasty.dataFolder, 'exportable_datasets');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'slow.yaml'),
      `dataset_name: slow\ndisplay_name: Slow\ndescription: null\nhas_experiment: false\nhas_unit: false\ndefault_order_by: n\ntimestamp_columns: []\nquery: select count(*) as n from ${pairs}\n`,
    );
    const params = { target_dataset: 'slow' };
    const preview = await hasty.api.call('previewExportableDataset', { params });
    preview.expect(500, 'dataset_too_slow');
    (await hasty.api.call('previewContribDataset', { params })).expect(500, 'dataset_too_slow');
    (await hasty.api.call('createExperiment', { body: { experiment: 'exp 1' } })).expect(201);
    const query = { datasets: 'slow', experiment: 'exp 1' };
    (await hasty.api.call('estimateExport', { query })).expect(500, 'dataset_too_slow');
  });

  const preview = (query: Readonly<Record<string, string | number>> = {}, target_dataset = 'od_readings') =>
    leader.api.call('previewExportableDataset', { params: { target_dataset }, query });

  it('has a few stored rows, on request of one experiment and the newest first', async () => {
    await leader.client.createExperiment({ body: { experiment: 'other' } });
    await store(
      'rx01',
      'od',
      Array.from({ length: 8 }, (_, index) => [index * 5_000, index] as const),
    );
    await store('rx02', 'od', [[2_000, 20]], 'other');
    expect((await preview()).expect(200)).toHaveLength(5);
    expect((await preview({ n_rows: 100 })).expect(200)).toHaveLength(9);
    expect((await preview({ n_rows: 2, newest_first: 'true' })).expect(200)).toEqual([
      { experiment: 'exp 1', reactor_unit: 'rx01', timestamp: at(0), od_reading: 0, angle: 90, channel: 1 },
      { experiment: 'other', reactor_unit: 'rx02', timestamp: at(2_000), od_reading: 20, angle: 90, channel: 1 },
    ]);
    expect((await preview({ experiment: 'other' })).expect(200)).toHaveLength(1);
    expect((await preview({ experiment: 'nobody' })).expect(200)).toEqual([]);
    expect((await preview({}, 'pioreactor_unit_activity_data')).expect(200)).toHaveLength(5);
    expect((await preview({ experiment: 'exp 1' }, 'experiment_tags')).expect(200)).toMatchObject([
      { tag: 'media: LB' },
    ]);
  });

  it('has the stored gaps, on request newest first', async () => {
    await leader.editStore((database) => {
      const insert = database.prepare(
        `insert into gaps (reactor_unit, epoch, from_seq, to_seq, from_at, to_at, dropped, reason)
        values ('rx01', 'e', ?, ?, ?, ?, ?, ?)`,
      );
      insert.run(5, 9, Date.UTC(2026, 4, 2, 9), Date.UTC(2026, 4, 2, 9, 0, 5), '{"sample":5}', 'disk_full');
      insert.run(20, 20, null, Date.UTC(2026, 4, 2, 9, 1), '{}', 'unexplained');
      const start = database.prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
        values ('$experiment', 'rx02', ?, 'node_started', ?, 'm', ?, 1)`,
      );
      // The first start of all has nothing before it.
      start.run(Date.UTC(2026, 4, 2, 9, 2), JSON.stringify({ clean: true, last_record_at: null }), 1);
      const off = { clean: false, last_record_at: Date.UTC(2026, 4, 2, 9, 3) };
      start.run(Date.UTC(2026, 4, 2, 9, 4), JSON.stringify(off), 2);
      start.run(Date.UTC(2026, 4, 2, 9, 6), JSON.stringify({ clean: true, last_record_at: off.last_record_at }), 3);
    });
    const was = { reactor_unit: 'rx02', from_at: '2026-05-02T09:03:00.000Z', records: null, dropped: null };
    expect((await preview({ newest_first: 'true' }, 'gaps')).expect(200)).toEqual([
      { ...was, to_at: '2026-05-02T09:06:00.000Z', reason: 'unit_stopped' },
      { ...was, to_at: '2026-05-02T09:04:00.000Z', reason: 'unit_off' },
      {
        reactor_unit: 'rx01',
        from_at: null,
        to_at: '2026-05-02T09:01:00.000Z',
        reason: 'unexplained',
        records: 1,
        dropped: '{}',
      },
      {
        reactor_unit: 'rx01',
        from_at: '2026-05-02T09:00:00.000Z',
        to_at: '2026-05-02T09:00:05.000Z',
        reason: 'disk_full',
        records: 5,
        dropped: '{"sample":5}',
      },
    ]);
  });

  it('refuses other numbers of rows, and unknown datasets', async () => {
    for (const n_rows of [0, 101, 'many', -1, 1.5]) (await preview({ n_rows })).expect(400, 'invalid_query');
    (await preview({}, 'nothing')).expect(404, 'dataset_not_found');
  });
});

describe('the estimate of an export', () => {
  const estimate = (query: Readonly<Record<string, string>> = {}) =>
    leader.api.call('estimateExport', {
      query: { datasets: 'od_readings,experiments', experiment: 'exp 1', ...query },
    });

  it('has rows and bytes of each dataset, their sums, and the space for them', async () => {
    await store(
      'rx01',
      'od',
      Array.from({ length: 8 }, (_, index) => [index * 5_000, index] as const),
    );
    const answer = (await estimate()).expect(200);
    expect(answer).toMatchObject({
      datasets: [
        { dataset_name: 'od_readings', rows: 8 },
        { dataset_name: 'experiments', rows: 1 },
      ],
      rows: 9,
    });
    const window = { start_time: at(20_000), end_time: at(5_000) };
    expect((await estimate(window)).expect(200)).toMatchObject({ datasets: [{ rows: 4 }, { rows: 0 }] });
    expect((await estimate({ datasets: 'nothing, od_readings', format: 'parquet' })).expect(200)).toMatchObject({
      datasets: [{ dataset_name: 'od_readings', rows: 8 }],
      available_bytes: expect.any(Number),
    });
  });

  it('is refused without a dataset, and for a window that is none', async () => {
    (await estimate({ datasets: 'nothing' })).expect(400, 'datasets_unknown');
    (await estimate({ experiment: 'nowhere' })).expect(404, 'experiment_not_found');
    (await estimate({ start_time: 'yesterday' })).expect(400, 'export_time_invalid');
    (await estimate({ start_time: at(0), end_time: at(5_000) })).expect(400, 'export_window_reversed');
    (await estimate({ format: 'xlsx' })).expect(400, 'invalid_query');
  });
});

describe('older names of these routes', () => {
  const oldExport = (body: object) =>
    leader.api.call('exportContribDatasets', {
      body: { datasets: ['od_readings'], partition_by_unit: false, partition_by_experiment: true, ...body },
    });

  it('answer like the newer ones, with a deprecation header', async () => {
    const list = await leader.api.call('listContribDatasets');
    expect(list.expect(200)).toEqual((await leader.api.call('listExportableDatasets')).json);
    expect(list.headers.get('deprecation')).toBe('true');
    await store('rx01', 'od', [[0, 1]]);
    const preview = (target_dataset: string, n_rows = 5) =>
      leader.api.call('previewContribDataset', { params: { target_dataset }, query: { n_rows } });
    expect((await preview('od_readings')).expect(200)).toHaveLength(1);
    (await preview('od_readings', 0)).expect(400, 'invalid_query');
    (await preview('nope')).expect(404, 'dataset_not_found');
  });

  it('export while the caller waits: one experiment, several, or all', async () => {
    await leader.client.createExperiment({ body: { experiment: 'other' } });
    await leader.client.createExperiment({ body: { experiment: 'third' } });
    for (const experiment of ['exp 1', 'other', 'third']) await store('rx01', 'od', [[0, 1]], experiment);
    const rows = async (body: object) => {
      const answer: unknown = (await oldExport(body)).expect(200);
      expect(answer).toMatchObject({
        result: true,
        filename: expect.stringMatching(/^export_.*\.zip$/),
        msg: 'Finished',
      });
      const [filename = ''] = JSON.stringify(answer).match(/export_\w+\.zip/) ?? [];
      return manifestOf(await downloaded(filename));
    };
    expect(await rows({ experiment: 'other' })).toMatchObject({ datasets: [{ row_count: 1 }] });
    expect(await rows({ experiments: ['exp 1', 'third'] })).toMatchObject({
      filters: { experiments: ['exp 1', 'third'] },
      datasets: [{ row_count: 2, partition_values: { experiments: ['exp 1', 'third'] } }],
    });
    expect(await rows({ experiments: ['<All experiments>'] })).toMatchObject({ datasets: [{ row_count: 3 }] });
    (await oldExport({ datasets: [] })).expect(400, 'datasets_unknown');
    (await oldExport({ experiment: 'other', end_time: 'x' })).expect(400, 'export_time_invalid');
  });

  it('report a failed export', async () => {
    const code = `${await leader.client.getSharedConfig()}\n[export]\nmin_free_memory_mb=999999999\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    (await oldExport({ experiment: 'exp 1' })).expect(500, 'export_failed');
  });
});
