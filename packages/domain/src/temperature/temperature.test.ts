import { describe, expect, it } from 'vitest';
import { builtInModels } from '../models/built-in-models.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { Vial } from '../vial/vial.ts';
import { usualVial } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { coolingPlan, liquidTemperature, TooFewSamplesError } from './liquid-temperature.ts';
import {
  dutyAllowed,
  freshThermostat,
  heatDemand,
  targetAllowed,
  thermostatStep,
  usualThermostatGains,
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
      const vial = new Vial(usualVial(), new SeededStream(duty));
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

describe('the thermostat', () => {
  it.each([30, 37, 42])('holds a vial at %d °C after two hours', (targetC) => {
    const vial = new Vial(usualVial(), new SeededStream('warm'));
    let [state, duty, hottest] = [freshThermostat, 0, 0];
    for (let count = 0; count < 54; count += 1) {
      const { celsius } = liquidTemperature(cycle(vial, duty), duty);
      const step = thermostatStep(state, usualThermostatGains, { targetC, liquidC: celsius, duty });
      [state, duty] = [step.state, step.duty];
      hottest = Math.max(hottest, vial.state.thermal.liquidC);
      if (count > 36) expect(Math.abs(celsius - targetC)).toBeLessThan(1);
    }
    expect(Math.abs(vial.state.thermal.liquidC - targetC)).toBeLessThan(1.5);
    expect(hottest).toBeLessThan(targetC + 5);
  });

  it('moves the duty by no more than a quarter and rounds it', () => {
    const step = thermostatStep(freshThermostat, usualThermostatGains, { targetC: 90, liquidC: 20, duty: 10.5 });
    expect(step).toMatchObject({ duty: 35.5, change: 25 });
    const down = thermostatStep(freshThermostat, usualThermostatGains, { targetC: 0, liquidC: 40, duty: 10 });
    expect(down.duty).toBe(0);
  });

  it('obeys the limits of the model', () => {
    const limits = { max_temp_to_reduce_heating: 63, max_temp_to_disable_heating: 65, max_temp_to_shutdown: 66 };
    expect([63, 63.1, 65.1, 66.1].map((celsius) => heatDemand(celsius, limits))).toEqual([
      'none',
      'reduce',
      'disable',
      'shut_down',
    ]);
    expect([dutyAllowed('none', 50), dutyAllowed('reduce', 50), dutyAllowed('disable', 50)]).toEqual([50, 45, 0]);
    expect([targetAllowed(70, limits), targetAllowed(-1, limits), targetAllowed(37, limits)]).toEqual([63, 0, 37]);
  });
});
