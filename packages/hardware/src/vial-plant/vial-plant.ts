import {
  type Angle,
  type ConversionTime,
  idleInputs,
  SeededStream,
  type SeededStreamState,
  type SteadySignal,
  Vial,
  type VialInputs,
  type VialParameters,
  type VialSnapshot,
  type VialStart,
} from '@lcs/domain/boards';
import { type BoardLayout, board12, type OutputLevels, type PwmChannel } from '../board-layout.ts';
import type { Plant, VialView } from '../simulated/plant.ts';
import { RotationHistory } from './rotation-history.ts';

/** Where each photodiode (1 to 4) sits around the vial. */
export type PhotodiodeAngles = Readonly<Record<number, Angle>>;

/** Usual positions: 1 faces the LED, 2 measures side scatter; extended optics have further ones. */
export const defaultAngles: PhotodiodeAngles = { 1: 'REF', 2: '90', 3: '135', 4: '45' };

/** Which PWM channel drives what. */
export type PlantWiring = Readonly<Record<'stirrer' | 'heater' | 'media' | 'alt_media' | 'waste', PwmChannel>>;

const defaultPlantWiring: PlantWiring = { stirrer: 1, media: 2, alt_media: 3, waste: 4, heater: 5 };

/** Plain data, stored as JSON, from which a plant continues. */
export interface VialPlantState {
  readonly vial: VialSnapshot;
  readonly hall: SeededStreamState;
}

export interface VialPlantOptions {
  readonly parameters: VialParameters;
  readonly seed: number | string;
  readonly layout?: BoardLayout;
  readonly angles?: PhotodiodeAngles;
  readonly wiring?: PlantWiring;
  /** Initial values of a new vial; ignored where `state` is given. */
  readonly start?: VialStart;
  /** Continues from this state. The outputs start switched off: the board that drives the plant is new. */
  readonly state?: VialPlantState;
}

/** The times of the magnet scatter by this share of a turn (no more than three times it); and this share of them is missed. */
const turnScatter = 0.003;
const missedShare = 0.0001;

const defaultSupplyVolts = 5;
const lowSupplyVolts = 4.6;

/** The domain's vial behind the chips of a simulated board: each access simulates it up to the present. */
export class VialPlant implements Plant {
  #vial: Vial;
  readonly #layout: BoardLayout;
  readonly #angles: PhotodiodeAngles;
  readonly #wiring: PlantWiring;
  #hall: SeededStream;
  #turns = new RotationHistory();
  #inputs: VialInputs = idleInputs;
  /** The board's time up to which the vial is simulated; undefined before the first access. */
  #atMs: number | undefined;
  /** Temperatures of the board that are noted when the vial passes their times. */
  #followed: { readonly timesMs: readonly number[]; readonly celsius: number[] } = { timesMs: [], celsius: [] };
  /** The constant value of a stuck sensor. */
  #shownC: number | undefined;

  constructor({ parameters, seed, layout, angles, wiring, start, state }: VialPlantOptions) {
    const random = new SeededStream(seed);
    this.#vial = state === undefined ? new Vial(parameters, random, start) : Vial.from(parameters, state.vial);
    this.#vial.drive(idleInputs);
    this.#layout = layout ?? board12;
    this.#angles = angles ?? defaultAngles;
    this.#wiring = wiring ?? defaultPlantWiring;
    this.#hall = state === undefined ? random.split('hall') : SeededStream.from(state.hall);
  }

  /** The true state of the vial, for tests and for records that are marked as simulated. */
  get vial(): Pick<Vial, 'od' | 'growthRate' | 'state' | 'parameters'> {
    return this.#vial;
  }

  /** The present state, or that at the given board time. */
  state(atMs?: number): VialPlantState {
    if (atMs !== undefined) this.#comeUpTo(atMs);
    return { vial: this.#vial.snapshot(), hall: this.#hall.state() };
  }

  /** Simulates the time without a board, with everything switched off. Call it before the first access. */
  pass(seconds: number): void {
    this.#vial.drive(idleInputs);
    this.#vial.advance(seconds);
  }

  /** Replaces the vial by another one, advanced by `passS` seconds with everything off. The outputs stay unchanged. */
  replace({ vial, hall }: VialPlantState, passS: number): void {
    const { parameters } = this.#vial;
    this.#vial = Vial.from(parameters, vial);
    this.#hall = SeededStream.from(hall);
    this.#turns = new RotationHistory();
    this.#atMs = undefined;
    this.pass(passS);
    this.#vial.drive(this.#inputs);
  }

  setOutputs(levels: OutputLevels, atMs: number): void {
    this.#comeUpTo(atMs);
    this.#inputs = this.#inputsOf(levels);
    this.#vial.drive(this.#inputs);
  }

  photodiodeVolts(photodiode: number, atMs: number, time?: ConversionTime): number {
    this.#comeUpTo(atMs);
    const angle = this.#angles[photodiode];
    return angle === undefined ? 0 : this.#vial.conversion(angle, time);
  }

  photodiodeSignal(photodiode: number, atMs: number): SteadySignal {
    this.#comeUpTo(atMs);
    const angle = this.#angles[photodiode];
    const dark = { levelV: 0, sampleSdV: 0, mainsAmplitudeV: 0, mainsHz: 50, mainsPhase: 0 };
    return angle === undefined ? dark : this.#vial.light(angle);
  }

  boardCelsius(atMs: number): number {
    this.#comeUpTo(atMs);
    return this.#boardCelsius();
  }

  /**
   * Notes the board's temperature at these times, the first not before the present, instead of earlier noted ones. The result
   * returns them, at the last of the times.
   */
  followBoard(timesMs: readonly number[]): (atMs: number) => readonly number[] {
    const followed = { timesMs, celsius: [] };
    this.#followed = followed;
    return (atMs) => {
      this.#comeUpTo(atMs);
      return followed.celsius;
    };
  }

  #boardCelsius(): number {
    const { faults, roomC, heaterC } = this.#vial;
    if (faults.has('temperature_sensor_loose')) return roomC;
    if (this.#shownC === undefined || !faults.has('temperature_sensor_stuck')) this.#shownC = heaterC;
    return this.#shownC;
  }

  supplyVolts(atMs: number): number {
    this.#comeUpTo(atMs);
    return this.#vial.faults.has('supply_low') ? lowSupplyVolts : defaultSupplyVolts;
  }

  stirrerPulsesMs(fromMs: number, toMs: number): readonly number[] {
    this.#comeUpTo(fromMs);
    this.#comeUpTo(toMs);
    if (this.#vial.faults.has('hall_dead')) return [];
    return this.#scattered(this.#turns.turnTimesMs(fromMs, toMs), toMs);
  }

  view(atMs: number): VialView {
    this.#comeUpTo(atMs);
    const { od, state, parameters } = this.#vial;
    return {
      od: od * state.suspended,
      volumeMl: state.volumeMl,
      capacityMl: parameters.capacityMl,
      rpm: state.stirrer.rpm,
      lightPercent: this.#inputs.leds[parameters.irLed],
    };
  }

  isMute(address: number, atMs: number): boolean {
    if (this.#vial.parameters.faults.length === 0) return false;
    this.#comeUpTo(atMs);
    const { faults } = this.#vial;
    const sensorIsDead = address === this.#layout.temperatureAddress && faults.has('temperature_sensor_dead');
    return sensorIsDead || faults.has('bus_errors');
  }

  #comeUpTo(atMs: number): void {
    const { timesMs, celsius } = this.#followed;
    for (let dueMs = timesMs[celsius.length]; dueMs !== undefined && dueMs <= atMs; dueMs = timesMs[celsius.length]) {
      this.#advanceTo(dueMs);
      celsius.push(this.#boardCelsius());
    }
    this.#advanceTo(atMs);
  }

  #advanceTo(atMs: number): void {
    if (this.#atMs !== undefined && atMs > this.#atMs) this.#vial.advance((atMs - this.#atMs) / 1000);
    this.#atMs = Math.max(atMs, this.#atMs ?? atMs);
    this.#turns.add(this.#atMs, this.#vial.turns);
  }

  #inputsOf({ pwm, led }: OutputLevels): VialInputs {
    const { stirrer, heater, media, alt_media, waste } = this.#wiring;
    return {
      stirrerDuty: pwm[stirrer],
      heaterDuty: pwm[heater],
      pumps: { media: pwm[media], alt_media: pwm[alt_media], waste: pwm[waste] },
      leds: led,
    };
  }

  /** The measured times for the true times; they stay in order, and none is later than the time of the call. */
  #scattered(turnTimesMs: readonly number[], toMs: number): number[] {
    const turnMs = (turnTimesMs[1] ?? 0) - (turnTimesMs[0] ?? 0);
    const seen: number[] = [];
    for (const passMs of turnTimesMs) {
      const scatter = Math.max(-3, Math.min(3, this.#hall.normal())) * turnScatter * Math.max(0, turnMs);
      const isMissed = this.#hall.chance(missedShare);
      if (!isMissed) seen.push(Math.min(toMs, Math.max(passMs + scatter, seen.at(-1) ?? passMs)));
    }
    return seen;
  }
}
