import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModels } from '../models/built-in-models.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { defaultThermal } from '../vial/thermal.ts';
import { Vial } from '../vial/vial.ts';
import { defaultVialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { isPlausibleCooling } from './board-check.ts';
import { cycleResponse, steadyCycle } from './heater-cycle.ts';
import {
  coolingPlan,
  heaterCycle,
  inferenceSetup,
  inferredLiquid,
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
  type LiquidForecast,
  limitDuty,
  limitTarget,
  thermostatStep,
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

/** A vial with its inference, which gets the readings of the board that the job takes. */
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

  /** `appliedDuty`: the true duty of the heater, if it differs from the requested one. */
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
    return inferredLiquid(this.#inference, cycle);
  }

  get errorC(): number {
    return this.inferred.celsius - this.vial.state.thermal.liquidC;
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

  it('recovers from heat that was requested and that the heater did not give', () => {
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
    expect(learnt?.roomC).toBeCloseTo(first.inferred.forecast.roomC, 9);
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

  it('has the steady cycle to which its response settles', () => {
    const { keeps, perDuty } = cycleResponse(usualPrior.mean, cycle);
    let [board, sleeve, liquid] = [0, 0, 0];
    for (let count = 0; count < 300; count += 1)
      [board, sleeve, liquid] = [
        keeps[0][0] * board + keeps[0][1] * sleeve + keeps[0][2] * liquid + perDuty[0],
        keeps[1][0] * board + keeps[1][1] * sleeve + keeps[1][2] * liquid + perDuty[1],
        keeps[2][0] * board + keeps[2][1] * sleeve + keeps[2][2] * liquid + perDuty[2],
      ];
    const steady = steadyCycle(usualPrior.mean, cycle);
    expect(steady.liquidAboveRoom).toBeCloseTo(liquid, 6);
    expect(steady.boardAboveLiquid).toBeCloseTo(board - liquid, 6);
  });

  it.each([10, 30, 60])('is forecast for the next cycle with %d %% duty', (duty) => {
    const one = new InferredVial(vialIn(), [comparedAt(vialIn(), 30)]);
    for (let count = 0; count < 60; count += 1) one.cycle(30);
    const { celsius, forecast } = one.inferred;
    one.cycle(duty);
    const expected = celsius + (duty - forecast.holdingDuty) * forecast.perDuty;
    expect(Math.abs(one.vial.state.thermal.liquidC - expected)).toBeLessThan(0.2);
  });

  it('looks longer at the slow first reactor', () => {
    const plans = builtInModels.map((model) => coolingPlan(model).samples);
    expect(plans).toEqual([21, 21, 21, 29, 21, 21, 21]);
  });
});

describe('the check of the board', () => {
  it('accepts every vial, warm or cold, that was truly heated', () => {
    for (const duty of [8, 25, 60]) {
      const vial = new Vial(defaultVialParameters(), new SeededStream(duty));
      for (let count = 0; count < 10; count += 1) expect(isPlausibleCooling(boardIn(vial, duty), duty, 95)).toBe(true);
    }
  });

  it('rejects a sensor that does not respond to heat, and checks nothing without heat', () => {
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
    let [state, duty, hottest] = [initialThermostatState, 0, 0];
    for (let count = 0; count < 54; count += 1) {
      one.cycle(duty);
      const { celsius: liquidC, forecast } = one.inferred;
      const step = thermostatStep(state, defaultThermostatGains, { targetC, liquidC, forecast });
      [state, duty] = [step.state, step.duty];
      hottest = Math.max(hottest, liquidC);
      if (count > 36) expect(Math.abs(liquidC - targetC)).toBeLessThan(0.2);
    }
    expect(Math.abs(one.vial.state.thermal.liquidC - targetC)).toBeLessThan(1);
    expect(hottest).toBeLessThan(targetC + 0.5);
  });

  const usual: LiquidForecast = { roomC: 22, holdingDuty: 30, perDuty: 0.05, perRoom: 0.1 };
  const stepped = (liquidC: number, forecast: LiquidForecast, state = initialThermostatState) =>
    thermostatStep(state, defaultThermostatGains, { targetC: 37, liquidC, forecast });

  it('adds to the duty that holds the liquid what is missing', () => {
    expect(stepped(37, usual).duty).toBe(30);
    expect(stepped(36, usual).duty).toBeCloseTo(30 + defaultThermostatGains.proportional, 9);
    expect(stepped(38, usual).duty).toBeCloseTo(30 - 1 / 0.05, 9);
    expect([stepped(20, usual).duty, stepped(60, usual).duty]).toEqual([100, 0]);
  });

  it('gives no more than what brings the liquid to its target in this cycle', () => {
    expect(stepped(36, { ...usual, perDuty: 0.2 }).duty).toBeCloseTo(30 + 1 / 0.2, 9);
  });

  it('prepares for the end of a cold spell, and follows a colder room slowly', () => {
    const before = stepped(37, usual);
    const colder = { ...usual, roomC: 12, holdingDuty: 55 };
    const now = stepped(37, colder, before.state);
    expect(now.state.usualRoomC).toBe(21.5);
    // If the room were at 21.5 °C again, 9.5 °C warmer, the liquid would otherwise exceed its target by 0.95 °C or more.
    expect(now.duty).toBeLessThan(55 - (0.1 * 9.5) / 0.05);
    let state = now.state;
    for (let count = 0; count < 19; count += 1) state = stepped(37, colder, state).state;
    expect(stepped(37, colder, state).duty).toBe(55);
    expect(stepped(36, colder, before.state).duty).toBeGreaterThan(now.duty);
  });

  it('follows a warmer room at once', () => {
    const before = stepped(37, usual);
    expect(stepped(37, { ...usual, roomC: 30, holdingDuty: 12 }, before.state).duty).toBe(12);
  });

  it('accumulates nothing while the duty is limited', () => {
    const gains = { ...defaultThermostatGains, integral: 1 };
    const at = (liquidC: number) =>
      thermostatStep(initialThermostatState, gains, { targetC: 37, liquidC, forecast: usual }).state.pid.integralTerm;
    expect([at(20), at(60)]).toEqual([0, 0]);
    expect(at(36.9)).toBeCloseTo(0.1, 9);
  });

  it('never leaves 0 to 100 %, for any input', () => {
    const celsius = fc.double({ min: -40, max: 125, noNaN: true });
    const forecast = fc.record({
      roomC: celsius,
      holdingDuty: fc.double({ min: -1000, max: 1000, noNaN: true }),
      perDuty: fc.double({ min: 1e-3, max: 1, noNaN: true }),
      perRoom: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const gains = { ...defaultThermostatGains, integral: 1, derivative: 1 };
    fc.assert(
      fc.property(celsius, fc.array(fc.tuple(celsius, forecast), { minLength: 1 }), (targetC, course) => {
        let state = initialThermostatState;
        return course.every(([liquidC, now]) => {
          const step = thermostatStep(state, gains, { targetC, liquidC, forecast: now });
          state = step.state;
          return step.duty >= 0 && step.duty <= 100;
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
