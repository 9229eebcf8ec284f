import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialPidState, type PidParameters, type PidState, pidStep } from './pid.ts';

const parameters = (changes: Partial<PidParameters> = {}): PidParameters => ({
  proportional: 1,
  integral: 0,
  derivative: 0,
  lowest: -10,
  highest: 10,
  ...changes,
});

describe('pidStep', () => {
  it('adds its three terms', () => {
    const gains = parameters({ proportional: 2, integral: 0.5, derivative: 3 });
    const first = pidStep(initialPidState, gains, { setpoint: 3, input: 1, dt: 2 });
    expect(first.terms).toEqual({ proportional: 4, integral: 2, derivative: 0 });
    expect(first.output).toBe(6);
    const second = pidStep(first.state, gains, { setpoint: 3, input: 2, dt: 2 });
    expect(second.terms).toEqual({ proportional: 2, integral: 3, derivative: -1.5 });
    expect(second.output).toBe(3.5);
  });

  it('gives no kick when only the setpoint moves', () => {
    const gains = parameters({ proportional: 0, derivative: 5 });
    const first = pidStep(initialPidState, gains, { setpoint: 1, input: 1, dt: 1 });
    expect(pidStep(first.state, gains, { setpoint: 9, input: 1, dt: 1 }).output).toBe(0);
  });

  it('comes back at once after a long time at its limit', () => {
    const gains = parameters({ proportional: 0.1, integral: 1 });
    let state: PidState = initialPidState;
    for (let step = 0; step < 1_000; step += 1) {
      state = pidStep(state, gains, { setpoint: 100, input: 0, dt: 1 }).state;
    }
    expect(pidStep(state, gains, { setpoint: 0, input: 60, dt: 1 }).output).toBe(-10);
  });

  it('pushes to either side with negative gains, as a controller of an inhibitor has them', () => {
    const gains = parameters({ proportional: -1, integral: -1, lowest: 0, highest: 1 });
    const grown = pidStep(initialPidState, gains, { setpoint: 0.1, input: 0.5, dt: 0.5 });
    expect(grown.terms.integral).toBeCloseTo(0.2, 12);
    expect(grown.output).toBeCloseTo(0.6, 12);
  });

  it('never leaves its limits, whatever it is fed', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(number, number, number, fc.array(fc.tuple(number, number), { minLength: 1 }), (p, i, d, inputs) => {
        const gains = parameters({ proportional: p, integral: i, derivative: d });
        let state: PidState = initialPidState;
        for (const [setpoint, input] of inputs) {
          const step = pidStep(state, gains, { setpoint, input, dt: 1 });
          state = step.state;
          if (!(step.output >= -10 && step.output <= 10 && Math.abs(state.integralTerm) <= 10)) return false;
        }
        return true;
      }),
    );
  });
});
