import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'a' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const hourMs = 3_600_000;

type Line = readonly [unit: string, source: string, channel: string | null];

/** Stores readings as if a unit had sent them: `[ms before now, value]`. */
function store(
  readings: readonly (readonly [Line, ...(readonly [number, number])[]])[],
  experiment = 'a',
): Promise<void> {
  return leader.editStore((database) => {
    const { uid } = database.prepare('select uid from experiments where name = ?').get(experiment) ?? {
      uid: experiment,
    };
    for (const [[unit, source, channel], ...points] of readings) {
      const { id } =
        database
          .prepare('insert into series (experiment_uid, unit, source, channel) values (?, ?, ?, ?) returning id')
          .get(String(uid), unit, source, channel) ?? {};
      const insert = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
      for (const [agoMs, value] of points) insert.run(Number(id), leader.clock.now() - agoMs, value);
    }
  });
}

const at = (agoMs: number) => new Date(leader.clock.now() - agoMs).toISOString();

const fixed = [
  ['getGrowthRates', 'getWorkerGrowthRates', 'growth_rate', false, 0.123454, 0.12345],
  ['getTemperatureReadings', 'getWorkerTemperatureReadings', 'temperature', false, 30.125, 30.13],
  ['getFilteredOdReadings', 'getWorkerFilteredOdReadings', 'od_filtered', false, 1.00000004, 1],
  ['getOdReadings', 'getWorkerOdReadings', 'od', true, 0.12345678, 0.1234568],
  ['getFusedOdReadings', 'getWorkerFusedOdReadings', 'od_fused', false, 0.5, 0.5],
  ['getRawOdReadings', 'getWorkerRawOdReadings', 'raw_od', true, 0.25, 0.25],
] as const;

describe.each(fixed)('%s and %s', (ofExperiment, ofWorker, source, byChannel, value, rounded) => {
  it('answer the readings of all units, and of one', async () => {
    const channel = byChannel ? '2' : null;
    await store([
      [
        ['rx02', source, channel],
        [1_000, value],
        [5 * hourMs, value],
      ],
      [
        ['rx01', source, channel],
        [0, value],
      ],
    ]);
    const label = (unit: string) => (byChannel ? `${unit}-2` : unit);
    const ofAll = await leader.api.call(ofExperiment, { params: { experiment: 'a' } });
    expect(ofAll.expect(200)).toEqual({
      series: [label('rx01'), label('rx02')],
      data: [[{ x: at(0), y: rounded }], [{ x: at(1_000), y: rounded }]],
    });
    expect(ofAll.headers.get('x-target-points')).toBe('720');
    expect(ofAll.headers.get('cache-control')).toBe('no-cache');
    const params = { experiment: 'a', reactor_unit: 'rx02' };
    const ofOne = await leader.api.call(ofWorker, { params, query: { lookback: 6 } });
    expect(ofOne.expect(200)).toMatchObject({ series: [label('rx02')], data: [[{ x: at(5 * hourMs) }, {}]] });
  });

  it('are empty for unknown names, and refuse invalid numbers', async () => {
    const params = { experiment: 'nobody', reactor_unit: '$broadcast' };
    for (const operation of [ofExperiment, ofWorker]) {
      expect((await leader.api.call(operation, { params })).expect(200)).toEqual({ series: [], data: [] });
      for (const query of [
        { lookback: -1 },
        { lookback: 'x' },
        { lookback: 'Infinity' },
        { target_points: 0 },
        { target_points: 1.5 },
        { until: 'yesterday' },
        { until: '2026-05-02T09:14:03' },
      ]) {
        (await leader.api.call(operation, { params, query })).expect(400, 'invalid_query');
      }
    }
  });
});

describe('a window that ends before now', () => {
  const params = { experiment: 'a' };
  const read = (query: { readonly until?: string; readonly lookback: number; readonly target_points?: number }) =>
    leader.client.getTemperatureReadings({ params, query });

  it('has its own readings and nothing else, whole or reduced', async () => {
    const every10s = Array.from({ length: 2000 }, (_, index): [number, number] => [index * 10_000, index % 7]);
    await store([[['rx01', 'temperature', null], ...every10s]]);
    const until = at(4 * hourMs);
    const whole = await read({ until, lookback: 0.25, target_points: 1000 });
    expect(whole.data[0]).toHaveLength(90);
    expect([whole.data[0]?.[0]?.x, whole.data[0]?.at(-1)?.x]).toEqual([at(4 * hourMs + 890_000), until]);
    const reduced = await read({ until, lookback: 0.25, target_points: 10 });
    expect(reduced.data[0]?.length).toBeLessThanOrEqual(10);
    expect(reduced.data[0]?.at(-1)?.x).toBe(until);
    expect(await read({ until: at(9 * hourMs), lookback: 1 })).toEqual({ series: [], data: [] });
  });

  it('keeps its answer while time goes on', async () => {
    await store([
      [
        ['rx01', 'temperature', null],
        [3_000_000, 30],
      ],
    ]);
    const query = { until: at(2_000_000), lookback: 1 };
    const before = await read(query);
    await leader.clock.advance(2 * hourMs);
    expect(await read(query)).toEqual(before);
    expect(before.data).toHaveLength(1);
    expect((await read({ lookback: 1 })).data).toHaveLength(0);
  });

  it('ends now when its end is in the future', async () => {
    await store([
      [
        ['rx01', 'temperature', null],
        [60_000, 30],
      ],
    ]);
    const query = { until: at(-hourMs), lookback: 0.5 };
    expect((await read(query)).data).toHaveLength(1);
    await leader.clock.advance(hourMs);
    expect((await read(query)).data).toHaveLength(0);
  });
});

describe('any column of a data source', () => {
  it('is answered like the fixed ones, for all units and for one', async () => {
    await store([
      [
        ['rx01', 'stirring_rpm', null],
        [0, 500.5],
      ],
      [
        ['rx02', 'pwm_duty', '3'],
        [0, 20],
      ],
      [
        ['rx02', 'pwm_duty', '4'],
        [0, 30],
      ],
    ]);
    const read = (data_source: string, column: string) =>
      leader.api.call('getTimeSeries', { params: { experiment: 'a', data_source, column } });
    expect((await read('stirring_rates', 'measured_rpm')).expect(200)).toEqual({
      series: ['rx01'],
      data: [[{ x: at(0), y: 500.5 }]],
    });
    expect((await read('pwm_dcs', 'channel_3')).expect(200)).toEqual({
      series: ['rx02'],
      data: [[{ x: at(0), y: 20 }]],
    });
    const params = { experiment: 'a', reactor_unit: 'rx01', data_source: 'pwm_dcs', column: 'channel_4' };
    expect((await leader.api.call('getWorkerTimeSeries', { params })).expect(200)).toEqual({ series: [], data: [] });
  });

  it('is refused for tables and columns without readings, for any name', async () => {
    for (const [data_source, column] of [
      ['experiments', 'created_at'],
      ['od_readings', 'channel_1'],
      ['constructor', 'name'],
      ['logs', 'level'],
      ["x'; drop table samples", 'a'],
    ] as const) {
      const params = { experiment: 'a', reactor_unit: 'rx01', data_source, column };
      for (const operation of ['getTimeSeries', 'getWorkerTimeSeries'] as const) {
        (await leader.api.call(operation, { params })).expect(400, 'data_source_unknown');
      }
    }
  });
});

describe('a page that asks again', () => {
  const url = () => `${leader.url}/api/experiments/a/time_series/od_readings`;

  it('receives 304 until something has changed', async () => {
    await store([
      [
        ['rx01', 'od', '1'],
        [1_000, 1],
        [2_000, 2],
      ],
    ]);
    const first = await fetch(url());
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await fetch(url(), { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    // Four hours later less two seconds the older reading leaves the window.
    await leader.clock.advance(4 * hourMs - 2_000);
    const later = await fetch(url(), { headers: { 'if-none-match': etag } });
    expect(later.status).toBe(200);
    expect(await later.json()).toMatchObject({ series: ['rx01-1'], data: [[{ y: 1 }]] });
  });

  it('receives the requested number of points, with the first and the last, and the allowed number', async () => {
    const points = Array.from({ length: 2_000 }, (_, index): [number, number] => [
      index * 1_000,
      index === 777 ? 9 : 0,
    ]);
    await store([[['rx01', 'od', '1'], ...points]]);
    const read = async (target_points: number) => {
      const answer = await leader.api.call('getOdReadings', { params: { experiment: 'a' }, query: { target_points } });
      const { data } = (await answer.json) as { data: { x: string; y: number }[][] };
      answer.expect(200);
      return { allowed: answer.headers.get('x-target-points'), points: data[0] ?? [] };
    };
    expect((await read(1)).points).toEqual([{ x: at(0), y: 0 }]);
    expect((await read(3)).points.map(({ x }) => x)).toEqual([at(1_999_000), at(0)]);
    expect((await read(20_000_000)).allowed).toBe('1000000');
    expect((await read(20_000_000)).points).toHaveLength(2_000);
  });
});

describe('reading sources', () => {
  it('are the quantities that jobs of the program record, each with unit, decimals and job', async () => {
    const sources = (await leader.api.call('listReadingSources')).expect(200);
    expect(sources).toContainEqual({
      name: 'temperature',
      label: 'Temperature',
      unit: '°C',
      decimals: 2,
      job: 'temperature_automation',
    });
    expect(sources).toContainEqual(expect.objectContaining({ name: 'media_bottle_left_ml', unit: 'mL', job: null }));
  });
});
