import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { Vial } from '../vial/vial.ts';
import { defaultVialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { countingSeconds, measuredRpm } from './measured-speed.ts';
import {
  defaultSpeedGains,
  dutyAfterStall,
  initialDuty,
  initialSearch,
  initialSpeedState,
  isBarLoose,
  proportionalDuty,
  recordKick,
  searchStep,
  speedStep,
} from './speed-controller.ts';
import { dutyForRpm } from './stirring-calibration.ts';

const line = { curve_data_: { type: 'poly' as const, coefficients: [10, -5] } };

describe('stirring', () => {
  it('takes its first duty from the calibration', () => {
    const seeded = dutyForRpm(line, 500) ?? 0;
    expect(seeded).toBeCloseTo(50.5, 9);
    expect(initialDuty(500, seeded, seeded)).toBeCloseTo(53.025, 9);
    expect(initialDuty(600, 53.025, dutyForRpm(line, 600))).toBeCloseTo(62.74, 2);
    expect(initialDuty(600, 53, undefined)).toBe(53);
    expect(initialDuty(0, 53, seeded)).toBe(0);
  });

  it('finds the duty of any speed that a calibration covers', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 99, noNaN: true }), (duty) => {
        return Math.abs((dutyForRpm(line, 10 * duty - 5) ?? Number.NaN) - duty) < 1e-9;
      }),
    );
    expect(dutyForRpm(line, 5000)).toBeUndefined();
    expect(dutyForRpm(line, -100)).toBeUndefined();
  });

  it('counts turns', () => {
    expect(measuredRpm([0, 0.1, 0.2, 0.3])).toBe(600);
    expect(measuredRpm([1])).toBe(0);
    expect(measuredRpm([])).toBe(0);
    expect([500, 100, 2000, 0].map(countingSeconds)).toEqual([1.2, 5, 1, 1]);
  });

  it('never moves the duty by more than its largest step nor beyond its limits', () => {
    const number = fc.double({ min: 0, max: 5000, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), number, number, (duty, targetRpm, measuredRpm) => {
        const gains = { proportional: 1, integral: 1, derivative: 0 };
        const next = speedStep(initialSpeedState(duty), gains, { targetRpm: targetRpm + 1, measuredRpm });
        return next.duty >= 0 && next.duty <= 100 && Math.abs(next.duty - duty) <= 7.5 + 1e-9;
      }),
    );
  });

  it('brings a vial to its speed and holds it there', () => {
    const vial = new Vial(defaultVialParameters(), new SeededStream('stirring'));
    let state = initialSpeedState(22);
    vial.drive({ ...idleInputs, stirrerDuty: 100 });
    vial.advance(0.5);
    for (let step = 0; step < 30; step += 1) {
      vial.drive({ ...idleInputs, stirrerDuty: state.duty });
      vial.advance(23);
      state = speedStep(state, defaultSpeedGains, { targetRpm: 500, measuredRpm: vial.state.stirrer.rpm });
    }
    expect(Math.abs(vial.state.stirrer.rpm - 500)).toBeLessThan(25);
  });

  it('finds the duty of a speed in a few attempts, whatever stirrer it is', () => {
    const stirrer = fc.record({
      slope: fc.double({ min: 12, max: 32, noNaN: true }),
      deadZone: fc.double({ min: 3, max: 10, noNaN: true }),
      targetRpm: fc.double({ min: 200, max: 1000, noNaN: true }),
    });
    fc.assert(
      fc.property(stirrer, ({ slope, deadZone, targetRpm }) => {
        const rpmAt = (duty: number) => Math.max(0, slope * (duty - deadZone));
        let [duty, search, isOver] = [30, initialSearch, false];
        while (!isOver) ({ duty, search, isOver } = searchStep(search, { targetRpm, measuredRpm: rpmAt(duty), duty }));
        return rpmAt(100) < targetRpm || Math.abs(rpmAt(duty) / targetRpm - 1) < 0.02;
      }),
    );
  });

  it('does not take a speed for found that may only be passing by', () => {
    const passing = searchStep(
      { attempts: 1, last: { duty: 20, rpm: 300 } },
      { targetRpm: 500, measuredRpm: 500, duty: 30 },
    );
    expect(passing.isOver).toBe(false);
    const steady = searchStep(
      { attempts: 1, last: { duty: 29.5, rpm: 495 } },
      { targetRpm: 500, measuredRpm: 500, duty: 30 },
    );
    expect(steady).toMatchObject({ isOver: true, duty: 30 });
  });

  it('sees a lost bar by a speed that no bar would allow, and not by another duty', () => {
    const coupled = { duty: 30, rpm: 500 };
    expect(isBarLoose(coupled, { duty: 30, rpm: 640 })).toBe(true);
    expect(isBarLoose(coupled, { duty: 30, rpm: 600 })).toBe(false);
    expect(isBarLoose(coupled, { duty: 45, rpm: 800 })).toBe(false);
    expect(isBarLoose(undefined, { duty: 30, rpm: 2000 })).toBe(false);
    expect(proportionalDuty(800, coupled)).toBeCloseTo(44.4, 9);
  });

  it('gives up after too many stalls in ten minutes, and not for old ones', () => {
    const minute = 60_000;
    let kicksMs: readonly number[] = [];
    const results = [0, 1, 2, 3, 20].map((minutes) => {
      const after = recordKick(kicksMs, minutes * minute);
      kicksMs = after.kicksMs;
      return after.giveUp;
    });
    expect(results).toEqual([false, false, false, true, false]);
    expect([50, 90].map(dutyAfterStall)).toEqual([50.5, 60]);
  });
});
