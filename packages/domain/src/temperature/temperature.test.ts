import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModels } from '../models/built-in-models.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { Vial } from '../vial/vial.ts';
import { defaultVialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { isPlausibleCooling } from './board-check.ts';
import { coolingPlan, liquidTemperature, TooFewSamplesError } from './liquid-temperature.ts';
import {
  defaultThermostatGains,
  heatDemand,
  initialThermostatState,
  limitDuty,
  limitTarget,
  thermostatStep,
  withNewTarget,
} from './thermostat.ts';

const plan = coolingPlan({ model_name: 'reactor_20ml', model_version: '1.5' });

/** One cycle of heating and resting; gives the board's temperatures of the rest. */
function cycle(vial: Vial, duty: number): number[] {
  vial.drive({ ...idleInputs, stirrerDuty: 30, heaterDuty: duty });
  vial.advance(plan.periodS - (plan.samples - 1) * plan.spacingS);
  vial.drive({ ...idleInputs, stirrerDuty: 30 });
  return Array.from({ length: plan.samples }, (_, index) => {
    if (index > 0) vial.advance(plan.spacingS);
    return vial.state.thermal.heaterC;
  });
}

describe('the temperature of the liquid', () => {
  it('is inferred from a cooling heater within a degree', () => {
    for (const duty of [10, 25, 40, 55]) {
      const vial = new Vial(defaultVialParameters(), new SeededStream(duty));
      for (let count = 0; count < 30; count += 1) {
        const { celsius } = liquidTemperature(cycle(vial, duty), duty);
        if (count >= 2) expect(Math.abs(celsius - vial.state.thermal.liquidC)).toBeLessThan(1);
      }
    }
  });

  it('is the last sample when nothing was heated, and follows a trim when it was', () => {
    expect(liquidTemperature([25, 24.123], 0).celsius).toBe(24.12);
    const samples = Array.from({ length: 21 }, (_, index) => 40 - 0.2 * index);
    const plain = liquidTemperature(samples, 30).celsius;
    expect(liquidTemperature(samples, 30, 0.5).celsius).toBeCloseTo(plain + 0.5, 9);
    expect(() => liquidTemperature([40, 39], 30)).toThrow(TooFewSamplesError);
  });

  it('looks longer at the slow first reactor', () => {
    const plans = builtInModels.map((model) => coolingPlan(model).samples);
    expect(plans).toEqual([21, 21, 21, 29, 21, 21, 21]);
  });
});

describe('the check of the board', () => {
  it('believes every vial, warm or cold, that was truly heated', () => {
    for (const duty of [8, 25, 60]) {
      const vial = new Vial(defaultVialParameters(), new SeededStream(duty));
      for (let count = 0; count < 10; count += 1) expect(isPlausibleCooling(cycle(vial, duty), duty, 95)).toBe(true);
    }
  });

  it('believes no sensor that does not see the heat, and judges nothing without heat', () => {
    const stuck = Array.from({ length: 21 }, () => 31.0625);
    expect(isPlausibleCooling(stuck, 30, 95)).toBe(false);
    expect(isPlausibleCooling(stuck, 30, 20)).toBe(true);
    expect(isPlausibleCooling(stuck, 5, 95)).toBe(true);
    expect(isPlausibleCooling(stuck, 0, 0)).toBe(true);
  });
});

describe('the thermostat', () => {
  it.each([30, 37, 42])('holds a vial at %d °C after two hours', (targetC) => {
    const vial = new Vial(defaultVialParameters(), new SeededStream('warm'));
    let [state, duty, hottest] = [initialThermostatState(targetC), 0, 0];
    for (let count = 0; count < 54; count += 1) {
      const { celsius } = liquidTemperature(cycle(vial, duty), duty);
      const step = thermostatStep(state, defaultThermostatGains, { targetC, liquidC: celsius });
      [state, duty] = [step.state, step.duty];
      hottest = Math.max(hottest, celsius);
      if (count > 36) expect(Math.abs(celsius - targetC)).toBeLessThan(0.2);
    }
    expect(Math.abs(vial.state.thermal.liquidC - targetC)).toBeLessThan(1.5);
    expect(hottest).toBeLessThan(targetC + 0.5);
  });

  it('does not learn a duty from a way that is fast, far, or as hot as it can be', () => {
    const at = (previousC: number | null, liquidC: number, heldDuty = 20) =>
      thermostatStep({ ...initialThermostatState(37, heldDuty), previousC }, defaultThermostatGains, {
        targetC: 37,
        liquidC,
      });
    expect(at(32, 36.5).state.heldDuty).toBe(20);
    expect(at(null, 22)).toMatchObject({ duty: 100, state: { heldDuty: 20 } });
    expect(at(36.4, 36.5).state.heldDuty).toBeCloseTo(20 + 2.6 * 0.5, 9);
    expect(at(34, 34.1).state.heldDuty).toBeCloseTo(20 + 2.6 * 0.75, 9);
    expect(at(50, 50.1, 0)).toMatchObject({ duty: 0, state: { heldDuty: 0 } });
  });

  it('learns slowly once it was at its target', () => {
    const there = thermostatStep(initialThermostatState(37, 20), defaultThermostatGains, {
      targetC: 37,
      liquidC: 37.1,
    });
    expect(there.state.hasArrived).toBe(true);
    const disturbed = thermostatStep({ ...there.state, previousC: 35 }, defaultThermostatGains, {
      targetC: 37,
      liquidC: 35,
    });
    expect(disturbed.state.heldDuty - there.state.heldDuty).toBeCloseTo(2.6 * 0.25, 9);
  });

  it('begins with what held before, or a little less than most vials need, and moves with its target', () => {
    expect(initialThermostatState(37).heldDuty).toBe(22.5);
    expect(initialThermostatState(10).heldDuty).toBe(0);
    expect(initialThermostatState(37, 40).heldDuty).toBe(40);
    expect(withNewTarget(initialThermostatState(37, 40), 37, 30).heldDuty).toBe(29.5);
  });

  it('never leaves 0 to 100 %, for any input', () => {
    const celsius = fc.double({ min: -40, max: 125, noNaN: true });
    fc.assert(
      fc.property(celsius, fc.array(celsius, { minLength: 1 }), (targetC, course) => {
        let state = initialThermostatState(targetC);
        return course.every((liquidC) => {
          const step = thermostatStep(state, { ...defaultThermostatGains, integral: 1 }, { targetC, liquidC });
          state = step.state;
          return step.duty >= 0 && step.duty <= 100 && state.heldDuty >= 0 && state.heldDuty <= 100;
        });
      }),
    );
  });

  it('obeys the limits of the model', () => {
    const limits = { max_temp_to_reduce_heating: 63, max_temp_to_disable_heating: 65, max_temp_to_shutdown: 66 };
    expect([63, 63.1, 65.1, 66.1].map((celsius) => heatDemand(celsius, limits))).toEqual([
      'none',
      'reduce',
      'disable',
      'shut_down',
    ]);
    expect([limitDuty('none', 50), limitDuty('reduce', 50), limitDuty('disable', 50)]).toEqual([50, 45, 0]);
    expect([limitTarget(70, limits), limitTarget(-1, limits), limitTarget(37, limits)]).toEqual([63, 0, 37]);
  });
});
