import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs, hourMs, minuteMs } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { exporting } from './exporting.ts';

// The same rows in a store of each engine: what the routes of datasets answer must be equal, byte for byte.

const startMs = Date.UTC(2026, 4, 2, 9, 14, 3, 120);
const experiments = ['süd, "7"', 'exp 2'];

type Value = string | number | null;

/** Rows of the store as units and people leave them, at times of their own. */
function fill(insert: (table: string, row: Readonly<Record<string, Value>>) => void, uids: readonly string[]): void {
  const [uid = '', other = ''] = uids;
  let at = startMs;
  const next = () => {
    at += 977;
    return at;
  };
  const series: readonly (readonly [string, string, string, string | null, number | null])[] = [
    [uid, 'rx01', 'od', '1', 90],
    [uid, 'rx01', 'od', '2', 135],
    [uid, 'rx02', 'od', '1', 90],
    [other, 'rx01', 'od', 'REF', null],
    [uid, 'rx01', 'raw_od', '1', 90],
    [uid, 'rx01', 'od_filtered', null, null],
    [uid, 'rx01', 'growth_rate', null, null],
    [uid, 'rx01', 'temperature', null, null],
    [uid, 'rx02', 'stirring_rpm', null, null],
    [uid, 'rx01', 'pwm_duty', '1', null],
    [uid, 'rx01', 'pwm_duty', '5', null],
    [other, 'rx01', 'liquid_volume', null, null],
    [uid, 'rx01', 'od_blank', '1', 90],
    [uid, 'rx01', 'od_conversion', '1', 90],
    [uid, 'rx01', 'od', null, null],
  ];
  for (const [index, [experiment_uid, unit, source, channel, angle]] of series.entries()) {
    const id = index + 1;
    insert('series', { id, experiment_uid, unit, source, channel, angle });
    for (let n = 0; n < 40; n += 1) {
      const moment = startMs + n * 30_000 + index;
      insert('samples', { series_id: id, at: moment, value: n % 7 === 0 ? n : Math.sin(n + index) / 3 });
    }
  }
  for (const [n, flags] of [1, 5, 8192, 16383].entries())
    insert('sample_flags', { series_id: 1, at: startMs + n * 30_000, flags, moved_from: null });
  let mono = 0;
  const event = (name: string, data: object, experiment_uid = uid, source: string | null = null) => {
    mono += 1;
    const text = JSON.stringify(data);
    const whose = { experiment_uid, reactor_unit: mono % 2 === 0 ? 'rx02' : 'rx01', machine_id: 'm', boot: 1, mono };
    insert('events', { ...whose, at: next(), name, source, message: `m ${mono}`, data: text });
  };
  for (const volume of [1, 0.5, 0.30000000000000004, -2])
    event('dosing', { event: 'add_media', volume_change_ml: volume }, uid, 'by "hand"');
  event('dosing', { event: 'remove_waste', volume_change_ml: 1.5, correction: { reason: 'missing' } });
  event('dosing', { event: 'add_alt_media', volume_change_ml: 1 }, other);
  for (const intensity of [0, 12, 33.3]) event('led_change', { channel: 'B', intensity });
  for (const kind of ['dosing', 'led', 'temperature']) {
    event('automation', { kind, event_name: 'changed', data: { z: 1, a: [1, 'ä', null], n: 1.5 } });
    const interval = { kind, automation_name: 'x', settings: { z: 30, a: 'ü' } };
    event('automation_settings', { ...interval, started_at: startMs, ended_at: null });
    mono += 1;
    event('automation_settings', { ...interval, started_at: startMs, ended_at: startMs + 5_000 });
    event('automation_settings', { ...interval, started_at: startMs + 5_000, ended_at: null });
  }
  event('node_started', { clean: true, last_record_at: startMs - 5 }, '$experiment');
  event('node_started', { clean: false, last_record_at: null }, '$experiment');
  insert('gaps', {
    reactor_unit: 'rx01',
    epoch: 'e',
    from_seq: 5,
    to_seq: 9,
    from_at: null,
    to_at: next(),
    dropped: '{"sample":5}',
    reason: 'disk_full',
  });
  const config = '[mqtt]\r\n Password : geheim\r\n   geheim\r\nother = 1\napi_key=\n\tgeheim\n\n; token = x\nend = 2\n';
  for (const data of [config, '', 'a\n', 'password=1'])
    insert('config_histories', { at: next(), filename: 'c.ini', data });
  insert('calibrations', {
    reactor_unit: 'rx01',
    device: 'od90',
    type: 'od',
    name: 'c',
    created_at: next(),
    data: '{"x":[1,2]}',
    is_current: 1,
    set_to_current_at: null,
    copied_at: next(),
  });
  insert('assignment_history', {
    reactor_unit: 'rx01',
    experiment_id: 2,
    experiment: 'exp 2',
    assigned_at: next(),
    unassigned_at: null,
  });
}

const queries: Readonly<Record<string, string>> = {
  of_numbers:
    'SELECT count(*) AS n, 500.0 AS f, 1 = 1 AS yes, null AS z, round(avg(volume_change_ml), 6) as mean FROM dosing_events',
  of_groups:
    "select reactor_unit, substr(timestamp, 1, 13) as hour, max(od_reading) as Most, min(channel) as c, round(avg(od_reading), 3) as mean from od_readings where experiment like 'SÜD%' or experiment = 'exp 2' group by 1, 2 order by 1, 2",
  of_expressions:
    'with a as (select experiment, od_reading from main.od_readings where od_reading > 0.3) select experiment, count(*) as n, group_concat(distinct experiment) as names from a group by experiment order by n desc, experiment',
  of_nulls: 'select correction, event, volume_change_ml from dosing_events order by correction, timestamp desc',
  of_times:
    "select strftime('%Y-%m-%d %H:%M', timestamp) as t, round(julianday(timestamp) - 2461000, 6) as j, unixepoch(timestamp) as u, typeof(intensity) as k from led_change_events order by timestamp",
  of_windows:
    'select reactor_unit, row_number() over (partition by reactor_unit order by timestamp) as n, lag(volume_change_ml) over (partition by reactor_unit order by timestamp) as before from dosing_events order by 1, 2',
};

async function filled(engine: 'sqlite' | 'postgres'): Promise<LeaderUnderTest> {
  const leader = await startLeader({
    observe,
    engine,
    clock: new VirtualClock({ startMs: startMs + dayMs }),
  });
  for (const experiment of experiments) {
    await leader.clock.advance(1);
    await leader.client.createExperiment({ body: { experiment, tags: ['b', 'a'], description: 'ü' } });
  }
  const uids = leader.storedRows('experiments').map(({ uid }) => String(uid));
  await leader.editStore((database) => {
    // It has ports of each leader.
    database.prepare('delete from config_histories').run();
    fill((table, row) => {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      database.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(...Object.values(row));
    }, uids);
  });
  const folder = join(leader.dataFolder, 'exportable_datasets');
  await mkdir(folder);
  for (const [name, query] of Object.entries(queries))
    await writeFile(
      join(folder, `${name}.yaml`),
      `dataset_name: ${name}\ndisplay_name: ${name}\ndescription: null\nhas_experiment: false\nhas_unit: false\ndefault_order_by: null\nquery: >-\n  ${query}\n`,
    );
  return leader;
}

/** Names of files have the moment of the export. */
const withoutMoment = (text: string): string => text.replaceAll(/\d{14}/g, 'moment');

describe.skipIf(!isPostgresInstalled)('a store in SQLite and one in PostgreSQL', () => {
  let onSqlite: LeaderUnderTest;
  let onPostgres: LeaderUnderTest;
  beforeAll(async () => {
    onSqlite = await filled('sqlite');
    onPostgres = await filled('postgres');
  });
  afterAll(async () => {
    await onSqlite[Symbol.asyncDispose]();
    await onPostgres[Symbol.asyncDispose]();
  });

  /** What each answers; equal, and returned once. */
  const both = async <Result>(ask: (leader: LeaderUnderTest) => Promise<Result>): Promise<Result> => {
    const answer = await ask(onSqlite);
    expect(await ask(onPostgres)).toEqual(answer);
    return answer;
  };

  it.each(['od_readings', 'gaps', 'reactor_unit_activity_data_rollup', ...Object.keys(queries)])(
    'show the same preview of %s',
    async (target_dataset) => {
      const rows = await both((leader) =>
        leader.client.previewExportableDataset({
          params: { target_dataset },
          query: { n_rows: 100, newest_first: true },
        }),
      );
      expect(rows.length).toBeGreaterThan(0);
    },
  );

  it.each(['csv', 'parquet'])('export the same bytes as %s', async (format) => {
    const files = await both(async (leader) => {
      // Fits take seconds; run capsules have them, too.
      const names = (await leader.client.listExportableDatasets())
        .map(({ dataset_name }) => dataset_name)
        .filter((name) => name !== 'growth_curve_fits');
      const { exported, downloaded } = exporting(() => leader);
      const window = {
        start_time: new Date(startMs - hourMs).toISOString(),
        end_time: new Date(startMs + 30 * minuteMs).toISOString(),
      };
      const of = async (changes: object) =>
        [...(await downloaded((await exported({ datasets: names, format, ...changes })).filename))].map(
          ([name, text]) => [withoutMoment(name), withoutMoment(text)] as const,
        );
      return [
        ...(await of({ experiment: experiments[0], ...window })),
        ...(await of({ experiment: 'exp 2', partition_by_unit: true })),
      ];
    });
    expect(files.length).toBeGreaterThan(100);
  });

  it('make the same run capsules', async () => {
    const files = await both(async (leader) => {
      const params = { experiment: experiments[0] ?? '' };
      const accepted = (await leader.api.call('makeCapsule', { params, body: {} })).expect(202);
      const made = await leader.finished(accepted);
      if (made.status !== 'succeeded') throw new Error(`${made.error} ${made.cause}`);
      const filename = String(Reflect.get(Object(made.result), 'filename'));
      const uid = String(leader.storedRows('experiments')[0]?.uid);
      return [...(await exporting(() => leader).downloaded(filename))]
        .filter(([name]) => name.startsWith('data/') || name.startsWith('results/') || name === 'provenance.json')
        .map(([name, text]) => [name, text.replaceAll(uid, 'uid')] as const);
    });
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['data/events.jsonl', 'data/samples.parquet']));
  });

  it('estimate the same rows and bytes', async () => {
    const sizes = await both(async (leader) => {
      const datasets = (await leader.client.listExportableDatasets()).map(({ dataset_name }) => dataset_name).join(',');
      const { available_bytes: _, ...estimate } = await leader.client.estimateExport({
        query: { datasets, experiment: experiments[0] ?? '' },
      });
      // Rows of the same time may come in another order, which compresses in another way.
      return { rows: estimate.rows, datasets: estimate.datasets.map(({ zip_bytes: _zip, ...dataset }) => dataset) };
    });
    expect(sizes.rows).toBeGreaterThan(100);
  });
});
