import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportFormat } from '@lcs/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInDatasets } from '../datasets/built-in-datasets.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { startMs, type TestDatasetStore, testDatasetStore } from '../testing/test-dataset-store.ts';
import { estimateExport } from './estimate-export.ts';
import { writeExport } from './write-export.ts';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const hours = 6;
const experiment = 'exp 1';

let folder: string;
let store: TestDatasetStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-estimate-'));
  store = await testDatasetStore();
  fill();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Two units, six hours: optical densities each 5 s, with a filtered value at the same moment, and a temperature each minute. */
function fill(): void {
  store.addExperiment(experiment, startMs);
  for (const unit of ['rx01', 'rx02']) {
    const each = (everyMs: number, value: (at: number) => number) =>
      Array.from({ length: (hours * hourMs) / everyMs }, (_, index) => {
        const at = startMs + index * everyMs;
        return [at, value(at)] as const;
      });
    store.addSamples(
      [experiment, unit, 'od', '1', 90],
      each(5 * secondMs, (at) => Math.sin(at) ** 2),
    );
    store.addSamples(
      [experiment, unit, 'od_filtered'],
      each(5 * secondMs, (at) => Math.cos(at) ** 2),
    );
    store.addSamples(
      [experiment, unit, 'temperature'],
      each(60 * secondMs, (at) => 30 + Math.sin(at)),
    );
    store.addEvents(
      experiment,
      each(8 * secondMs, () => 0.5).map(([at, volume_change_ml]) => ({
        unit,
        name: 'dosing',
        at,
        source: 'dosing_automation:turbidostat',
        data: { event: 'add_media', volume_change_ml },
      })),
    );
    store.addEvents(
      experiment,
      each(60 * secondMs, () => 0).map(([at], index) => ({
        unit,
        name: 'automation',
        at,
        data: { kind: index % 3 === 0 ? 'led' : 'dosing', event_name: 'changed', data: null },
      })),
    );
  }
  store.database.exec(`insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
    select e.id, e.name, v.reactor_unit, v.at, iif(v.id % 2, 'INFO', 'ERROR'), 'grows', 'app', 'a'
    from events v join experiments e on e.uid = v.experiment_uid where v.name = 'dosing'`);
  for (const [table, bucket] of [
    ['rollup_1m', 60_000],
    ['rollup_1h', 3_600_000],
  ] as const) {
    store.database.exec(
      `insert into ${table} select series_id, at / ${bucket} * ${bucket}, count(*), sum(value), min(value), min(at), max(value), max(at),
        min(at), min(value), max(at), max(value) from samples group by 1, 2`,
    );
  }
}

const named = (name: string): Dataset => {
  const found = builtInDatasets.find(({ descriptor }) => descriptor.dataset_name === name);
  if (!found) throw new Error(`no dataset ${name}`);
  return found;
};

interface Window {
  readonly fromMs?: number;
  readonly toMs?: number;
}

const estimate = (
  datasets: readonly Dataset[],
  { format = 'csv', ...window }: Window & { format?: ExportFormat } = {},
) =>
  estimateExport(
    { datasets, experiment, format, ...window },
    { connection: store.connect(), monotonicMs: () => performance.now(), onEstimate: () => {} },
  );

/** What the export has. */
async function written(dataset: Dataset, format: ExportFormat, window: Window) {
  const path = join(folder, `.export_${dataset.descriptor.dataset_name}.zip.tmp`);
  const { rowCount } = await writeExport(
    {
      path,
      format,
      datasets: [dataset],
      selected: [],
      skipped: [],
      experiments: [experiment],
      ...window,
      byUnit: false,
      byExperiment: true,
      nowMs: startMs,
      appVersion: '1',
      limits: { minFreeDiskBytes: 0, minFreeMemoryBytes: 0, maxWalBytes: 1e12, maxQueryRows: 1e9, maxQueryMs: 1e9 },
    },
    {
      connection: store.connect(),
      databasePath: store.path,
      monotonicMs: () => performance.now(),
      resources: { freeDisk: () => 1e12, freeMemory: () => 1e12, size: () => 0 },
      progress: () => {},
    },
  );
  return { rows: rowCount, zipBytes: (await stat(path)).size };
}

const relative = (estimated: number | null | undefined, actual: number): number =>
  Math.abs((estimated ?? 0) / actual - 1);

describe('the estimated size of an export', () => {
  it.each([
    ['od_readings', 'csv', {}],
    ['od_readings', 'parquet', {}],
    ['reactor_unit_activity_data', 'csv', {}],
    ['reactor_unit_activity_data_rollup', 'csv', {}],
    ['dosing_events', 'csv', {}],
    ['od_readings', 'csv', { fromMs: startMs + hourMs, toMs: startMs + 2 * hourMs }],
    ['dosing_events', 'csv', { fromMs: startMs + hourMs }],
  ] as const)('of %s as %s in %j is close to what is written', async (name, format, window) => {
    const dataset = named(name);
    const [estimated] = estimate([dataset], { format, ...window });
    const actual = await written(dataset, format, window);
    expect(relative(estimated?.rows, actual.rows)).toBeLessThan(0.05);
    expect(relative(estimated?.zip_bytes, actual.zipBytes)).toBeLessThan(0.25);
    expect(estimated?.bytes ?? 0).toBeGreaterThanOrEqual(estimated?.zip_bytes ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    { fromMs: startMs + hourMs, toMs: startMs + 5 * hourMs },
    { fromMs: startMs + 5.9 * hourMs },
    { toMs: startMs - 1 },
  ])('of events has their exact number in %j', async (window) => {
    for (const dataset of ['dosing_events', 'led_automation_events', 'logs'].map(named)) {
      const [estimated] = estimate([dataset], window);
      expect([dataset.descriptor.dataset_name, estimated?.rows]).toEqual([
        dataset.descriptor.dataset_name,
        (await written(dataset, 'csv', window)).rows,
      ]);
    }
  });

  it('of few rows is their number, and of no rows the head of the file', () => {
    expect(estimate([named('experiments')])).toMatchObject([{ dataset_name: 'experiments', rows: 1 }]);
    const [none] = estimate([named('gaps')]);
    expect(none).toMatchObject({ rows: 0, bytes: expect.any(Number) });
  });

  it('omits a query that cannot be read, and those after one that took too long', () => {
    const od = named('od_readings');
    const lost: Dataset = {
      ...od,
      descriptor: { ...od.descriptor, dataset_name: 'lost', table: null, query: 'select * from nowhere' },
      columns: undefined,
      reader: { is: 'sql' },
      isForeign: true,
    };
    const unknown = { rows: null, bytes: null, zip_bytes: null };
    expect(estimate([lost, named('experiments')])).toMatchObject([unknown, { rows: 1 }]);
    let ms = 0;
    const slow = estimateExport(
      { datasets: [named('experiments'), od], experiment, format: 'csv' },
      {
        connection: store.connect(),
        onEstimate: () => {},
        monotonicMs: () => {
          ms += 3_000;
          return ms;
        },
      },
    );
    expect(slow).toMatchObject([{ rows: 1 }, { dataset_name: 'od_readings', ...unknown }]);
  });
});
