import { describe, expect, it } from 'vitest';
import { type ExchangePace, exchangeSeconds, fastestDilution, keepingUp, keepingUpStep } from './dosing-capacity.ts';

const pace: ExchangePace = {
  mediaMlPerS: 0.1,
  wasteMlPerS: 0.1,
  pauseS: 5,
  wasteMultiplier: 2,
  maxSubdoseMl: 1,
  settleS: 30,
};

describe('the capacity of the pumps', () => {
  it('follows from the duration of an exchange and what it washes out', () => {
    expect(exchangeSeconds(1, pace)).toBeCloseTo(45, 9);
    expect(exchangeSeconds(2, pace)).toBeCloseTo(90, 9);
    expect(fastestDilution(1, 15, pace)).toBeCloseTo((3600 * Math.log(16 / 15)) / 75, 9);
  });
});

/** Whether it is reported, for the biomass at each exchange. */
const reports = (ratios: readonly number[]): readonly boolean[] => {
  let state = keepingUp;
  return ratios.map((ratio) => {
    const next = keepingUpStep(state, ratio);
    state = next.state;
    return next.cannot;
  });
};

describe('a turbidostat above its target', () => {
  it('is reported once when exchange after exchange does not lower the biomass', () => {
    const ratios = Array.from({ length: 20 }, (_, index) => 1.2 + 0.01 * index);
    expect(reports(ratios).filter(Boolean)).toHaveLength(1);
    expect(reports(ratios).indexOf(true)).toBe(6);
  });

  it('is not reported while a dense culture is diluted, or at its target', () => {
    expect(reports(Array.from({ length: 30 }, (_, index) => 3 * 0.97 ** index))).not.toContain(true);
    expect(reports(Array.from({ length: 30 }, () => 1.04))).not.toContain(true);
  });

  it('is reported again after it was at its target', () => {
    const far = Array.from({ length: 10 }, () => 1.4);
    expect(reports([...far, 1, ...far]).filter(Boolean)).toHaveLength(2);
  });
});
