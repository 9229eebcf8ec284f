import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromBuffer } from 'yauzl';
import { builtInDatasets } from '../datasets/built-in-datasets.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { startMs, type TestDatasetStore, testDatasetStore } from '../testing/test-dataset-store.ts';
import type { ExportOrder } from './export-protocol.ts';
import { DatasetUnreadable } from './refused-dataset.ts';
import { type HostResources, InsufficientResources } from './resource-limits.ts';
import { writeExport } from './write-export.ts';

let folder: string;
let store: TestDatasetStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-export-'));
  store = await testDatasetStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const named = (...names: string[]): Dataset[] =>
  names.flatMap((name) => builtInDatasets.filter(({ descriptor }) => descriptor.dataset_name === name));

const plenty: HostResources = { freeDisk: () => 1e12, freeMemory: () => 1e12, size: () => 0 };
const limits = {
  minFreeDiskBytes: 64e6,
  minFreeMemoryBytes: 120e6,
  maxWalBytes: 512e6,
  maxQueryRows: 1e6,
  maxQueryMs: 60_000,
};

const order = (changes: Partial<ExportOrder> = {}): ExportOrder => ({
  path: join(folder, '.export_x.zip.tmp'),
  format: 'csv',
  datasets: named('od_readings'),
  selected: ['od_readings'],
  skipped: [],
  experiments: ['exp 1'],
  byUnit: false,
  byExperiment: true,
  nowMs: Date.UTC(2026, 10, 21, 4, 49, 24, 219),
  timeZone: 'Europe/Berlin',
  appVersion: '26.7.2',
  limits,
  ...changes,
});

const write = (changes: Partial<ExportOrder> = {}, resources: HostResources = plenty) => {
  let ms = 0;
  const monotonicMs = () => {
    ms += 1_000;
    return ms;
  };
  const told: (readonly [number, string])[] = [];
  const progress = (fraction: number, message: string) => told.push([fraction, message]);
  const tools = {
    connection: store.connect(),
    databasePath: store.path,
    resources,
    monotonicMs,
    progress,
  };
  return { told, done: writeExport(order(changes), tools) };
};

interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** The entries of a zip file, in their order. */
async function entriesOf(path: string): Promise<Entry[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry[]>();
  const entries: Entry[] = [];
  fromBuffer(await readFile(path), { lazyEntries: true }, (failure, zip) => {
    if (failure) return reject(failure);
    zip.on('entry', (entry) => {
      const mode = entry.externalFileAttributes >>> 16;
      if (entry.fileName.endsWith('/')) {
        entries.push({ name: entry.fileName, bytes: Buffer.alloc(0), mode });
        return zip.readEntry();
      }
      zip.openReadStream(entry, (unreadable, stream) => {
        if (unreadable) return reject(unreadable);
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          entries.push({ name: entry.fileName, bytes: Buffer.concat(chunks), mode });
          zip.readEntry();
        });
      });
    });
    zip.on('end', () => resolve(entries));
    zip.readEntry();
  });
  return promise;
}

const jsonOf = (entry: Entry | undefined): unknown => JSON.parse(String(entry?.bytes));

const fill = () => {
  store.addExperiment('exp 1', startMs - 3_600_000 - 500);
  store.addExperiment('other', startMs);
  store.addSamples(['exp 1', 'rx02', 'od', '1', 90], [[startMs, 0.5]]);
  store.addSamples(
    ['exp 1', 'rx01', 'od', '2', 135],
    [
      [startMs, 500],
      [startMs + 5_000, 1 / 3],
    ],
  );
  store.addSamples(['other', 'rx09', 'od', '1', 90], [[startMs, 9]]);
};

const rowsOfFill = [
  'exp 1,rx01,2026-05-02T09:14:03.120Z,500.0,135,2,2026-05-02 11:14:03.120,1.000277777778',
  'exp 1,rx02,2026-05-02T09:14:03.120Z,0.5,90,1,2026-05-02 11:14:03.120,1.000277777778',
  'exp 1,rx01,2026-05-02T09:14:08.120Z,0.333333333333,135,2,2026-05-02 11:14:08.120,1.001666666667',
];
const header =
  'experiment,reactor_unit,timestamp,od_reading,angle,channel,timestamp_localtime,hours_since_experiment_created';
const csv = (...rows: string[]) => `${[header, ...rows].join('\r\n')}\r\n`;

describe('an export', () => {
  it('is a zip with folder, schema and data of each dataset and the manifest at its end', async () => {
    fill();
    const { done } = write();
    const file = await done;
    const entries = await entriesOf(order().path);
    const dataName = 'od_readings/od_readings-exp_1-all_units-20261121054924.csv';
    expect(entries.map(({ name }) => name)).toEqual([
      'od_readings/',
      'od_readings/schema.json',
      dataName,
      'provenance.json',
      'manifest.json',
    ]);
    expect(entries.map(({ mode }) => mode & 0o777)).toEqual([0o755, 0o644, 0o644, 0o644, 0o644]);
    const [, schema, data, provenance, manifest] = entries;
    expect(String(data?.bytes)).toBe(csv(...rowsOfFill));
    const whole = await readFile(order().path);
    expect(file).toEqual({
      bytes: whole.length,
      sha256: createHash('sha256').update(whole).digest('hex'),
      rowCount: 3,
      skipped: [],
    });
    expect(jsonOf(manifest)).toEqual({
      schema_version: 1,
      app_version: '26.7.2',
      provenance_path: 'provenance.json',
      export_created_at: '2026-11-21T04:49:24.219Z',
      timezone: 'Europe/Berlin',
      format: 'csv',
      filters: {
        experiment: 'exp 1',
        start_time: null,
        end_time: null,
        partition_by_unit: false,
        partition_by_experiment: true,
      },
      selected_datasets: ['od_readings'],
      skipped: [],
      datasets: [
        {
          dataset_name: 'od_readings',
          display_name: 'Optical density',
          schema_path: 'od_readings/schema.json',
          csv_paths: [dataName],
          csv_files: [
            {
              path: dataName,
              row_count: 3,
              bytes: data?.bytes.length,
              sha256: createHash('sha256')
                .update(data?.bytes ?? '')
                .digest('hex'),
              partition: { experiment: 'exp 1', reactor_unit: 'all_units' },
              data_start: '2026-05-02T09:14:03.120Z',
              data_end: '2026-05-02T09:14:08.120Z',
            },
          ],
          row_count: 3,
          partition_values: { experiments: ['exp 1'], reactor_units: [] },
        },
      ],
    });
    expect(jsonOf(provenance)).toMatchObject({
      software_version: '26.7.2',
      series: [
        { experiment: 'exp 1', reactor_unit: 'rx01', source: 'od', channel: '2', derivation: null },
        { experiment: 'exp 1', reactor_unit: 'rx02', source: 'od', channel: '1' },
      ],
    });
    expect(jsonOf(schema)).toMatchObject({
      schema_version: 1,
      dataset_name: 'od_readings',
      table: 'od_readings',
      query: null,
      default_order_by: 'timestamp',
      timestamp_columns: ['timestamp'],
      entity_columns: ['experiment', 'reactor_unit'],
      generated_columns: ['timestamp_localtime', 'hours_since_experiment_created'],
    });
    expect(jsonOf(schema)).toMatchObject({
      columns: expect.arrayContaining([
        expect.objectContaining({ name: 'od_reading', generated: false, unit: 'OD or AU' }),
        expect.objectContaining({ name: 'timestamp_localtime', generated: true }),
        expect.objectContaining({ name: 'hours_since_experiment_created', generated: true, unit: 'h' }),
      ]),
    });
    const manifestText = String(manifest?.bytes);
    expect(manifestText.indexOf('"app_version"')).toBeLessThan(manifestText.indexOf('"datasets"'));
    expect(manifestText).toContain('\n  "app_version"');
  });

  it('has a file per unit, and one with the header alone if there are no rows', async () => {
    fill();
    await write({ byUnit: true, byExperiment: false, datasets: named('od_readings', 'growth_rates') }).done;
    const entries = await entriesOf(order().path);
    const texts = new Map(entries.map(({ name, bytes }) => [name, String(bytes)]));
    const [both1 = '', of2 = '', both2 = ''] = rowsOfFill;
    expect(texts.get('od_readings/od_readings-all_experiments-rx01-20261121054924.csv')).toBe(csv(both1, both2));
    expect(texts.get('od_readings/od_readings-all_experiments-rx02-20261121054924.csv')).toBe(csv(of2));
    expect(texts.get('growth_rates/growth_rates-all_experiments-all_units-20261121054924.csv')).toBe(
      'experiment,reactor_unit,timestamp,rate,timestamp_localtime,hours_since_experiment_created\r\n',
    );
    expect(jsonOf(entries.at(-1))).toMatchObject({
      datasets: [
        { row_count: 3, partition_values: { experiments: [], reactor_units: ['rx01', 'rx02'] } },
        { row_count: 0, partition_values: { experiments: [], reactor_units: [] } },
      ],
    });
  });

  it('contains its time window, or all experiments on request', async () => {
    fill();
    await write({ fromMs: startMs, toMs: startMs, experiments: undefined, byExperiment: true }).done;
    const entries = await entriesOf(order().path);
    expect(
      entries.flatMap(({ name, bytes }) => (name.endsWith('csv') ? [String(bytes).split('\r\n').length - 2] : [])),
    ).toEqual([2, 1]);
    expect(jsonOf(entries.at(-1))).toMatchObject({
      filters: { experiment: null, start_time: '2026-05-02T09:14:03.120Z', end_time: '2026-05-02T09:14:03.120Z' },
      datasets: [{ partition_values: { experiments: ['exp 1', 'other'] } }],
    });
  });

  it('has whole bytes of many rows', async () => {
    store.addExperiment('exp 1', startMs);
    const samples = Array.from({ length: 30_000 }, (_, index) => [startMs + index * 5_000, index / 7] as const);
    store.addSamples(['exp 1', 'rx01', 'od', '1', 90], samples);
    store.addSamples(['exp 1', 'rx02', 'od', '1', 90], samples.slice(0, 10));
    const { told, done } = write();
    expect(await done).toMatchObject({ rowCount: 30_010 });
    const [, , data] = await entriesOf(order().path);
    const lines = String(data?.bytes).split('\r\n');
    expect(lines.length).toBe(30_012);
    expect(lines.at(-2)).toContain(`,${realOf(29_999)},`);
    expect(told.length).toBeGreaterThan(5);
  });

  it('is Parquet on request: numbers, times and nulls as such', async () => {
    fill();
    store.database
      .prepare(
        `insert into calibrations (reactor_unit, device, name, type, created_at, data, is_current, copied_at)
        values ('rx01', 'od90', 'c1', 'od', ?, '{}', 1, ?)`,
      )
      .run(startMs, startMs + 60_000);
    const mine: Dataset = {
      descriptor: {
        ...(named('experiments')[0]?.descriptor ?? expect.fail()),
        dataset_name: 'mine',
        table: null,
        default_order_by: '',
        timestamp_columns: [],
        query: "select 1 as n, 2.0 as f, 'x' as t, null as z union all select 2, 2.5, 7, null",
      },
      columns: undefined,
      reader: { is: 'sql' },
      isForeign: true,
    };
    await write({ format: 'parquet', datasets: [...named('od_readings', 'calibrations'), mine] }).done;
    const entries = await entriesOf(order().path);
    const files = entries.filter(({ name }) => name.endsWith('.parquet'));
    expect(files.map(({ name }) => name.split('/')[0])).toEqual(['od_readings', 'calibrations', 'mine']);
    const read = await Promise.all(
      files.map(({ bytes }) => parquetReadObjects({ file: new Uint8Array(bytes).buffer })),
    );
    expect(read[0]?.[0]).toEqual({
      experiment: 'exp 1',
      reactor_unit: 'rx01',
      timestamp: new Date(startMs),
      od_reading: 500,
      angle: 135n,
      channel: 2n,
      timestamp_localtime: '2026-05-02 11:14:03.120',
      hours_since_experiment_created: 3_601 / 3_600,
    });
    expect(read[0]).toHaveLength(3);
    expect(read[1]?.[0]).toMatchObject({
      reactor_unit: 'rx01',
      created_at: new Date(startMs),
      is_current: 1n,
      data: '{}',
      set_to_current_at: null,
      copied_at: '2026-05-02T09:15:03.120Z',
    });
    expect(read[2]).toEqual([
      { n: 1n, f: 2, t: 'x', z: null },
      { n: 2n, f: 2.5, t: '7', z: null },
    ]);
    expect(jsonOf(entries.at(-1))).toMatchObject({
      format: 'parquet',
      datasets: [{ parquet_files: [{ row_count: 3 }] }, {}, {}],
    });
  });
});

const realOf = (index: number): string => String(Number((index / 7).toFixed(12)));

describe('an export that cannot go on', () => {
  it.each([
    ['disk', { ...plenty, freeDisk: () => 10 * 1_048_576 }, { hasMb: 10, needsMb: 61 }],
    ['memory', { ...plenty, freeMemory: () => 50 * 1_048_576 }, { hasMb: 50, needsMb: 114 }],
    ['log', { ...plenty, size: () => 600 * 1_048_576 }, { hasMb: 600, needsMb: 488, isAtMost: true }],
  ] as const)('reports which limit is exceeded: %s', async (_, resources, params) => {
    fill();
    const failure = await write({}, resources).done.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InsufficientResources);
    expect(failure).toMatchObject({ params });
  });

  it('checks the limits while it reads', async () => {
    store.addExperiment('exp 1', startMs);
    const samples = Array.from({ length: 30_000 }, (_, index) => [startMs + index * 5_000, 1] as const);
    store.addSamples(['exp 1', 'rx01', 'od', '1', 90], samples);
    let looks = 0;
    const shrinking: HostResources = {
      ...plenty,
      freeMemory: () => {
        looks += 1;
        return looks > 4 ? 0 : 1e12;
      },
    };
    await expect(write({}, shrinking).done).rejects.toBeInstanceOf(InsufficientResources);
  });

  it.each([
    ['rows', { ...limits, maxQueryRows: 6_000 }, 'more than 6000 rows'],
    ['time', { ...limits, maxQueryMs: 500 }, 'takes longer'],
  ] as const)('ends a query of people that has no end: %s', async (_, narrow, reason) => {
    const digits = 'select 0 union all select 1 union all select 2 union all select 3 union all select 4';
    const query = `select 1 as n from ${'abcdef'
      .split('')
      .map((name) => `(${digits}) ${name}`)
      .join(', ')}`;
    const endless: Dataset = {
      descriptor: {
        ...(named('experiments')[0]?.descriptor ?? expect.fail()),
        dataset_name: 'endless',
        table: null,
        query,
        default_order_by: '',
        timestamp_columns: [],
      },
      columns: undefined,
      reader: { is: 'sql' },
      isForeign: true,
    };
    expect(await write({ datasets: [endless] }).done).toMatchObject({ rowCount: 5 ** 6 });
    await rm(order().path);
    const failure = await write({ datasets: [endless], limits: narrow }).done.catch((error: unknown) => error);
    expect(failure).toMatchObject({ refused: { dataset: 'endless', cause: expect.stringContaining(reason) } });
  });

  it('names the dataset that the database does not take', async () => {
    const missing: Dataset = {
      descriptor: {
        ...(named('pwm_dcs')[0]?.descriptor ?? expect.fail()),
        dataset_name: 'lost',
        table: 'no_such_table',
      },
      columns: undefined,
      reader: { is: 'sql' },
      isForeign: true,
      file: 'exportable_datasets/lost.yaml',
    };
    const failure = await write({ datasets: [missing] }).done.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatasetUnreadable);
    const cause = 'Its table or query is not valid: no such table: no_such_table.';
    expect(failure).toMatchObject({ refused: { dataset: 'lost', file: 'exportable_datasets/lost.yaml', cause } });
    await rm(order().path, { force: true });
    const skipped = [
      { dataset_name: 'lost', reason: `${cause} The dataset is described in exportable_datasets/lost.yaml.` },
    ];
    expect(await write({ datasets: [missing, ...named('experiments')] }).done).toMatchObject({ skipped });
    const entries = await entriesOf(order().path);
    expect(jsonOf(entries.at(-1))).toMatchObject({ skipped, datasets: [{ dataset_name: 'experiments' }] });
  });
});
