import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModels } from '../models/built-in-models.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { defaultThermal } from '../vial/thermal.ts';
import { Vial } from '../vial/vial.ts';
import { defaultVialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { isPlausibleCooling } from './board-check.ts';
import { steadyCycle } from './heater-cycle.ts';
import {
  coolingPlan,
  heaterCycle,
  inferenceSetup,
  inferredTemperatures,
  learntFrom,
  learntJson,
  startInference,
  withDuty,
  withReadings,
} from './liquid-temperature.ts';
import { probeComparisons } from './probe-comparisons.ts';
import { type ProbeComparison, usualPrior } from './thermal-observer.ts';
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

const cycle = heaterCycle(plan);
const heatS = cycle.heatedS;

/** One cycle of heating and resting; gives the board's temperatures of the rest. */
function boardIn(vial: Vial, duty: number): number[] {
  vial.drive({ ...idleInputs, stirrerDuty: 30, heaterDuty: duty });
  vial.advance(heatS);
  vial.drive({ ...idleInputs, stirrerDuty: 30 });
  return Array.from({ length: plan.samples }, (_, index) => {
    if (index > 0) vial.advance(plan.spacingS);
    return vial.state.thermal.heaterC;
  });
}

/** A vial with its inference, which sees the board as the job does. */
class InferredVial {
  readonly vial: Vial;
  readonly setup;
  #inference;
  #atMs = 0;
  board: readonly number[] = [];

  constructor(vial: Vial, comparisons: readonly ProbeComparison[] = []) {
    this.vial = vial;
    this.setup = inferenceSetup(comparisons, cycle);
    const boardC = vial.state.thermal.heaterC;
    this.#inference = startInference(this.setup, { nowMs: 0, boardC, offS: 60, learnt: undefined });
  }

  /** `appliedDuty`: what the heater truly had, if it was not what it was told. */
  cycle(duty: number, appliedDuty = duty): void {
    this.#inference = withDuty(this.#inference, duty, this.#atMs);
    this.board = boardIn(this.vial, appliedDuty);
    this.#atMs += 1000 * heatS;
    this.#inference = withDuty(this.#inference, 0, this.#atMs);
    const readings = this.board.map((celsius, at) => ({ atMs: this.#atMs + 5000 * at, celsius }));
    this.#inference = withReadings(this.#inference, this.setup, readings);
    this.#atMs += 1000 * cycle.pauseS;
  }

  get inferred() {
    return inferredTemperatures(this.#inference, this.setup);
  }

  get errorC(): number {
    return this.inferred.liquidC - this.vial.state.thermal.liquidC;
  }

  learnt(trim: string) {
    return learntJson(this.#inference, trim);
  }
}

const vialIn = (room: Partial<ReturnType<typeof defaultVialParameters>> = {}) =>
  new Vial({ ...defaultVialParameters(), ...room }, new SeededStream('inferred'));

/** A vial with constants of its own, off by up to a half. */
const otherThermal = { ...defaultThermal, heaterToSleeve: 0.17, sleeveToLiquid: 0.21, sleeveToAir: 0.06, heaterW: 9 };

/** The comparison with a probe after some hours at a duty. */
function comparedAt(vial: Vial, duty: number): ProbeComparison {
  for (let count = 0; count < 80; count += 1) boardIn(vial, duty);
  const board = boardIn(vial, duty);
  return { duty, boardC: board.at(-1) ?? Number.NaN, probeC: Math.round(10 * vial.state.thermal.liquidC) / 10 };
}

describe('the temperature of the liquid', () => {
  it.each([10, 25, 40, 55])('is inferred from a cooling heater within a degree, at %d %%', (duty) => {
    const one = new InferredVial(vialIn());
    for (let count = 0; count < 30; count += 1) {
      one.cycle(duty);
      if (count >= 8) expect(Math.abs(one.errorC)).toBeLessThan(1);
    }
  });

  it('stays right within 0.3 °C after one comparison with a probe, in rooms of 18 to 30 °C', () => {
    const comparison = comparedAt(vialIn({ thermal: otherThermal }), 30);
    const room = { kind: 'steps', steps: [{ atS: 4 * 3600, celsius: 30 }], timeConstantS: 900 } as const;
    const trimmed = new InferredVial(vialIn({ thermal: otherThermal, ambientC: 18, room }), [comparison]);
    const untrimmed = new InferredVial(vialIn({ thermal: otherThermal, ambientC: 18, room }));
    for (let count = 0; count < 144; count += 1) {
      trimmed.cycle(count < 72 ? 36 : 15);
      untrimmed.cycle(count < 72 ? 36 : 15);
      if (count >= 20) expect(Math.abs(trimmed.errorC)).toBeLessThan(0.3);
    }
    expect(Math.abs(untrimmed.errorC)).toBeGreaterThan(Math.abs(trimmed.errorC));
  });

  it('is found for a warm vial on a cold board, in a few pauses without heat', () => {
    const warm = vialIn();
    const { state, ...snapshot } = warm.snapshot();
    const thermal = { heaterC: 22, sleeveC: 22, liquidC: 37 };
    const one = new InferredVial(Vial.from(warm.parameters, { ...snapshot, state: { ...state, thermal } }));
    for (let count = 0; count < 3; count += 1) one.cycle(0);
    expect(Math.abs(one.errorC)).toBeLessThan(1);
  });

  it('recovers from heat that the heater was told and did not give', () => {
    const comparison = comparedAt(vialIn(), 30);
    const one = new InferredVial(vialIn(), [comparison]);
    for (let count = 0; count < 40; count += 1) one.cycle(30);
    one.cycle(30, 0);
    expect(Math.abs(one.errorC)).toBeLessThan(0.5);
    for (let count = 0; count < 10; count += 1) one.cycle(30);
    expect(Math.abs(one.errorC)).toBeLessThan(0.3);
  });

  it('keeps what it has learnt of a vial, but not of another trim, another version, or damaged', () => {
    const first = new InferredVial(vialIn({ thermal: otherThermal }));
    for (let count = 0; count < 30; count += 1) first.cycle(30);
    const stored = JSON.parse(JSON.stringify(first.learnt('a')));
    const learnt = learntFrom(stored, 'a');
    expect(learnt?.roomC).toBeCloseTo(first.inferred.roomC, 9);
    expect(learnt?.parameters.mean).not.toEqual(usualPrior.mean);
    expect(learntFrom(stored, 'b')).toBeUndefined();
    const damaged = [
      { ...stored, version: 0 },
      { ...stored, mean: [1] },
      { ...stored, covariance: null },
    ];
    const negative = { ...stored, covariance: stored.covariance.map(() => -1) };
    for (const one of [...damaged, negative, { ...stored, roomC: 'warm' }, 7, undefined])
      expect(learntFrom(one, 'a')).toBeUndefined();
  });

  it('has the steady cycle that a simulated vial comes to', () => {
    const vial = new Vial(defaultVialParameters(), new SeededStream('steady'));
    const nearest = new InferredVial(vial);
    for (let count = 0; count < 100; count += 1) nearest.cycle(30);
    const { dutyPerDegree, liquidC, roomC } = nearest.inferred;
    expect((liquidC - roomC) * dutyPerDegree).toBeGreaterThan(25);
    expect((liquidC - roomC) * dutyPerDegree).toBeLessThan(35);
    expect(steadyCycle(usualPrior.mean, cycle).boardAboveLiquid).toBeGreaterThan(-0.05);
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
      for (let count = 0; count < 10; count += 1) expect(isPlausibleCooling(boardIn(vial, duty), duty, 95)).toBe(true);
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
    const one = new InferredVial(new Vial(defaultVialParameters(), new SeededStream('warm')));
    let [state, duty, hottest] = [initialThermostatState(targetC), 0, 0];
    for (let count = 0; count < 54; count += 1) {
      one.cycle(duty);
      const { liquidC, ...room } = one.inferred;
      const step = thermostatStep(state, defaultThermostatGains, { targetC, liquidC, room });
      [state, duty] = [step.state, step.duty];
      hottest = Math.max(hottest, liquidC);
      if (count > 36) expect(Math.abs(liquidC - targetC)).toBeLessThan(0.2);
    }
    expect(Math.abs(one.vial.state.thermal.liquidC - targetC)).toBeLessThan(1);
    expect(hottest).toBeLessThan(targetC + 0.5);
  });

  it('follows a warmer room at once, and a colder one slowly', () => {
    const now = (roomC: number) => ({ targetC: 37, liquidC: 37, room: { roomC, dutyPerDegree: 2.5 } });
    const warm = thermostatStep(initialThermostatState(37), defaultThermostatGains, now(22));
    expect(thermostatStep(warm.state, defaultThermostatGains, now(26)).duty - warm.duty).toBeCloseTo(-10, 9);
    // A colder room may be a door that will be closed again.
    expect(thermostatStep(warm.state, defaultThermostatGains, now(18)).duty - warm.duty).toBeCloseTo(2, 9);
    // A remembered duty is for the present room.
    const remembered = thermostatStep(initialThermostatState(37, 40), defaultThermostatGains, now(30));
    expect(remembered.duty).toBe(40);
    expect(thermostatStep(remembered.state, defaultThermostatGains, now(40)).duty).toBe(15);
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
          const step = thermostatStep(
            state,
            { ...defaultThermostatGains, heldDutyAcceleration: 1 },
            { targetC, liquidC },
          );
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

describe('the comparisons of a calibration file', () => {
  const file = {
    calibration_type: 'temperature',
    calibration_name: 'probe',
    calibrated_on_reactor_unit: 'rx01',
    created_at: '2026-11-26T12:00:00.000Z',
    curve_data_: { type: 'poly', coefficients: [1, 0.5] },
    x: 'Estimated',
    y: 'Probe',
    recorded_data: { x: [37], y: [37.5] },
  } as const;
  const content = { ...file, curve_data_: { type: 'poly' as const, coefficients: [1, 0.5] } };
  const recorded = { x: [...file.recorded_data.x], y: [...file.recorded_data.y] };

  it('are those that were recorded', () => {
    const complete = { ...content, recorded_data: recorded, heater_duty: [36], board_temperature: [38.2] };
    expect(probeComparisons(complete)).toEqual([{ duty: 36, boardC: 38.2, probeC: 37.5 }]);
  });

  it('are completed for a file from before duty and board were recorded', () => {
    const [one] = probeComparisons({ ...content, recorded_data: recorded });
    expect(one?.probeC).toBe(37.5);
    expect(one?.duty).toBeGreaterThan(25);
    expect(one?.duty).toBeLessThan(45);
    // The probe shows half a degree more, so that the board of this vial is less warm above its liquid than a usual one.
    const usual = steadyCycle(usualPrior.mean, cycle);
    expect((one?.boardC ?? 0) - 37).toBeCloseTo((one?.duty ?? 0) * usual.boardAboveLiquid, 9);
  });
});
