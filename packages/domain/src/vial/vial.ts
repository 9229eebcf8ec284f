import { type ConversionTime, conversionOf, type SteadySignal } from '../od/oversampling.ts';
import { SeededStream, type SeededStreamState } from '../random/seeded-stream.ts';
import { type FaultName, faultsAt, nextFaultEdge } from './faults.ts';
import { grow, growthRate } from './growth.ts';
import type { Angle } from './optics.ts';
import { stir } from './stirrer.ts';
import { heat, withLoss } from './thermal.ts';
import { lightAt } from './vial-light.ts';
import { defaultStart, type Pump, type VialParameters, type VialStart } from './vial-parameters.ts';
import {
  type ChangingState,
  copyOf,
  idleInputs,
  initialState,
  roomC,
  trueOd,
  type VialInputs,
  type VialState,
} from './vial-state.ts';
import { gapsAfter, pump, volumeFaults } from './volume.ts';

/** Seconds between two draws of what wanders; also the longest time that anything is treated as even. */
const tickS = 5;

/** How much faster a motor turns without its bar in the liquid. Chosen. */
const withoutBar = 1.35;

/** An open door: a colder room with moving air, and so a larger heat loss. Chosen. */
const draughtC = 3;
const draughtLoss = 1.5;

const pumpNames: readonly Pump[] = ['media', 'alt_media', 'waste'];

/** Share by which runs of a pump differ. Chosen (fact sheet, 10.6). */
const defaultRunDeviation = 0.02;

/** The largest share of its flow that a pump with air in its tube moves. Chosen. */
const mostWithAir = 0.8;

/** A value that wanders about 0 (Ornstein and Uhlenbeck): its share that a tick keeps, and the deviation that the tick adds. */
interface Wandering {
  readonly keeps: number;
  readonly adds: number;
}

function wandering(deviation: number, timeS: number): Wandering {
  const keeps = Math.exp(-tickS / timeS);
  return { keeps, adds: deviation * Math.sqrt(1 - keeps * keeps) };
}

/** Chance of a simulated unit, one stream per source, so that looking at one thing does not shift another. */
interface VialStreams {
  readonly wander: SeededStreamState;
  readonly conversions: SeededStreamState;
}

/** A converter that is read when it converts. */
const atOnce: ConversionTime = { endedS: 0, tookS: 0 };

/** The state of a vial, from which it continues after a restart; plain data. */
export interface VialSnapshot {
  readonly state: VialState;
  readonly inputs: VialInputs;
  readonly streams: VialStreams;
}

/** A simulated vial with its culture, light, heat, stirrer and pumps. It has no clock: its owner advances the time. */
export class Vial {
  readonly parameters: VialParameters;
  /** Changed in place: what is given away is a copy. */
  #state: ChangingState;
  #inputs: VialInputs = idleInputs;
  readonly #wanderings: Readonly<Record<'stirrer' | 'room' | 'light', Wandering>>;
  #wander: SeededStream;
  #conversions: SeededStream;

  constructor(parameters: VialParameters, random: SeededStream, start: VialStart = defaultStart) {
    this.parameters = parameters;
    this.#state = copyOf(initialState(parameters, start));
    const { noise } = parameters;
    const isQuiet = noise.readingDeviation === 0;
    this.#wanderings = {
      stirrer: wandering(isQuiet ? 0 : 0.02, 600),
      room: wandering(isQuiet ? 0 : 0.2, 3600),
      light: wandering(1, noise.slowTimeS),
    };
    this.#wander = random.split('wander');
    this.#conversions = random.split('conversions');
  }

  /** Continues from a snapshot with the same or changed parameters. */
  static from(parameters: VialParameters, snapshot: VialSnapshot): Vial {
    const vial = new Vial(parameters, SeededStream.from(snapshot.streams.wander));
    vial.#state = copyOf(snapshot.state);
    vial.#inputs = snapshot.inputs;
    vial.#wander = SeededStream.from(snapshot.streams.wander);
    vial.#conversions = SeededStream.from(snapshot.streams.conversions);
    return vial;
  }

  snapshot(): VialSnapshot {
    const streams = { wander: this.#wander.state(), conversions: this.#conversions.state() };
    return { state: this.state, inputs: this.#inputs, streams };
  }

  /** The present state. */
  get state(): VialState {
    return copyOf(this.#state);
  }

  /** Turns of the stirrer since the start. */
  get turns(): number {
    return this.#state.stirrer.turns;
  }

  /** Of the heater's board, °C. */
  get heaterC(): number {
    return this.#state.thermal.heaterC;
  }

  /** Of the room, °C. */
  get roomC(): number {
    return roomC(this.parameters, this.#state);
  }

  /** The faults that are on now; the simulated chips carry out those of them that concern read-outs. */
  get faults(): ReadonlySet<FaultName> {
    return faultsAt(this.parameters.faults, this.#state.timeS);
  }

  /** The true OD of the vial, independent of the light. */
  get od(): number {
    return trueOd(this.parameters, this.#state);
  }

  /** Per hour of the culture, as `speed` makes it; dilution and evaporation not counted. */
  get growthRate(): number {
    const { organism, speed } = this.parameters;
    const { altMediaShare, culture, thermal } = this.#state;
    return speed * this.#growthFactor(altMediaShare) * growthRate(organism, culture, thermal.liquidC);
  }

  /** From now on the outputs have these levels. */
  drive(inputs: VialInputs): void {
    const before = this.#inputs.pumps;
    this.#inputs = inputs;
    const begun = pumpNames.filter((pump) => before[pump] <= 0 && inputs.pumps[pump] > 0);
    const { noise, pumpRunDeviation = defaultRunDeviation, pumpStartDeficitMl: gapMl = 0 } = this.parameters;
    if (gapMl > 0) {
      const gaps = Object.fromEntries(begun.map((pump) => [pump, gapMl]));
      this.#state.pumpGapsMl = { ...this.#state.pumpGapsMl, ...gaps };
    }
    // Only then is anything drawn: a vial without pumps keeps its course.
    if (begun.length === 0 || noise.readingDeviation === 0) return;
    const runs = begun.map((pump) => {
      const share = Math.max(0, 1 + pumpRunDeviation * this.#wander.normal());
      return [pump, this.#drawsAir(pump) ? mostWithAir * share * this.#wander.uniform() : share] as const;
    });
    this.#state.pumpRuns = { ...this.#state.pumpRuns, ...Object.fromEntries(runs) };
  }

  /**
   * Advances the vial by `seconds` with the present inputs. Random fluctuations are drawn every five seconds of the vial's time, so
   * that they do not depend on the intervals of the calls.
   */
  advance(seconds: number): void {
    const end = this.#state.timeS + seconds;
    while (this.#state.timeS < end) {
      const { timeS } = this.#state;
      const tick = (Math.floor(timeS / tickS + 1e-9) + 1) * tickS;
      const until = Math.min(end, tick, nextFaultEdge(this.parameters.faults, timeS));
      this.#pass(until - timeS, until);
      if (until === tick) this.#drift();
    }
  }

  /** The signal of a photodiode during a reading that starts now. */
  light(angle: Angle): SteadySignal {
    return lightAt(this.parameters, this.#state, this.#inputs, this.#seenFaults(), angle);
  }

  /** Volts of one conversion, with hum and noise. `time`: of a converter that has averaged the hum until then; missing: now, at once. */
  conversion(angle: Angle, time: ConversionTime = atOnce): number {
    return conversionOf(this.light(angle), time, this.#conversions.normal());
  }

  /** With the bubbles of a pump that brings air. */
  #seenFaults(): ReadonlySet<FaultName> {
    const { faults } = this;
    const { pumps } = this.#inputs;
    const { reservoirsMl } = this.#state;
    const bringsAir =
      (pumps.media > 0 && (reservoirsMl.media <= 0 || faults.has('media_dry'))) ||
      (pumps.alt_media > 0 && (reservoirsMl.alt_media <= 0 || faults.has('alt_media_dry')));
    return bringsAir ? new Set([...faults, 'bubbles']) : faults;
  }

  #drawsAir(pump: Pump): boolean {
    return pump !== 'waste' && this.faults.has(`${pump}_air`);
  }

  #growthFactor(altMediaShare: number): number {
    const { inhibition } = this.parameters;
    if (inhibition === null) return 1;
    return 1 / (1 + (altMediaShare / inhibition.halfShare) ** inhibition.steepness);
  }

  /** The `seconds` up to the moment `untilS`, under even conditions: most of what a simulated unit computes. */
  #pass(seconds: number, untilS: number): void {
    const state = this.#state;
    const { culture, thermal } = state;
    const faults = this.faults;
    const gaps = gapsAfter(this.parameters, state, this.#inputs, seconds);
    this.#stir(faults, seconds);
    const beforeC = thermal.liquidC;
    this.#heat(faults, seconds);
    pump(this.parameters, state, this.#inputs, volumeFaults(faults), seconds);
    const celsius = (beforeC + thermal.liquidC) / 2;
    const hours = (this.parameters.speed * seconds) / 3600;
    grow(this.parameters.organism, culture, celsius, hours, this.#growthFactor(state.altMediaShare));
    this.#settle(faults, seconds);
    if (gaps !== undefined) state.pumpGapsMl = gaps;
    state.timeS = untilS;
  }

  #stir(faults: ReadonlySet<FaultName>, seconds: number): void {
    const { stirrer, stirrerDrift, volumeMl } = this.#state;
    const supply = faults.has('supply_low') ? (4.6 / 5) ** 0.9 : 1;
    const load = 1 - 0.002 * Math.min(50, this.od) + 0.003 * (15 - volumeMl);
    const freed = faults.has('bar_lost') ? withoutBar : 1;
    const strength = Math.max(0, supply * load * freed * (1 + stirrerDrift));
    const inputs = { duty: this.#inputs.stirrerDuty, strength, blocked: faults.has('stirrer_stalled') };
    stir(this.parameters.stirrer, stirrer, inputs, seconds);
  }

  #heat(faults: ReadonlySet<FaultName>, seconds: number): void {
    const { thermal, volumeMl } = this.#state;
    const isOpen = faults.has('door_open');
    const inputs = {
      duty: faults.has('heater_stuck_on') ? 100 : faults.has('heater_dead') ? 0 : this.#inputs.heaterDuty,
      volumeMl,
      ambientC: roomC(this.parameters, this.#state) - (isOpen ? draughtC : 0),
      stirred: this.#isMixed(faults),
    };
    const parameters = isOpen ? withLoss(this.parameters.thermal, draughtLoss) : this.parameters.thermal;
    heat(parameters, thermal, inputs, seconds);
  }

  #isMixed(faults: ReadonlySet<FaultName>): boolean {
    return this.#state.stirrer.rpm > 0 && !faults.has('bar_lost');
  }

  /** Mixing, settling and the LED's warmth: first-order lags. Time constants chosen. */
  #settle(faults: ReadonlySet<FaultName>, seconds: number): void {
    const state = this.#state;
    const { suspended, opticalCells, ledWarmth, culture, stirrer } = state;
    const follow = (value: number, goal: number, timeS: number): number =>
      goal + (value - goal) * Math.exp(-seconds / timeS);
    const isLit = this.#inputs.leds[this.parameters.irLed] > 0;
    state.suspended = this.#isMixed(faults) ? follow(suspended, 1, 5) : follow(suspended, 0.6, 1500);
    state.opticalCells = follow(opticalCells, culture.cells, Math.min(60, (3 * 500) / Math.max(50, stirrer.rpm)));
    state.ledWarmth = follow(ledWarmth, isLit ? 1 : 0, 4);
    if (isLit) state.ledHours += seconds / 3600;
  }

  /** Draws what wanders: stirrer and room, light, and shocks. Always the same count of numbers. */
  #drift(): void {
    const { noise } = this.parameters;
    const random = this.#wander;
    const state = this.#state;
    const { stirrer, room, light } = this.#wanderings;
    state.stirrerDrift = state.stirrerDrift * stirrer.keeps + stirrer.adds * random.normal();
    state.ambientOffsetC = state.ambientOffsetC * room.keeps + room.adds * random.normal();
    state.wander = state.wander * light.keeps + light.adds * random.normal();
    const size = noise.shockDeviations * (random.chance(0.5) ? 1 : -1);
    state.shock = random.chance(noise.shockChance) ? size : 0;
  }
}
