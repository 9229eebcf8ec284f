import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeaderNodeOptions } from '@lcs/cluster';
import { AcceptedTask, FlaggedSpan, GrowthDerivation, type RecomputeGrowth, TimeSeries } from '@lcs/contract';
import { growthFilterVersion } from '@lcs/domain';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;
const experiment = { experiment: 'a' };

let leader: LeaderUnderTest;
let uid: string;
/** Writes readings as the leader writes those of units. */
let write: History['write'];
beforeEach(async () => {
  leader = await startLeader({
    observe,
    configure: {
      extend: ({ history }) => {
        write = history.write;
        return [];
      },
    },
  });
  await leader.client.createExperiment({ body: experiment });
  uid = String(leader.storedRows('experiments')[0]?.uid);
});
afterEach(() => leader[Symbol.asyncDispose]());

const line = (
  unit: string,
  source: string,
  channel: string | null = null,
  derivation: Record<string, unknown> | null = null,
) => ({
  experimentUid: uid,
  unit,
  source,
  channel,
  angle: channel === null ? null : 90,
  derivation: derivation && { key: 'measured', name: 'growth_filter', version: '1', parameters: derivation },
});

/** ODs of two hours with a rate of 0.5 per hour, and what the unit made of them (a nonsense of 9, so that it is known again). */
async function measured(unit: string, hours = 2): Promise<void> {
  const startMs = leader.clock.now() - hours * hourMs;
  const moments = Array.from({ length: hours * 360 }, (_, index) => startMs + 10_000 * index);
  const readings = moments.flatMap((at, index) => {
    const scatter = 1 + 0.004 * Math.sin(7.3 * index);
    const od = 0.1 * Math.exp((0.5 * (at - startMs)) / hourMs) * scatter;
    return [
      { series: 0, at, value: index === 200 ? 3 * od : od, ...(index === 200 && { flags: 4 }) },
      { series: 1, at, value: 9 },
      { series: 2, at, value: 9 },
    ];
  });
  const derivation = { input: 'od' };
  const series = [
    line(unit, 'od', '2'),
    line(unit, 'growth_rate', null, derivation),
    line(unit, 'od_filtered', null, derivation),
  ];
  await write({ series, readings, nowMs: leader.clock.now() });
}

const list = async () =>
  Value.Parse(
    Type.Array(GrowthDerivation),
    (await leader.api.call('listGrowthDerivations', { params: experiment })).expect(200),
  );
const rates = async () => {
  const answer = await leader.api.call('getGrowthRates', {
    params: experiment,
    query: { lookback: 3, target_points: 100_000 },
  });
  return Value.Parse(TimeSeries, answer.expect(200)).data.map((points) => points.map(({ y }) => y));
};
const spansOf = (body: unknown) => Value.Parse(Type.Array(FlaggedSpan), body);
const recompute = async (body: RecomputeGrowth = {}) =>
  leader.finished((await leader.api.call('recomputeGrowth', { params: experiment, body })).expect(202));
const remove = (derivation: number | string) =>
  leader.api.call('deleteGrowthDerivation', { params: { ...experiment, derivation: String(derivation) } });
const activate = (derivation: number | string) =>
  leader.api.call('activateGrowthDerivation', { params: { ...experiment, derivation: String(derivation) } });

const numberIn = (task: Awaited<ReturnType<typeof recompute>>): number =>
  Number(task.status === 'succeeded' && Reflect.get(Object(task.result), 'derivation'));

describe('recomputed growth rates', () => {
  it('are separate series, shown when activated; the measured series are shown when activated again', async () => {
    await measured('rx01');
    const samples = leader.storedRows('samples');
    const task = await recompute({ parameters: { rate_variance_scale: 0.5 } });
    expect(task).toMatchObject({
      status: 'succeeded',
      result: { active: false, units: { rx01: { readings: 720, samples: 710 } } },
    });
    expect(await rates()).toEqual([Array(720).fill(9)]);
    const made = numberIn(task);
    const [before, after] = await list();
    expect(before).toMatchObject({ origin: 'measured', active: true, units: [{ reactor_unit: 'rx01', samples: 720 }] });
    expect(after).toMatchObject({
      derivation: made,
      origin: 'recomputed',
      active: false,
      name: 'growth_filter',
      version: growthFilterVersion,
      parameters: { input: 'od', rateVarianceScale: 0.5, outlierDeviations: 5 },
      units: [{ reactor_unit: 'rx01', samples: 710 }],
    });

    (await activate(made)).expect(200);
    const [shown = []] = await rates();
    expect(shown).toHaveLength(710);
    expect(shown.at(-1)).toBeCloseTo(0.5, 1);
    expect((await list()).map(({ active }) => active)).toEqual([false, true]);

    (await activate(before?.derivation ?? 0)).expect(200);
    expect(await rates()).toEqual([Array(720).fill(9)]);
    // Not a reading was touched.
    const stored = new Set(leader.storedRows('samples').map((row) => JSON.stringify(row)));
    expect(samples.filter((row) => !stored.has(JSON.stringify(row)))).toEqual([]);
  });

  it('are shown at once on request, also in views and exports, with their deviations', async () => {
    await measured('rx01');
    await recompute({ activate: true });
    const path = '/api/experiments/a/time_series/growth_rates/rate_sd?lookback=3';
    const deviations = Value.Parse(TimeSeries, await (await fetch(`${leader.url}${path}`)).json());
    expect(deviations.data[0]?.at(-1)?.y).toBeGreaterThan(0);
    const folder = join(leader.dataFolder, 'exportable_datasets');
    await mkdir(folder);
    for (const [view, column] of [
      ['growth_rates', 'rate'],
      ['reactor_unit_activity_data', 'growth_rate'],
    ]) {
      const query = `select max(${column}) as most, count(${column}) as n from ${view}`;
      await writeFile(
        join(folder, `of_${view}.yaml`),
        `dataset_name: of_${view}\ndisplay_name: Rates\ndescription: null\nhas_experiment: false\nhas_unit: false\ndefault_order_by: n\nquery: ${query}\n`,
      );
      const params = { target_dataset: `of_${view}` };
      const [found] = await leader.client.previewExportableDataset({ params, query: {} });
      expect(found).toMatchObject({ n: 710 });
      expect(Number(found?.most)).toBeLessThan(3.01);
    }
  });

  it('are followed by new values of the unit, also when they are activated later', async () => {
    await measured('rx01');
    const task = await recompute();
    const own = [line('rx01', 'growth_rate', null, { input: 'od' })];
    const goesOn = async (readings: number) => {
      const nowMs = leader.clock.now();
      const later = Array.from({ length: readings }, (_, index) => ({
        series: 0,
        at: nowMs + 5_000 * index,
        value: 7,
      }));
      await write({ series: own, readings: later, nowMs });
      await leader.clock.advance(60_000);
    };
    await goesOn(3);
    expect(await rates()).toEqual([[...Array(720).fill(9), 7, 7, 7]]);
    (await activate(numberIn(task))).expect(200);
    await goesOn(2);
    const [shown = []] = await rates();
    expect(shown).toHaveLength(715);
    expect(shown.slice(710)).toEqual([7, 7, 7, 7, 7]);
    expect(shown.slice(0, 710).every((rate) => rate < 3)).toBe(true);
    const [before] = await list();
    expect(before).toMatchObject({ origin: 'measured', active: false });
    expect(before?.units).toMatchObject([{ reactor_unit: 'rx01', samples: 725 }]);
    (await activate(before?.derivation ?? 0)).expect(200);
    expect(await rates()).toEqual([[...Array(720).fill(9), 7, 7, 7, 7, 7]]);

    const again = await recompute({ activate: true });
    expect((await rates())[0]).toHaveLength(715);
    (await activate(numberIn(task))).expect(200);
    expect((await rates())[0]).toHaveLength(715);
    (await remove(numberIn(again))).expect(202);
  });

  it('of an experiment that is deleted meanwhile leave no orphaned series', async () => {
    await measured('rx01', 100);
    const accepted = (await leader.api.call('recomputeGrowth', { params: experiment, body: {} })).expect(202);
    const deletion = (await leader.api.call('deleteExperiment', { params: experiment })).expect(202);
    await leader.finished(deletion);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'experiment_not_found' });
    expect(leader.storedRows('series')).toEqual([]);
    expect(leader.storedRows('samples')).toEqual([]);
    expect(leader.storedRows('derivations').filter(({ key }) => key !== 'measured')).toEqual([]);
  });

  it('exclude the requested readings', async () => {
    await measured('rx01');
    await measured('rx02');
    const at = (agoMs: number) => new Date(leader.clock.now() - agoMs).toISOString();
    const task = await recompute({
      exclude: [{ from: at(hourMs), to: at(0) }],
      exclude_flags: ['saturated'],
      units: ['rx02'],
    });
    // An hour of 360 readings, and a saturated one.
    expect(task).toMatchObject({ result: { units: { rx02: { readings: 359, samples: 349 } } } });
    expect((await list()).at(-1)?.units.map(({ reactor_unit }) => reactor_unit)).toEqual(['rx02']);
  });

  it('include doses', async () => {
    await measured('rx01');
    await leader.editStore((database) =>
      database
        .prepare(
          `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
          values (?, 'rx01', ?, 'dosing', '{"event":"add_media","volume_change_ml":15}', 'm', 1, 1)`,
        )
        .run(uid, leader.clock.now() - hourMs),
    );
    const number = numberIn(await recompute({ activate: true }));
    // Nothing was diluted in truth.
    const filtered = await leader.api.call('getFilteredOdReadings', {
      params: experiment,
      query: { lookback: 3, target_points: 100_000 },
    });
    const flagged = await leader.api.call('listSampleFlags', { params: experiment, query: { source: 'growth_rate' } });
    expect(number).toBeGreaterThan(0);
    expect(Value.Parse(TimeSeries, filtered.expect(200)).data[0]).toHaveLength(710);
    expect(spansOf(flagged.expect(200)).map(({ flag }) => flag)).toContain('dose_unseen');
  });

  it('leave out doses that the unit corrected because nothing arrived', async () => {
    await measured('rx01');
    const dose = { event: 'add_media', volume_change_ml: 15, volume_before_ml: 15 };
    const correction = { reason: 'missing', entry: 7, odds: 1000, factor: 0 };
    const events = [
      { ...dose, entry: 7 },
      { ...dose, volume_change_ml: -15, entry: 8, correction },
    ];
    for (const [index, data] of events.entries())
      await leader.editStore((database) =>
        database
          .prepare(
            `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
            values (?, 'rx01', ?, 'dosing', ?, 'm', 1, ?)`,
          )
          .run(uid, leader.clock.now() - hourMs + 600_000 * index, JSON.stringify(data), index),
      );
    await recompute({ activate: true });
    const flagged = await leader.api.call('listSampleFlags', { params: experiment, query: { source: 'growth_rate' } });
    expect(spansOf(flagged.expect(200)).map(({ flag }) => flag)).not.toContain('dose_unseen');
    const [shown = []] = await rates();
    expect(Math.max(...shown.slice(60).map((rate) => Math.abs(Number(rate) - 0.5)))).toBeLessThan(0.1);
  });

  it('are smoothed in both directions on request, beside those of the filter', async () => {
    await measured('rx01');
    const number = numberIn(await recompute({ smooth: true, activate: true }));
    const [shown = []] = await rates();
    // The way back gives rates for the readings of the warm-up, too.
    expect(shown).toHaveLength(720);
    expect(Math.max(...shown.slice(20, 700).map((rate) => Math.abs(Number(rate) - 0.5)))).toBeLessThan(0.05);
    expect((await list()).find(({ derivation }) => derivation === number)).toMatchObject({
      name: 'growth_smoother',
      origin: 'recomputed',
      active: true,
      units: [{ samples: 720 }],
    });
  });

  it('continue when a calibration was activated in between, with the flags of their ODs', async () => {
    const startMs = leader.clock.now() - 2 * hourMs;
    const context = { calibrationName: 'od90_nov', calibrationHash: '9f1c', irLedIntensity: 80 };
    const bubbles = 512;
    const series = [line('rx01', 'od', '2'), { ...line('rx01', 'od', '2'), context }];
    const readings = Array.from({ length: 720 }, (_, index) => {
      const at = startMs + 10_000 * index;
      const od = 0.1 * Math.exp((0.5 * (at - startMs)) / hourMs) * (1 + 0.004 * Math.sin(7.3 * index));
      const later = { series: 1, at, value: 2.5 * od, ...(index === 500 && { flags: bubbles }) };
      return index < 360 ? { series: 0, at, value: od } : later;
    });
    await write({ series, readings, nowMs: leader.clock.now() });
    await recompute({ activate: true });
    const answer = await leader.api.call('getFilteredOdReadings', {
      params: experiment,
      query: { lookback: 3, target_points: 100_000 },
    });
    const [points = []] = Value.Parse(TimeSeries, answer.expect(200)).data;
    // Ten readings at the beginning, and nine and the one that told of it after the calibration.
    expect(points).toHaveLength(700);
    expect(Number(points.at(-1)?.y) / Math.E).toBeGreaterThan(0.95);
    expect(Number(points.at(-1)?.y) / Math.E).toBeLessThan(1.05);
    for (const source of ['growth_rate', 'od_filtered']) {
      const flags = await leader.api.call('listSampleFlags', { params: experiment, query: { source } });
      expect(spansOf(flags.expect(200))).toMatchObject([{ flag: 'bubbles', samples: 1 }]);
    }
  });

  it('are deleted by a task, unless they are active or measured', async () => {
    await measured('rx01');
    const made = numberIn(await recompute({ activate: true }));
    const [before] = await list();
    (await remove(made)).expect(409, 'derivation_active');
    (await remove(before?.derivation ?? 0)).expect(409, 'derivation_measured');
    (await activate(before?.derivation ?? 0)).expect(200);
    const task = await leader.finished((await remove(made)).expect(202));
    expect(task).toMatchObject({ status: 'succeeded', result: { derivation: made, removed: 3 * 710 } });
    expect(await list()).toEqual([{ ...before, active: true }]);
    expect(leader.storedRows('derivations')).toHaveLength(1);
    // The same again is a new one.
    expect(numberIn(await recompute())).toBeGreaterThan(0);
  });

  it('are refused without enough readings', async () => {
    await measured('rx01');
    for (const body of [{ input: 'od_fused' }, { units: ['rx09'] }])
      (await leader.api.call('recomputeGrowth', { params: experiment, body })).expect(409, 'nothing_to_derive');
    const task = await recompute({ parameters: { samples_for_od_statistics: 1000 }, activate: true });
    expect(task).toMatchObject({
      result: { derivation: null, active: false, units: { rx01: { readings: 720, samples: 0 } } },
    });
    expect(await list()).toHaveLength(1);
    expect(leader.storedRows('derivations')).toHaveLength(1);
  });

  it('leave nothing behind when they are cancelled', async () => {
    await measured('rx01', 30);
    const accepted = (await leader.api.call('recomputeGrowth', { params: experiment, body: {} })).expect(202);
    await leader.api.call('cancelTask', { params: { task_id: Value.Parse(AcceptedTask, accepted).task_id } });
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
    expect(await list()).toHaveLength(1);
  });

  it('of unknown experiments and sources are refused', async () => {
    const nobody = { experiment: 'nobody' };
    (await leader.api.call('listGrowthDerivations', { params: nobody })).expect(404, 'experiment_not_found');
    (await leader.api.call('recomputeGrowth', { params: nobody, body: {} })).expect(404, 'experiment_not_found');
    (await leader.api.call('recomputeGrowth', { params: experiment, body: { parameters: { gap_h: 0 } } })).expect(
      400,
      'invalid_body',
    );
    (await leader.api.call('recomputeGrowth', { params: experiment, body: { exclude_flags: ['blue'] } })).expect(
      400,
      'invalid_body',
    );
    for (const derivation of ['7', 'x']) {
      (await activate(derivation)).expect(404, 'derivation_unknown');
      (await remove(derivation)).expect(404, 'derivation_unknown');
    }
    const params = { ...nobody, derivation: '1' };
    (await leader.api.call('activateGrowthDerivation', { params })).expect(404, 'experiment_not_found');
    (await leader.api.call('deleteGrowthDerivation', { params })).expect(404, 'experiment_not_found');
  });
});

describe('flags of readings', () => {
  it('are answered as spans, by source and unit, and exported', async () => {
    const now = leader.clock.now();
    const flagged = (series: number, agoS: number, flags: number) => ({
      series,
      at: now - 1000 * agoS,
      value: agoS,
      flags,
    });
    await write({
      series: [line('rx01', 'od', '2'), line('rx02', 'raw_od', '2')],
      readings: [
        // The flag of simulated readings does not concern the signal.
        flagged(0, 30, 32),
        flagged(0, 25, 32 + 1024),
        flagged(0, 20, 32 + 1024 + 4),
        flagged(0, 15, 32),
        flagged(0, 10, 32 + 8192),
        ...[400, 395, 5].map((agoS) => flagged(1, agoS, 512)),
      ],
      nowMs: now,
    });
    const at = (agoS: number) => new Date(now - 1000 * agoS).toISOString();
    const od = { reactor_unit: 'rx01', source: 'od', channel: '2' };
    const raw = { reactor_unit: 'rx02', source: 'raw_od', channel: '2', flag: 'bubbles' };
    const spans = [
      { ...raw, from: at(400), to: at(395), samples: 2 },
      { ...od, flag: 'vial_out', from: at(25), to: at(20), samples: 2 },
      { ...od, flag: 'saturated', from: at(20), to: at(20), samples: 1 },
      { ...od, flag: 'sensor_doubtful', from: at(10), to: at(10), samples: 1 },
      { ...raw, from: at(5), to: at(5), samples: 1 },
    ];
    const asked = async (query: { lookback?: number; source?: string; reactor_unit?: string } = {}) =>
      spansOf((await leader.api.call('listSampleFlags', { params: experiment, query })).expect(200));
    const byStart = (found: Awaited<ReturnType<typeof asked>>) => found.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    expect(byStart(await asked())).toEqual(spans);
    expect(await asked({ source: 'od' })).toEqual(spans.slice(1, 4));
    expect(await asked({ reactor_unit: 'rx02', lookback: 0.01 })).toEqual([spans[4]]);
    expect(await asked({ lookback: 0 })).toEqual([]);

    const preview = await leader.api.call('previewExportableDataset', {
      params: { target_dataset: 'reading_flags' },
      query: {},
    });
    expect(preview.expect(200)).toContainEqual(
      expect.objectContaining({
        reactor_unit: 'rx01',
        source: 'od',
        channel: 2,
        flags: 'saturated simulated vial_out',
      }),
    );
    expect(preview.expect(200)).toContainEqual(expect.objectContaining({ flags: 'simulated sensor_doubtful' }));
  });

  it('of unknown experiments and sources are refused', async () => {
    (await leader.api.call('listSampleFlags', { params: { experiment: 'nobody' }, query: {} })).expect(
      404,
      'experiment_not_found',
    );
    const query = { lookback: -1 };
    (await leader.api.call('listSampleFlags', { params: experiment, query })).expect(400, 'invalid_query');
  });
});
