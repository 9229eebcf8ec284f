import { describe, expect, it } from 'vitest';
import { factsOfUnit, noHardware, PlainSession } from '../testing/test-session.ts';
import { InvalidInput } from './protocol.ts';
import { protocolFor } from './protocols.ts';
import { testDurations } from './pump-protocol.ts';

describe('the stirrer', () => {
  it('is fitted to the points where it turned', () => {
    const points = [20, 25, 30, 35, 40, 30].map((duty) => ({ duty, rpm: duty === 20 ? 0 : 21 * (duty - 6) }));
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, (action) => {
      expect(action).toEqual({ kind: 'stirring', lowestDuty: 0.66 * 30, highestDuty: 1.33 * 30 });
      return { kind: 'stirring', points, supplyV: 5 };
    });
    session.gives();
    expect(session.gives()).toBe('complete');
    expect(session.files[0]?.content).toMatchObject({
      calibration_name: 'stirring-calibration-2026-11-21_04-24',
      recorded_data: { x: [25, 30, 35, 40, 30] },
    });
  });

  it('without any rotation gives no calibration', () => {
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, () => ({
      kind: 'stirring',
      points: [{ duty: 20, rpm: 0 }],
      supplyV: 5,
    }));
    session.gives();
    expect(() => session.gives()).toThrow(InvalidInput);
    expect(session.stepId).toBe('run_calibration');
  });
});

describe('a pump', () => {
  it('runs for times around the requested volumes', () => {
    const durations = testDurations([1], 0.09);
    expect(durations).toHaveLength(10);
    expect(durations[0]).toBeCloseTo(8.889, 3);
    expect(durations[4]).toBeCloseTo(10.556, 3);
    expect(durations[9]).toBeCloseTo(12.222, 3);
  });

  it('is not run for longer than the guard allows', () => {
    const session = new PlainSession('media_pump', 'duration_based', factsOfUnit, noHardware);
    for (let step = 0; step < 3; step += 1) session.gives();
    session.gives({});
    expect(() => session.gives({ mls_to_calibrate_for: [0] })).toThrow('above 0');
    session.gives({});
    expect(() => session.gives({ hz: 250, dc: 0 })).toThrow('dc');
    session.gives({ hz: 250, dc: 100 });
    session.gives();
    expect(() => session.gives({ prime_duration_s: 4 })).toThrow('at least 5');
    expect(() => session.gives({ prime_duration_s: 134 })).toThrow('133 s at most');
  });
});

it('lets a pump run again when what was weighed is wrong', () => {
  const session = new PlainSession('media_pump', 'duration_based', factsOfUnit, ({ kind }) =>
    kind === 'supply' ? { kind, supplyV: 12 } : { kind: 'pump' },
  );
  const begin = [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }, {}, { prime_duration_s: 5 }, {}, { volume_ml: 0.1 }];
  const volumes = [0.8, 0.8, 0.8, 0.8, 0.95, 0.95, 1.1, 1.1, 9.9].flatMap((volume_ml) => [{}, { volume_ml }]);
  for (const inputs of [...begin, ...volumes, {}]) session.gives(inputs);
  expect(() => session.gives({ volume_ml: 1.1 })).toThrow('Repeat the last runs');
  const redo = { action: 'redo_last' };
  expect(session.step.metadata.actions).toMatchObject([{ inputs: redo }]);
  expect([redo, redo, { volume_ml: 1.1 }, {}, { volume_ml: 1.1 }].map((one) => session.gives(one))[4]).toBe('complete');
});

describe('the trim of the temperature', () => {
  const facts = { ...factsOfUnit, runningJobs: ['temperature_automation'] };
  const session = (estimates: number[], duty = 37) =>
    new PlainSession('temperature', 'probe_trim', facts, () => ({
      kind: 'temperature',
      estimatedC: estimates.shift() ?? Number.NaN,
      boardC: 38.4,
      duty,
    }));

  it('refuses a comparison without heat, which says nothing of the vial', () => {
    const trim = session([22], 1);
    trim.gives();
    trim.gives({ calibration_name: 'probe' });
    expect(() => trim.gives({ probe_c: 22 })).toThrow(InvalidInput);
    expect(trim.step.step_id).toBe('compare');
  });

  it('is what a probe shows more than the unit estimates, over all comparisons', () => {
    const trim = session([36.1, 29.3]);
    expect(trim.gives()).toBe('name');
    expect(trim.gives({ calibration_name: 'probe' })).toBe('compare');
    expect(trim.gives({ probe_c: 37 })).toBe('more');
    expect(trim.step.body).toContain('0.9 ℃ more than the estimate, over 1 point.');
    expect(trim.gives({ another: 'yes' })).toBe('compare');
    expect(trim.gives({ probe_c: 30 })).toBe('more');
    expect(trim.gives({ another: 'no' })).toBe('complete');
    expect(trim.files).toEqual([
      {
        kind: 'calibration',
        device: 'temperature',
        content: expect.objectContaining({
          calibration_type: 'temperature',
          calibration_name: 'probe',
          curve_data_: { type: 'poly', coefficients: [1, 0.8] },
          x: 'Estimated',
          y: 'Probe',
          recorded_data: { x: [36.1, 29.3], y: [37, 30] },
          heater_duty: [37, 37],
          board_temperature: [38.4, 38.4],
        }),
      },
    ]);
    expect(trim.result).toMatchObject({ offset_c: 0.8, points: 2, farthest_point_c: 0.1 });
  });

  it('takes no probe that cannot be in the liquid, and needs the automation to run', () => {
    const trim = session([36]);
    trim.gives();
    trim.gives({ calibration_name: 'probe' });
    expect(() => trim.gives({ probe_c: 98.6 })).toThrow(InvalidInput);
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', facts)).toBeUndefined();
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', factsOfUnit)).toContain(
      'not running',
    );
  });
});
