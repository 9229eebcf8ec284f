import type { LeaderNodeOptions } from '@lcs/cluster';
import { GrowthComparison, GrowthSummary, type UnitGrowth } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;
const saturated = 4;

let leader: LeaderUnderTest;
/** Writes readings as the leader writes those of units. */
let write: History['write'];
/** Each test has an experiment of its own. */
let name = '';
let experiment: { readonly experiment: string };
beforeAll(async () => {
  leader = await startLeader({
    observe,
    configure: {
      extend: ({ history }) => {
        write = history.write;
        return [];
      },
    },
  });
});
afterAll(() => leader[Symbol.asyncDispose]());
let tests = 0;
beforeEach(async () => {
  tests += 1;
  name = `a${tests}`;
  experiment = { experiment: name };
  await leader.client.createExperiment({ body: experiment });
});

const uidOf = (of: string): string => String(leader.storedRows('experiments').find((row) => row.name === of)?.uid);

interface Culture {
  readonly rate: number;
  readonly experiment?: string;
  readonly source?: string;
  /** Default: a calibration. Null: none, and no blank. */
  readonly calibrationName?: string | null;
  readonly hours?: number;
  /** ln OD at the start. */
  readonly startLevel?: number;
  /** Seconds between readings. Default: 240, since the cost of a fit grows with the third power of its points. */
  readonly everyS?: number;
  /** The OD read at a time, from the true one. */
  readonly read?: (od: number, index: number) => { value: number; flags?: number };
}

/** A logistic culture from ln OD −3 to OD 1. */
async function grown(unit: string, culture: Culture): Promise<void> {
  const { rate, hours = 12, everyS = 240, source = 'od', startLevel = -3, read = (value) => ({ value }) } = culture;
  const startMs = leader.clock.now() - hours * hourMs;
  const readings = Array.from({ length: (hours * 3600) / everyS }, (_, index) => {
    const at = startMs + 1000 * everyS * index;
    const level = startLevel + (rate * (at - startMs)) / hourMs;
    const od = 1 / (1 + Math.exp(-level));
    return { series: 0, at, ...read(od * (1 + 0.004 * Math.sin(7.3 * index)), index) };
  });
  const { calibrationName = 'od90' } = culture;
  const context = { calibrationName, calibrationHash: calibrationName === null ? null : '9f1c', irLedIntensity: 80 };
  const place = { unit, source, channel: '2', angle: 90, derivation: null, context };
  const series = [{ experimentUid: uidOf(culture.experiment ?? name), ...place }];
  await write({ series, readings, nowMs: leader.clock.now() });
}

type Query = Record<string, string | number | readonly string[]>;

const summaryOf = async (query: Query = {}) =>
  Value.Parse(GrowthSummary, (await leader.api.call('getGrowthSummary', { params: experiment, query })).expect(200));
const compare = async (query: Query) =>
  Value.Parse(GrowthComparison, (await leader.api.call('compareGrowth', { query })).expect(200));
const fitOf = (unit: UnitGrowth | undefined, name: string) => unit?.fits.find(({ fit }) => fit === name);

describe('the growth summary', () => {
  it('has no lag where a signal without calibration and blank begins near its background', async () => {
    const faint = { rate: 0.5, startLevel: -6 };
    await grown('rx01', { ...faint, calibrationName: null });
    await grown('rx02', { ...faint, calibrationName: 'od_blank' });
    await grown('rx03', { ...faint, calibrationName: null, startLevel: -3 });
    const { units } = await summaryOf();
    const lags = units.map((unit) => fitOf(unit, 'log_linear')?.missing.lag_h);
    expect(lags).toEqual(['start_near_background', undefined, undefined]);
    expect(units.map((unit) => fitOf(unit, 'log_linear')?.parameters.background_od)).toEqual([0.004, 0, 0.004]);
  });

  it('has four fits of each unit, and compares replicate groups', async () => {
    const rates = { rx01: 0.5, rx02: 0.53, rx03: 0.8, rx04: 0.84 };
    for (const [unit, rate] of Object.entries(rates)) await grown(unit, { rate });
    const groups = [
      { name: 'cold', units: ['rx01', 'rx02'] },
      { name: 'warm', units: ['rx03', 'rx04'] },
    ];
    (await leader.api.call('replaceReplicateGroups', { params: experiment, body: { groups } })).expect(200);
    const summary = await summaryOf();
    expect(summary.units.map(({ reactor_unit, group }) => [reactor_unit, group])).toEqual([
      ['rx01', 'cold'],
      ['rx02', 'cold'],
      ['rx03', 'warm'],
      ['rx04', 'warm'],
    ]);
    for (const [index, rate] of Object.values(rates).entries()) {
      const unit = summary.units[index];
      expect(unit).toMatchObject({ channel: '2', angle: 90, readings: 180, bin_s: 60, excluded: 0, doses: 0 });
      expect(unit?.calibrations).toEqual([{ name: 'od90', hash: '9f1c' }]);
      // The logistic curve is a Baranyi–Roberts curve without lag.
      const fit = fitOf(unit, 'baranyi_roberts');
      expect(fit?.mu_max?.value).toBeCloseTo(rate, 2);
      expect(fit?.carrying_capacity?.value).toBeCloseTo(1, 2);
      expect(fit?.doubling_time_h?.value).toBeCloseTo(Math.LN2 / (fit?.mu_max?.value ?? 0), 12);
      for (const name of ['log_linear', 'gompertz', 'gaussian_process'])
        expect(Math.abs((fitOf(unit, name)?.mu_max?.value ?? 0) - rate), name).toBeLessThan(0.15 * rate);
    }
    const [cold] = summary.groups;
    const [first, second] = summary.units.map((unit) => fitOf(unit, 'baranyi_roberts')?.mu_max?.value ?? 0);
    expect(cold).toMatchObject({ name: 'cold', units: ['rx01', 'rx02'] });
    const isRate = (one: { quantity: string; fit: string | null }) =>
      one.quantity === 'mu_max' && one.fit === 'baranyi_roberts';
    expect(cold?.statistics.find(isRate)).toMatchObject({ n: 2, mean: ((first ?? 0) + (second ?? 0)) / 2 });
    expect(summary.tests.filter(isRate)).toEqual([
      expect.objectContaining({ test: 'welch_t', groups: ['cold', 'warm'], p_adjusted: null }),
    ]);
    expect(summary.tests.find(isRate)?.p).toBeLessThan(0.01);
    expect(summary.fits.map(({ fit }) => fit)).toEqual([
      'log_linear',
      'gompertz',
      'baranyi_roberts',
      'gaussian_process',
    ]);
  });

  it('leaves out flagged readings, and counts those without a logarithm', async () => {
    await grown('rx01', {
      rate: 0.5,
      read: (od, index) => {
        if (index < 10) return { value: -0.01 };
        return index % 20 === 15 ? { value: 9, flags: saturated } : { value: od };
      },
    });
    const [unit] = (await summaryOf()).units;
    expect(unit).toMatchObject({ excluded: 9, readings: 171, not_positive: 10 });
    expect(unit?.highest_od).toBeLessThan(1.01);
    expect(fitOf(unit, 'baranyi_roberts')?.mu_max?.value).toBeCloseTo(0.5, 2);
    const [all] = (await summaryOf({ exclude_flags: ['bubbles'], least_od: 0.1 })).units;
    expect(all).toMatchObject({ excluded: 0 });
    expect(all?.highest_od).toBeGreaterThan(2);
    expect(all?.start_od).toBeGreaterThan(0.1);
  });

  it('takes doses of media out of the curve', async () => {
    const dilutedAt = 75;
    const half = (od: number, index: number) => ({ value: index > dilutedAt ? od / 2 : od });
    await grown('rx01', { rate: 0.5, read: half });
    const insert = `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
      values (?, 'rx01', ?, 'dosing', ?, 'm', 1, 1)`;
    const dose = { event: 'add_media', volume_change_ml: 15, volume_before_ml: 15 };
    const at = leader.clock.now() - 12 * hourMs + 240_000 * dilutedAt + 120_000;
    await leader.editStore((database) => database.prepare(insert).run(uidOf(name), at, JSON.stringify(dose)));
    const [unit] = (await summaryOf()).units;
    expect(unit).toMatchObject({ doses: 1, added_ml: 15 });
    // From an OD of 1/(1 + e³) to 1/(1 + e⁻³).
    expect(unit?.generations).toBeCloseTo(3 / Math.LN2, 1);
    expect(fitOf(unit, 'gaussian_process')?.mu_max?.value).toBeCloseTo(0.5, 1);
    expect(fitOf(unit, 'gaussian_process')).toMatchObject({ missing: { carrying_capacity: 'no_plateau' } });
    await grown('rx02', { rate: 0.5 });
    const { experiments } = await compare({ experiments: [name], align: 'first_dilution' });
    expect(experiments[0]?.curves).toMatchObject([
      { reactor_unit: 'rx01', zero_at: new Date(at).toISOString(), failure: null },
      { reactor_unit: 'rx02', zero_at: null, failure: 'not_diluted', hours: [] },
    ]);
  });

  it('leaves out doses that the unit corrected, as far as it did', async () => {
    await grown('rx01', { rate: 0.5 });
    const insert = `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
      values (?, 'rx01', ?, 'dosing', ?, 'm', 1, ?)`;
    const startMs = leader.clock.now() - 12 * hourMs;
    const add = (minute: number, data: Readonly<Record<string, unknown>>, number: number) =>
      leader.editStore((database) =>
        database
          .prepare(insert)
          .run(uidOf(name), startMs + 60_000 * minute, JSON.stringify({ ...data, entry: number }), number),
      );
    const dose = { event: 'add_media', volume_change_ml: 5, volume_before_ml: 15 };
    // Two doses of two parts each, of which little arrived; between the parts the waste pump.
    for (const [index, minute] of [240, 241, 300, 301].entries()) await add(minute, dose, 10 + 2 * index);
    await add(242, { event: 'remove_waste', volume_change_ml: 5, volume_before_ml: 20 }, 11);
    expect((await summaryOf()).units[0]).toMatchObject({ doses: 4, added_ml: 20 });
    const correction = { reason: 'missing', odds: 1000, factor: 0 };
    await add(330, { ...dose, volume_change_ml: -10, correction: { ...correction, entry: 10 } }, 20);
    await add(330, { ...dose, volume_change_ml: -7, correction: { ...correction, entry: 14, factor: 0.3 } }, 21);
    await leader.clock.advance(6 * 60_000);
    await grown('rx01', { rate: 0.5, hours: 0.1, startLevel: 3, everyS: 30 });
    expect((await summaryOf()).units[0]).toMatchObject({ doses: 1, added_ml: 3 });
  });

  it('is of the requested source and time', async () => {
    await grown('rx01', { rate: 0.5 });
    await grown('rx01', { rate: 0.2, source: 'raw_od' });
    const from = new Date(leader.clock.now() - 6 * hourMs).toISOString();
    const [unit] = (await summaryOf({ source: 'raw_od', from })).units;
    expect(unit?.start).toBe(from);
    expect(unit?.hours).toBeCloseTo(5.93, 1);
    expect((await summaryOf({ source: 'od_fused' })).units).toEqual([]);
    expect((await summaryOf({ from: new Date(leader.clock.now() + hourMs).toISOString() })).units).toEqual([]);
  });

  it('has a log-linear fit of a run of 40 days', async () => {
    await grown('rx01', { rate: 0.5, hours: 40 * 24, everyS: 300 });
    const [unit] = (await summaryOf()).units;
    expect(fitOf(unit, 'log_linear')).toMatchObject({ failure: null });
    expect(Math.abs((fitOf(unit, 'log_linear')?.mu_max?.value ?? 0) - 0.5)).toBeLessThan(0.05);
  });

  it('of a unit without growth says why it has no fit', async () => {
    await grown('rx01', { rate: 0 });
    const [unit] = (await summaryOf()).units;
    expect(fitOf(unit, 'gompertz')).toMatchObject({ failure: 'no_growth', mu_max: null });
    expect(fitOf(unit, 'baranyi_roberts')).toMatchObject({ failure: 'no_growth' });
  });

  it('of many units is computed by a task', async () => {
    const units = Array.from({ length: 25 }, (_, index) => `rx${String(index + 1).padStart(2, '0')}`);
    for (const unit of units) await grown(unit, { rate: 0.5, hours: 0.5, everyS: 30 });
    const query = { window_h: 0.2 };
    (await leader.api.call('getGrowthSummary', { params: experiment, query })).expect(409, 'growth_summary_not_ready');
    const both = { experiments: [name], ...query };
    (await leader.api.call('compareGrowth', { query: both })).expect(409, 'growth_summary_not_ready');
    const accepted = await leader.api.call('computeGrowthSummary', { params: experiment, query });
    const task = await leader.finished(accepted.expect(202));
    expect(task).toMatchObject({ status: 'succeeded', result: { units: 25, computed: 25 } });
    expect((await summaryOf(query)).units.map(({ reactor_unit }) => reactor_unit)).toEqual(units);
  });

  it('uses new readings after five minutes', async () => {
    await grown('rx01', { rate: 0.5 });
    const before = (await summaryOf()).units[0]?.readings ?? 0;
    await leader.clock.advance(60_000);
    await grown('rx01', { rate: 0.5, hours: 1, startLevel: 3 });
    expect((await summaryOf()).units[0]?.readings).toBe(before);
    await leader.clock.advance(5 * 60_000);
    expect((await summaryOf()).units[0]?.readings).toBeGreaterThan(before);
  });

  it('refuses unknown experiments and times', async () => {
    const unknown = { params: { experiment: 'none' } };
    (await leader.api.call('getGrowthSummary', unknown)).expect(404, 'experiment_not_found');
    (await leader.api.call('computeGrowthSummary', unknown)).expect(404, 'experiment_not_found');
    const query = { from: 'yesterday' };
    (await leader.api.call('getGrowthSummary', { params: experiment, query })).expect(400, 'invalid_query');
    (await leader.api.call('computeGrowthSummary', { params: experiment, query })).expect(400, 'invalid_query');
  });
});

describe('the dataset of fits', () => {
  it('has a row for each unit and fit, with the numbers of the summary', async () => {
    await grown('rx01', { rate: 0.5 });
    await grown('rx02', { rate: 0.7 });
    const { units } = await summaryOf();
    const params = { target_dataset: 'growth_curve_fits' };
    const query = { experiment: name, n_rows: 100 };
    const rows = (await leader.api.call('previewExportableDataset', { params, query })).expect(200);
    const expected = units.flatMap(({ reactor_unit, generations, fits }) =>
      fits.map((fit) => ({
        experiment: name,
        reactor_unit,
        fit: fit.fit,
        failure: null,
        generations,
        points: fit.points,
        mu_max: fit.mu_max?.value,
        mu_max_upper: fit.mu_max?.upper,
        lag_h_se: fit.lag_h?.se,
        source: 'od',
        channel: 2,
        calibration_hash: '9f1c',
        method_version: '7',
      })),
    );
    expect(rows).toMatchObject(expected);
    expect(rows).toHaveLength(8);
  });
});

describe('the comparison of experiments', () => {
  it('aligns curves on an optical density, and compares the experiments', async () => {
    await leader.client.createExperiment({ body: { experiment: 'b' } });
    for (const unit of ['rx01', 'rx02']) await grown(unit, { rate: unit === 'rx01' ? 0.5 : 0.52 });
    for (const unit of ['rx03', 'rx04'])
      await grown(unit, { rate: unit === 'rx03' ? 0.7 : 0.73, experiment: 'b', startLevel: -4 });
    await grown('rx05', { rate: 0, experiment: 'b' });
    const compared = await compare({ experiments: [name, 'b'], align: 'od', od: 0.3 });
    const [a, b] = compared.experiments;
    const level = Math.log(0.3 / 0.7);
    const zeroH = (Date.parse(a?.curves[0]?.zero_at ?? '') - (leader.clock.now() - 12 * hourMs)) / hourMs;
    expect(zeroH).toBeCloseTo((level + 3) / 0.5, 1);
    const at = a?.curves[0]?.hours.findIndex((hour) => hour >= 0) ?? -1;
    expect(a?.curves[0]?.od[at]).toBeCloseTo(0.3, 1);
    expect(b?.curves.map(({ failure }) => failure)).toEqual([null, null, 'od_not_reached']);
    expect(a?.means.map(({ name }) => name)).toEqual([name]);
    expect(a?.means[0]?.n.at(75)).toBe(2);
    expect(compared.groups.map(({ name, units }) => [name, units.length])).toEqual([
      [name, 2],
      ['b', 3],
    ]);
    expect(compared.tests.some(({ test, groups }) => test === 'welch_t' && groups.join() === `${name},b`)).toBe(true);
    const onStart = await compare({ experiments: ['b'] });
    expect(onStart.experiments[0]?.curves.map(({ hours }) => Math.abs(hours[0] ?? 9) < 0.1)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('needs existing experiments and the optical density', async () => {
    (await leader.api.call('compareGrowth', { query: { experiments: ['none'] } })).expect(404, 'experiment_not_found');
    const query = { experiments: [name], align: 'od' };
    (await leader.api.call('compareGrowth', { query })).expect(400, 'invalid_query');
  });
});
