import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { restartFilter } from './bases.ts';
import { applyDilution, observe } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters } from './growth-rate-parameters.ts';
import { type GrowthRateState, initialGrowthRateState } from './growth-rate-state.ts';
import { newestReadingMs, shiftTime } from './shift-time.ts';

const startMs = Date.UTC(2026, 0, 1);
const rate = 0.5;

/** What is read of a culture whose volts are `level` times 0.04. */
interface Basis {
  readonly od: (volts: number) => number;
  readonly basis?: string;
  readonly channel?: string;
}
const plain: Basis = { od: (volts) => volts };
const calibrated: Basis = { od: (volts) => 2.5 * volts, basis: 'c1' };
const blanked: Basis = { od: (volts) => volts - 0.01, basis: 'b1' };

/** A culture in steady growth, read every five seconds. */
class Culture {
  state: GrowthRateState = initialGrowthRateState();
  readonly estimates: { readonly timeS: number; readonly normalizedOd: number; readonly rate: number }[] = [];
  readonly #random = new SeededStream(3).split('noise');
  #level = 0;
  timeS = 0;

  /** Normalised OD of the truth, begun in the middle of the warm-up. */
  get expected(): number {
    return Math.exp(this.#level);
  }

  grow(seconds: number, { od, basis, channel = '2' }: Basis): void {
    for (const endS = this.timeS + seconds; this.timeS < endS; ) {
      this.timeS += 5;
      this.#level += (rate * 5) / 3600;
      const value = od(0.04 * this.expected) * (1 + 0.003 * this.#random.normal());
      const bases = basis === undefined ? {} : { [channel]: basis };
      const step = observe(this.state, defaultGrowthRateParameters, {
        atMs: startMs + 1000 * this.timeS,
        ods: { [channel]: value },
        bases,
      });
      this.state = step.state;
      if (step.ok) this.estimates.push({ timeS: this.timeS, ...step.estimate });
      else if (step.unused === 'unknown_channels') this.state = restartFilter(this.state);
    }
  }

  /** Nobody reads. */
  rest(seconds: number): void {
    this.timeS += seconds;
    this.#level += (rate * seconds) / 3600;
  }

  thin(): void {
    this.#level -= Math.log(16 / 15);
    this.state = applyDilution(this.state, defaultGrowthRateParameters, { volumeMl: 15, addedMl: 1 });
  }

  get newest(): number {
    return this.estimates.at(-1)?.normalizedOd ?? Number.NaN;
  }
}

describe('normalised OD continues where it was', () => {
  it.each([
    ['a calibration comes', plain, calibrated],
    ['a calibration goes', calibrated, plain],
    ['a calibration is changed for another', calibrated, { od: (volts: number) => 1.3 * volts, basis: 'c2' }],
    ['a blank comes', plain, blanked],
    ['other photodiodes look', plain, { ...plain, channel: '3' }],
  ])('when %s', (_what, before, after) => {
    const culture = new Culture();
    culture.grow(4 * 3600, before);
    const known = culture.estimates.length;
    const share = culture.newest / culture.expected;
    culture.rest(120);
    culture.grow(600, after);
    const later = culture.estimates.slice(known);
    // Ten readings are looked at first.
    expect(later.length).toBeGreaterThan(105);
    expect(later.every(({ normalizedOd }) => normalizedOd > 0.97 * (later[0]?.normalizedOd ?? 0))).toBe(true);
    expect(culture.newest / culture.expected / share).toBeGreaterThan(0.97);
    expect(culture.newest / culture.expected / share).toBeLessThan(1.03);
    // The rate is not begun at nothing.
    expect(Math.abs((later[0]?.rate ?? 0) - rate)).toBeLessThan(0.2);
  });

  it('with a dose during the new warm-up', () => {
    const culture = new Culture();
    culture.grow(3600, plain);
    const share = culture.newest / culture.expected;
    culture.grow(25, calibrated);
    culture.thin();
    culture.grow(600, calibrated);
    expect(Math.abs(culture.newest / culture.expected / share - 1)).toBeLessThan(0.03);
  });

  it('with a clock step in between', () => {
    const culture = new Culture();
    culture.grow(3600, plain);
    culture.grow(25, calibrated);
    const moved = shiftTime(culture.state, 5000);
    expect(moved.anchor?.atMs).toBe((culture.state.anchor?.atMs ?? 0) + 5000);
    expect(newestReadingMs({ ...moved, waiting: [] })).toBe(moved.anchor?.atMs);
  });

  it('and starts at 1 in a new experiment, calibrated or not', () => {
    for (const basis of [plain, calibrated]) {
      const culture = new Culture();
      culture.grow(300, basis);
      expect(culture.estimates[0]?.normalizedOd).toBeCloseTo(1, 1);
    }
  });
});

it('the state of an older version without bases takes those of the next reading', () => {
  const culture = new Culture();
  culture.grow(3600, calibrated);
  culture.state = { ...culture.state, bases: {} };
  const known = culture.estimates.length;
  culture.grow(60, calibrated);
  expect(culture.estimates.length).toBe(known + 12);
  expect(culture.state.bases).toEqual({ '2': 'c1' });
});

it.each([1, 2, 4])('a warm-up of %i readings is enough for a rate', (warmUpReadings) => {
  const parameters = { ...defaultGrowthRateParameters, warmUpReadings };
  let state = initialGrowthRateState();
  const random = new SeededStream(1).split('noise');
  let estimates: number | undefined;
  for (let index = 0; index < 1440; index += 1) {
    const od = 0.1 * Math.exp((rate * index * 5) / 3600) * (1 + 0.005 * random.normal());
    const step = observe(state, parameters, { atMs: startMs + 5000 * index, ods: { '2': od } });
    state = step.state;
    if (step.ok) estimates = step.estimate.rate;
  }
  expect(Math.abs((estimates ?? 0) - rate)).toBeLessThan(0.05);
});
