import { describe, expect, it } from 'vitest';
import { longestDoseMs } from '../series/pumped-runs.ts';
import { dosesOf, doseText, type PumpRun, volumesOf } from './pump-runs.ts';

let count = 0;
const run = (at: number, pump: PumpRun['pump'], movedMl: number | null, more: Partial<PumpRun> = {}): PumpRun => {
  count += 1;
  return {
    id: count,
    at,
    unit: 'unit1',
    pump,
    jobId: 7,
    rule: 'The target was reached.',
    exchange: 3,
    movedMl,
    state: movedMl === null ? null : 'ended',
    isOutsideVial: false,
    requested: movedMl,
    requestedUnit: 'mL',
    refused: null,
    by: 'ada',
    ...more,
  };
};

describe('doses of runs of pumps', () => {
  it('are the parts of one exchange together, of each unit and each decision', () => {
    const runs = [
      run(0, 'media', 0.6),
      run(5_000, 'media', 2, { unit: 'unit2' }),
      run(10_000, 'waste', 0.6),
      run(20_000, 'media', 0.4),
      run(30_000, 'waste', 0.4),
      run(40_000, 'media', 1, { exchange: 5 }),
    ];
    const doses = dosesOf(runs);
    expect(doses.map((dose) => dose.map(({ at }) => at))).toEqual([[0, 10_000, 20_000, 30_000], [5_000], [40_000]]);
    expect(doses.map(volumesOf)).toEqual([
      { media: 1, alt_media: 0, waste: 1 },
      { media: 2, alt_media: 0, waste: 0 },
      { media: 1, alt_media: 0, waste: 0 },
    ]);
  });

  it('without an exchange are the runs within an interval of the clock, however many are read', () => {
    const minute = 60_000;
    const chain = Array.from({ length: 25 }, (_, index) => run(index * minute, 'waste', 1, { exchange: null }));
    const startsOf = (runs: readonly PumpRun[]) => dosesOf(runs).map(([{ at }]) => at / minute);
    expect(longestDoseMs).toBe(10 * minute);
    expect(startsOf(chain)).toEqual([0, 10, 20]);
    expect(startsOf(chain.slice(7))).toEqual([7, 10, 20]);
    expect(startsOf([run(0, 'media', 1, { exchange: null }), run(4 * minute, 'media', 1, { exchange: null })])).toEqual(
      [0, 4],
    );
  });

  it('of one exchange stay together while another job uses a pump', () => {
    const other = run(5_000, 'waste', 1, { jobId: 8, rule: null });
    const doses = dosesOf([run(0, 'media', 1), other, run(10_000, 'waste', 1)]);
    expect(doses.map((dose) => dose.map(({ at }) => at))).toEqual([[0, 10_000], [5_000]]);
  });

  it('show what was moved, and what was requested where less was moved or nothing', () => {
    const textOf = (...runs: readonly PumpRun[]) => dosesOf(runs).map(doseText);
    expect(textOf(run(0, 'media', 1), run(9_000, 'waste', 1.004))).toEqual([
      'Dose: 1 mL of medium in, 1 mL of waste out',
    ]);
    expect(textOf(run(0, 'media', 0.3, { requested: 1 }))).toEqual(['Dose: 0.3 mL of medium in (1 mL requested)']);
    const half = { requested: 1, state: 'stopped' } as const;
    expect(textOf(run(0, 'media', 0.5, half))).toEqual(['Dose: 0.5 mL of medium in (1 mL requested, stopped)']);
    expect(textOf(run(0, 'waste', 0.5, { requested: null, state: 'pumping' }))).toEqual([
      'Dose: 0.5 mL of waste out (pumping…)',
    ]);
    expect(textOf(run(0, 'media', 0.406, { requested: 0.4 }))).toEqual([
      'Dose: 0.406 mL of medium in (0.4 mL requested)',
    ]);
    expect(textOf(run(0, 'alt_media', null, { requested: 1, refused: 'It would overflow.' }))).toEqual([
      'Dose refused: 1 mL of alternative medium in',
    ]);
    const primed = run(0, 'waste', null, { requested: 5, requestedUnit: 's' });
    expect(textOf(primed)).toEqual(['Dose: 5 s of waste out']);
    const weighed = { requested: 8, requestedUnit: 's', isOutsideVial: true };
    expect(textOf(run(0, 'media', null, weighed))).toEqual(['Pump run: 8 s by the media pump, into a vessel']);
    expect(dosesOf([primed]).map(volumesOf)).toEqual([null]);
    expect(textOf(run(0, 'waste', 2, { requested: null }))).toEqual(['Dose: 2 mL of waste out']);
  });
});
