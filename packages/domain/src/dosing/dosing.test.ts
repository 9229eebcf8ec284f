import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialBioreactorValues } from '../bioreactor/bioreactor-values.ts';
import { doseLimit } from './dose-limits.ts';
import { defaultPumpFlow, movedVolumeMl, nextSlice, type PumpFlow, planRun } from './pump-run.ts';
import {
  altImbalanceMl,
  applyEntry,
  bottleLeftMl,
  type DosingEntry,
  imbalanceMl,
  newBalance,
  type VialBalance,
  type VialCapacity,
} from './vial-balance.ts';

const capacity: VialCapacity = { capacityMl: 20, bottlesMl: {} };

const startAt = (volumeMl: number, share = 0): VialBalance =>
  newBalance({ ...initialBioreactorValues(), current_volume_ml: volumeMl, alt_media_fraction: share });

const dose = (event: string, volumeMl: number): DosingEntry => ({ kind: 'dose', event, volumeMl });
const after = (balance: VialBalance, entries: readonly DosingEntry[], where = capacity): VialBalance =>
  entries.reduce((sum, entry) => applyEntry(sum, entry, where), balance);

describe('the ledger of a vial', () => {
  it('follows the volumes of the fact sheet: the waste pump stops at its tube', () => {
    const steps: readonly (readonly [string, number])[] = [
      ['add_media', 6],
      ['remove_waste', 2],
      ['add_alt_media', 6],
      ['add_alt_media', 3],
      ['remove_waste', 3],
      ['add_alt_media', 2],
      ['remove_waste', 1],
      ['remove_waste', 10],
    ];
    let balance = startAt(0);
    const volumes = steps.map(([event, volumeMl]) => {
      balance = applyEntry(balance, dose(event, volumeMl), capacity);
      return balance.values.current_volume_ml;
    });
    expect(volumes).toEqual([6, 6, 12, 15, 14, 16, 15, 14]);
    expect(balance.totals).toMatchObject({ addedMl: 17, wasteMl: 3, airMl: 13 });
  });

  it('follows the shares of the fact sheet', () => {
    const first = after(startAt(14), [dose('add_alt_media', 1)]);
    expect(first.values.alt_media_fraction).toBeCloseTo(0.0666667, 7);
    const second = after(first, [dose('remove_waste', 1), dose('add_media', 1)]);
    expect(second.values.alt_media_fraction).toBeCloseTo(0.0622222, 7);
  });

  it('counts only liquid as removed: an extra run of the waste pump moves air', () => {
    const { values, totals } = after(startAt(14), [
      dose('add_media', 1),
      dose('remove_waste', 1),
      dose('remove_waste', 2),
    ]);
    expect(values).toMatchObject({ cumulative_waste_removed_ml: 1, cumulative_media_added_ml: 1 });
    expect(totals.airMl).toBe(2);
  });

  it('reverses announced volumes that were not pumped, air first', () => {
    const full = startAt(14.5);
    const announced = after(full, [dose('remove_waste', 0.4), dose('remove_waste', 0.4)]);
    expect(announced.values.current_volume_ml).toBe(14);
    // 0.3 of 0.8 was air, so 0.5 taken back is 0.3 of air and 0.2 of liquid.
    const corrected = after(announced, [dose('remove_waste', -0.5)]);
    expect(corrected.values.current_volume_ml).toBeCloseTo(14.2, 12);
    expect(corrected.values.cumulative_waste_removed_ml).toBeCloseTo(0.3, 12);
    const added = after(startAt(14, 0.5), [dose('add_media', 0.4), dose('add_media', -0.4)]);
    expect(added.values.alt_media_fraction).toBeCloseTo(0.5, 12);
    expect(added.values.current_volume_ml).toBeCloseTo(14, 12);
  });

  it('records overflow', () => {
    const { values, totals } = after(startAt(19.5), [dose('add_media', 2)]);
    expect(values.current_volume_ml).toBe(20);
    expect(totals.spilledMl).toBe(1.5);
    // A reversal of waste that was never removed cannot exceed the capacity.
    expect(after(startAt(19.5), [dose('remove_waste', -1)]).values.current_volume_ml).toBe(20);
  });

  it('records samples and additions by hand, also below the tube', () => {
    const { values, totals } = after(startAt(14, 0.5), [
      { kind: 'note', note: 'sample_taken', volumeMl: 2 },
      { kind: 'note', note: 'media_added', volumeMl: 1 },
    ]);
    expect(values).toMatchObject({ current_volume_ml: 13, cumulative_media_added_ml: 1 });
    expect(values.alt_media_fraction).toBeCloseTo(6 / 13, 12);
    expect(totals.sampledMl).toBe(2);
    const emptied = after(startAt(3), [{ kind: 'note', note: 'sample_taken', volumeMl: 5 }]);
    expect(emptied.values.current_volume_ml).toBe(0);
  });

  it('takes priming volumes from the bottle and adds nothing to the vial', () => {
    const bottles: VialCapacity = { capacityMl: 20, bottlesMl: { media: 100, alt_media: 50 } };
    const before = startAt(14, 0.5);
    const primed = after(
      before,
      [dose('prime_media', 2), dose('prime_media', -0.5), dose('prime_alt_media', 1)],
      bottles,
    );
    expect([primed.values, primed.totals]).toEqual([before.values, before.totals]);
    expect(bottleLeftMl(primed, bottles, 'media')).toBe(98.5);
    expect(bottleLeftMl(primed, bottles, 'alt_media')).toBe(49);
    expect(imbalanceMl(primed)).toBe(0);
  });

  it('empties bottles, and refills them by a correction', () => {
    const bottles: VialCapacity = { capacityMl: 20, bottlesMl: { media: 100, waste: 50, alt_media: 0 } };
    const used = after(startAt(14), [dose('add_media', 4), dose('remove_waste', 10)], bottles);
    expect(bottleLeftMl(used, bottles, 'media')).toBe(96);
    expect(bottleLeftMl(used, bottles, 'waste')).toBe(46);
    expect(bottleLeftMl(used, bottles, 'alt_media')).toBeUndefined();
    const refilled = after(used, [{ kind: 'set', values: {}, bottlesMl: { media: 80 } }], bottles);
    expect(bottleLeftMl(refilled, bottles, 'media')).toBe(80);
    expect(bottleLeftMl(after(refilled, [dose('add_media', 90)], bottles), bottles, 'media')).toBe(0);
  });

  it('ignores other events than doses', () => {
    const before = startAt(14);
    expect(after(before, [dose('stir', 1), dose('add_', 1), dose('remove_media', 1)])).toEqual(before);
    expect(after(before, [dose('add_salt', 1)]).values.current_volume_ml).toBe(15);
  });

  const amount = fc.double({ min: 0, max: 30, noNaN: true });
  const doses = fc.record({
    kind: fc.constant('dose' as const),
    event: fc.constantFrom('add_media', 'add_alt_media', 'add_salt', 'remove_waste'),
    volumeMl: fc.oneof(amount, fc.double({ min: -1, max: 0, noNaN: true })),
  });
  const notes = fc.record({
    kind: fc.constant('note' as const),
    note: fc.constantFrom('sample_taken' as const, 'media_added' as const),
    volumeMl: amount,
  });
  const sets = fc.record({
    kind: fc.constant('set' as const),
    values: fc.record(
      {
        current_volume_ml: fc.double({ min: 0, max: 20, noNaN: true }),
        alt_media_fraction: fc.double({ min: 0, max: 1, noNaN: true }),
        efflux_tube_volume_ml: fc.double({ min: 0, max: 20, noNaN: true }),
      },
      { requiredKeys: [] },
    ),
  });
  const starts = fc
    .tuple(fc.double({ min: 0, max: 20, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([volumeMl, share]) => startAt(volumeMl, share));

  it('balances after any events in any order, within physical limits', () => {
    fc.assert(
      fc.property(starts, fc.array(fc.oneof(doses, notes, sets), { maxLength: 60 }), (start, entries) => {
        const balance = after(start, entries);
        expect(Math.abs(imbalanceMl(balance))).toBeLessThan(1e-9);
        expect(Math.abs(altImbalanceMl(balance))).toBeLessThan(1e-9);
        const { current_volume_ml, alt_media_fraction } = balance.values;
        expect(current_volume_ml).toBeGreaterThanOrEqual(0);
        expect(current_volume_ml).toBeLessThanOrEqual(20 + 1e-9);
        expect(alt_media_fraction).toBeGreaterThanOrEqual(0);
        expect(alt_media_fraction).toBeLessThanOrEqual(1);
        for (const value of Object.values(balance.values)) expect(value).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });

  it('has its former values after a mistyped note is corrected or removed, however large it was', () => {
    const note = (kind: 'media_added' | 'sample_taken', volumeMl: number) =>
      ({ kind: 'note', note: kind, volumeMl }) as const;
    const corrected = after(startAt(14, 0.5), [note('media_added', 50), note('media_added', -49.5)]);
    expect(corrected.values.current_volume_ml).toBeCloseTo(14.5, 12);
    expect(corrected.values.alt_media_fraction).toBeCloseTo(7 / 14.5, 9);
    expect(corrected.values.cumulative_media_added_ml).toBeCloseTo(0.5, 9);
    expect(corrected.totals.spilledMl).toBeCloseTo(0, 12);
    const sampled = after(startAt(14), [note('sample_taken', 50), note('sample_taken', -49.5)]);
    expect(sampled.values.current_volume_ml).toBeCloseTo(13.5, 12);
    fc.assert(
      fc.property(starts, notes, (start, one) => {
        const undone = after(start, [one, { ...one, volumeMl: -one.volumeMl }]);
        expect(undone.values.current_volume_ml).toBeCloseTo(start.values.current_volume_ml, 9);
        expect(Math.abs(imbalanceMl(undone))).toBeLessThan(1e-9);
        expect(Math.abs(altImbalanceMl(undone))).toBeLessThan(1e-9);
      }),
    );
  });

  it('needs no correction of the alternative medium for additions and removals only', () => {
    const positive = doses.filter(({ volumeMl }) => volumeMl >= 0);
    fc.assert(
      fc.property(starts, fc.array(fc.oneof(positive, notes), { maxLength: 60 }), (start, entries) => {
        const { totals } = after(start, entries);
        expect(Math.abs(totals.altCorrectedMl)).toBeLessThan(1e-9);
        expect(totals.correctedMl).toBe(0);
      }),
    );
  });

  it('does not depend on how a dose is divided, but on the order of doses', () => {
    fc.assert(
      fc.property(starts, doses, fc.integer({ min: 1, max: 40 }), (start, { event, volumeMl }, parts) => {
        // Smaller volumes cannot be divided without rounding errors.
        fc.pre(volumeMl === 0 || volumeMl > 1e-6);
        const wide: VialCapacity = { capacityMl: undefined, bottlesMl: {} };
        const whole = after(start, [dose(event, volumeMl)], wide).values;
        const cut = after(start, Array(parts).fill(dose(event, volumeMl / parts)), wide).values;
        for (const [key, value] of Object.entries(whole)) expect(cut).toHaveProperty(key, expect.closeTo(value, 6));
      }),
    );
    const mediaFirst = after(startAt(14, 1), [dose('add_media', 2), dose('remove_waste', 2)]).values;
    const wasteFirst = after(startAt(14, 1), [dose('remove_waste', 2), dose('add_media', 2)]).values;
    expect(mediaFirst.current_volume_ml).toBe(14);
    expect(wasteFirst.current_volume_ml).toBe(16);
  });
});

describe('a run of a pump', () => {
  const slicesOf = (amount: Parameters<typeof planRun>[0], flow: PumpFlow = defaultPumpFlow): number[] => {
    const run = planRun(amount, flow);
    if (run === undefined) return [];
    const volumes: number[] = [];
    let done = { untilMs: 0, volumeMl: 0 };
    for (let slice = nextSlice(run, flow, done); slice !== undefined; slice = nextSlice(run, flow, done)) {
      volumes.push(slice.volumeMl);
      done = { untilMs: slice.untilMs, volumeMl: done.volumeMl + slice.volumeMl };
    }
    return volumes;
  };

  it('is divided into half seconds, the last with the remainder', () => {
    const volumes = slicesOf({ volumeMl: 0.1 });
    expect(volumes).toHaveLength(3);
    expect(volumes[0]).toBeCloseTo(0.04555, 9);
    expect(slicesOf({ volumeMl: 0.001 })).toEqual([0.001]);
    expect(slicesOf({ volumeMl: 0 })).toEqual([]);
    expect(slicesOf({ durationS: 1.2 })).toHaveLength(3);
  });

  it('adds up to the requested volume for any curve', () => {
    const flows = fc
      .record({
        slope: fc.double({ min: 0.01, max: 1, noNaN: true }),
        dead: fc.double({ min: 0, max: 0.2, noNaN: true }),
      })
      .map(
        ({ slope, dead }): PumpFlow => ({
          volumeIn: (seconds) => Math.max(0, slope * (seconds - dead)),
          secondsFor: (volumeMl) => dead + volumeMl / slope,
        }),
      );
    fc.assert(
      fc.property(fc.double({ min: 0.0001, max: 20, noNaN: true }), flows, (volumeMl, flow) => {
        const sum = slicesOf({ volumeMl }, flow).reduce((total, slice) => total + slice, 0);
        expect(sum).toBeCloseTo(volumeMl, 9);
      }),
    );
  });

  it('gives the moved volume when it ends early', () => {
    const run = planRun({ volumeMl: 1 }, defaultPumpFlow);
    if (run === undefined) throw new Error('The pump must be able to move this volume.');
    expect(movedVolumeMl(run, defaultPumpFlow, 1000)).toBeCloseTo(0.0911, 9);
    expect(movedVolumeMl(run, defaultPumpFlow, run.totalMs + 1)).toBe(1);
    expect(movedVolumeMl(run, defaultPumpFlow, 0)).toBe(0);
  });

  it('is undefined for a volume that the pump cannot move', () => {
    const limited: PumpFlow = { volumeIn: () => 0.5, secondsFor: () => undefined };
    expect(planRun({ volumeMl: 1 }, limited)).toBeUndefined();
    expect(planRun({ volumeMl: -1 }, defaultPumpFlow)).toBeUndefined();
    expect(planRun({ durationS: -1 }, defaultPumpFlow)).toBeUndefined();
  });
});

it('a dose is refused when the vial would reach its limit, or the bottle would be empty', () => {
  const where = { volumeMl: 15, stopLimitMl: 18, bottleLeftMl: undefined };
  expect(doseLimit('media', 2.9, where)).toBeUndefined();
  expect(doseLimit('alt_media', 3, where)).toBe('overflow');
  expect(doseLimit('waste', 30, where)).toBeUndefined();
  expect(doseLimit('media', 1.1, { ...where, bottleLeftMl: 1 })).toBe('bottle_empty');
  expect(doseLimit('media', 1, { ...where, bottleLeftMl: 1 })).toBeUndefined();
  expect(doseLimit('waste', 2, { ...where, bottleLeftMl: 1 })).toBe('bottle_empty');
  // NaN is refused.
  expect(doseLimit('media', Number.NaN, where)).toBe('overflow');
  expect(doseLimit('media', 1, { ...where, volumeMl: Number.NaN })).toBe('overflow');
  expect(doseLimit('waste', Number.NaN, { ...where, bottleLeftMl: 1 })).toBe('bottle_empty');
});

describe('a correction for a dose without effect', () => {
  const evidence = { odds: 100, factor: 0 };
  const corrected = (event: 'add_media' | 'add_alt_media' | 'remove_waste', volumeMl: number) =>
    ({ kind: 'correction', event, volumeMl, corrects: 1, reason: 'missing', evidence }) as const;
  const exchange = [
    { kind: 'dose', event: 'add_media', volumeMl: 1 },
    { kind: 'dose', event: 'remove_waste', volumeMl: 1 },
    { kind: 'dose', event: 'remove_waste', volumeMl: 2 },
  ] as const;

  it('takes back the medium and the waste of an exchange, and leaves the level where it is', () => {
    const { values, totals, drawnMl } = after(startAt(14), [
      ...exchange,
      corrected('remove_waste', -1),
      corrected('add_media', -1),
    ]);
    expect(values).toMatchObject({
      current_volume_ml: 14,
      cumulative_media_added_ml: 0,
      cumulative_waste_removed_ml: 0,
    });
    expect(drawnMl).toMatchObject({ media: 0, waste: 0 });
    expect(totals).toMatchObject({ addedMl: 0, wasteMl: 0 });
  });

  it('fills the vial when no waste left it, up to its capacity', () => {
    const four = Array.from({ length: 7 }, () => exchange).flat();
    const balance = after(startAt(14), [...four, ...Array.from({ length: 7 }, () => corrected('remove_waste', -1))]);
    expect(balance.values.current_volume_ml).toBe(20);
    expect(balance.totals.spilledMl).toBeCloseTo(1, 9);
    expect(Math.abs(imbalanceMl(balance))).toBeLessThan(1e-9);
  });
});
