import { describe, expect, it } from 'vitest';
import { type KeepingUpStep, keepingUp, keepingUpAfresh, keepingUpStep } from './keeping-up.ts';

const fastestPerHour = 2;
const volumeMl = 15;

interface Course {
  readonly growthPerHour: number;
  /** Of the exchange with this number, ml. */
  readonly exchangeMl: (exchange: number) => number;
  readonly everyS?: number;
  readonly exchanges?: number;
  readonly firstRatio?: number;
  /** By hand, before the exchange with this number. */
  readonly changedBy?: (exchange: number) => number;
  /** That arrives of a dose. */
  readonly share?: number;
}

/** The steps of a turbidostat that exchanges at fixed times, whatever its density. */
function steps(course: Course): readonly KeepingUpStep[] {
  const { growthPerHour, exchangeMl, everyS = 60, exchanges = 40, firstRatio = 1 } = course;
  const { changedBy = () => 1, share = 1 } = course;
  const all: KeepingUpStep[] = [];
  let [state, ratio, washedOut] = [keepingUp, firstRatio, 0];
  for (let exchange = 0; exchange < exchanges; exchange += 1) {
    ratio *= changedBy(exchange);
    const hours = (exchange * everyS) / 3600;
    const step = keepingUpStep(state, { hours, biomass: 0.5 * ratio, ratio, washedOut, fastestPerHour });
    all.push(step);
    state = step.state;
    const addedMl = exchangeMl(exchange);
    washedOut += Math.log1p(addedMl / volumeMl);
    ratio *= Math.exp((growthPerHour * everyS) / 3600) / (1 + (share * addedMl) / volumeMl);
  }
  return all;
}

const reports = (course: Course): readonly boolean[] => steps(course).map(({ cannot }) => cannot);
/** That keep a density. */
const holding = (growthPerHour: number, everyS = 60) => volumeMl * Math.expm1((growthPerHour * everyS) / 3600);

describe('a turbidostat whose culture grows faster than its exchanges wash out', () => {
  it('is reported once, after ten minutes, with its growth, though larger exchanges hold the target', () => {
    const course = { growthPerHour: 2.5, exchangeMl: () => holding(2.5) };
    expect(reports(course).filter(Boolean)).toHaveLength(1);
    expect(reports(course).indexOf(true)).toBe(10);
    expect(steps(course)[10]?.growthPerHour).toBeCloseTo(2.5, 9);
  });

  it('is reported with an exchange every two minutes', () => {
    expect(reports({ growthPerHour: 2.5, exchangeMl: () => 0.5, everyS: 120 }).indexOf(true)).toBe(6);
  });

  it('is reported again after it kept up', () => {
    const ml = (exchange: number) => (exchange > 30 && exchange < 60 ? holding(1.5) : holding(2.5));
    const growthBack = (exchange: number) => (exchange > 30 && exchange < 60 ? Math.exp(-1 / 60) : 1);
    const course = { growthPerHour: 2.5, exchangeMl: ml, changedBy: growthBack, exchanges: 90 };
    expect(reports(course).filter(Boolean)).toHaveLength(2);
  });
});

describe('a turbidostat above its target', () => {
  it('is reported once when exchange after exchange does not lower the biomass', () => {
    // The pumps move less than their calibration.
    const course = { growthPerHour: 1.75, exchangeMl: () => holding(1.9), firstRatio: 1.2, share: 0.9 };
    expect(reports(course).filter(Boolean)).toHaveLength(1);
    expect(reports(course).indexOf(true)).toBe(6);
  });

  it('is not reported while a dense culture is diluted, or at its target', () => {
    expect(reports({ growthPerHour: 0.1, exchangeMl: () => holding(1.9), firstRatio: 3 })).not.toContain(true);
    expect(reports({ growthPerHour: 1.9, exchangeMl: () => holding(1.9), firstRatio: 1.04 })).not.toContain(true);
  });

  it('is not reported when a person has changed the density once', () => {
    const changedBy = (exchange: number) => (exchange === 12 ? 1.5 : 1);
    const exchangeMl = (exchange: number) => (exchange < 12 ? holding(1) : holding(1.9));
    expect(reports({ growthPerHour: 1, exchangeMl, changedBy })).not.toContain(true);
  });

  it('is judged anew when it is not known what the doses have washed out', () => {
    const { state } = steps({ growthPerHour: 2.5, exchangeMl: () => holding(2.5) }).at(-1) ?? { state: keepingUp };
    expect(keepingUpAfresh(state)).toEqual({ ...keepingUp, isReported: true });
  });
});
