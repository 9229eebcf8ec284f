import { type FeedSeries, hourMs, type Json } from '@lcs/contract';
import {
  defaultGrowthRateParameters,
  defaultSpeedGains,
  type GrowthRateState,
  initialGrowthRateState,
  initialReferenceState,
  initialSpeedState,
  measuredRpm,
  observe,
  SeededStream,
  speedStep,
  trackReference,
} from '@lcs/domain';
import {
  allOff,
  type OutputLevels,
  type VialPlant,
  type VialPlantSettings,
  type VialPlantState,
  vialPlantOf,
} from '@lcs/hardware';
import type { JobReading } from '@lcs/node';
import { growthDerivation } from '../jobs/growth-rate/growth-rate.ts';
import { GrowthRateMemory } from '../jobs/growth-rate/growth-rate-memory.ts';
import { firstLight, referenceKey } from '../jobs/od-reading/reference.ts';
import { ReadingSeries } from '../record-sink/reading-series.ts';
import { PastPhotodiode } from './optical-past.ts';

export interface PastOptions {
  readonly settings: VialPlantSettings;
  readonly seed: number;
  readonly experimentUid: string;
  /** Milliseconds since 1970 UTC; the vial is inoculated at the first and is as the node finds it at the second. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A reading as the store takes it. */
export interface PastSample {
  readonly series: FeedSeries;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly value: number;
}

/** The state from which the unit continues. */
export interface PastEnd {
  readonly vial: VialPlantState;
  /** What its jobs would remember. */
  readonly memory: Readonly<Record<string, Json>>;
}

const intervalMs = 20_000;
/** An hour: few enough to compute that others hardly wait, and enough to be worth a transaction. */
const readingsPerPiece = hourMs / intervalMs;
const stirringMs = 23_000;
const temperatureMs = 60_000;
const settleMs = 125;
const opticalMs = 850;
const targetRpm = 500;
const intensity = 80;
/** As the configuration has it by default (docs/reference/settings.md). */
const pastWeight = 0.75;
/** Milliseconds of pulses for one speed measurement. */
const countedMs = 1_200;

const optical = { channel: '2', angle: 90, context: { ir_led_intensity: intensity } } as const;
const growth = { derivation: growthDerivation({ input: 'od', parameters: defaultGrowthRateParameters }) };

/** The measured quantities, as the jobs record them. */
const measured = {
  raw_od: optical,
  od: optical,
  growth_rate: growth,
  od_filtered: growth,
  stirring_rpm: {},
  temperature: {},
  ir_led_relative_intensity: {},
} as const satisfies Record<string, Omit<JobReading, 'source' | 'value'>>;
type Source = keyof typeof measured;

/**
 * The past of a simulated unit: its vial from inoculation on, measured with the same estimators as the jobs use, every twenty
 * seconds. Yields the readings of an hour at a time, so that the caller can do other work in between.
 */
export class SimulatedPast {
  readonly #options: PastOptions;
  readonly #plant: VialPlant;
  readonly #series: ReadonlyMap<string, FeedSeries>;
  readonly #signal: PastPhotodiode;
  readonly #light: PastPhotodiode;
  #levels: OutputLevels = allOff;
  #speed = initialSpeedState(30);
  #reference = initialReferenceState;
  #growth: GrowthRateState = initialGrowthRateState();
  #samples: PastSample[] = [];

  constructor(options: PastOptions) {
    const { settings, seed, experimentUid } = options;
    this.#options = options;
    const series = new ReadingSeries();
    this.#series = new Map(
      Object.entries(measured).map(([source, reading]) => [
        source,
        series.of(experimentUid, { ...reading, source, value: 0 }),
      ]),
    );
    this.#plant = vialPlantOf(settings, seed);
    const random = new SeededStream(seed).split(`past of ${settings.unit ?? ''}`);
    const photodiode = (number: number) => {
      const dark = this.#plant.photodiodeSignal(number, 0);
      return new PastPhotodiode(random.split(`photodiode ${number}`), dark);
    };
    this.#light = photodiode(1);
    this.#signal = photodiode(2);
  }

  *pieces(): Generator<readonly PastSample[], PastEnd> {
    const { fromMs, toMs } = this.#options;
    this.#drive({ ...allOff, pwm: { ...allOff.pwm, 1: this.#speed.duty } }, 0);
    for (let step = 1; fromMs + step * intervalMs < toMs; step += 1) {
      this.#step(step * intervalMs);
      if (step % readingsPerPiece === 0) yield this.#takeSamples();
    }
    yield this.#takeSamples();
    // The node does not exist yet: everything stands still when its board starts.
    this.#plant.boardCelsius(toMs - fromMs);
    return { vial: this.#plant.state(), memory: this.#memory() };
  }

  #takeSamples(): readonly PastSample[] {
    const samples = this.#samples;
    this.#samples = [];
    return samples;
  }

  #memory(): Readonly<Record<string, Json>> {
    const kept: Record<string, Json> = {};
    const memory = {
      read: () => undefined,
      flush: async () => {},
      write: (_experimentUid: string, key: string, value: Json) => {
        kept[key] = value;
      },
    };
    const { initialV } = this.#reference;
    if (initialV !== null) kept[referenceKey] = firstLight(initialV, intensity);
    new GrowthRateMemory(memory, this.#options.experimentUid).write(this.#growth);
    return kept;
  }

  #step(atMs: number): void {
    if (atMs % stirringMs < intervalMs) this.#stir(atMs);
    if (atMs % temperatureMs === 0) this.#keep('temperature', rounded(this.#plant.boardCelsius(atMs)), atMs);
    this.#measure(atMs);
  }

  #stir(atMs: number): void {
    const passes = this.#plant.stirrerPulsesMs(atMs - countedMs, atMs);
    const rpm = measuredRpm(passes.map((passMs) => passMs / 1000));
    this.#keep('stirring_rpm', rpm, atMs);
    this.#speed = speedStep(this.#speed, defaultSpeedGains, { targetRpm, measuredRpm: rpm });
    this.#drive({ ...this.#levels, pwm: { ...this.#levels.pwm, 1: this.#speed.duty } }, atMs);
  }

  #measure(atMs: number): void {
    const dark = this.#levels;
    this.#drive({ ...dark, led: { ...dark.led, A: intensity } }, atMs);
    const readMs = atMs + settleMs;
    const referenceV = this.#light.read(this.#plant.photodiodeSignal(1, readMs));
    const volts = this.#signal.read(this.#plant.photodiodeSignal(2, readMs));
    this.#drive(dark, readMs + opticalMs);
    const parameters = { normalization: 'unity', pastWeight, intervalS: intervalMs / 1000 } as const;
    const { state, brightness } = trackReference(this.#reference, parameters, referenceV);
    this.#reference = state;
    const od = volts / brightness;
    this.#keep('raw_od', od, readMs);
    this.#keep('od', od, readMs);
    if (atMs % temperatureMs === 0) this.#keep('ir_led_relative_intensity', brightness, readMs);
    this.#estimate(od, readMs);
  }

  #estimate(od: number, atMs: number): void {
    const reading = { atMs: this.#options.fromMs + atMs, ods: { '2': od } };
    const step = observe(this.#growth, defaultGrowthRateParameters, reading);
    this.#growth = step.state;
    if (!step.ok) return;
    this.#keep('growth_rate', step.estimate.rate, atMs);
    this.#keep('od_filtered', step.estimate.normalizedOd, atMs);
  }

  #keep(source: Source, value: number, atMs: number): void {
    const series = this.#series.get(source);
    if (series === undefined || !Number.isFinite(value)) return;
    this.#samples.push({ series, at: Math.round(this.#options.fromMs + atMs), value });
  }

  #drive(levels: OutputLevels, atMs: number): void {
    this.#levels = levels;
    this.#plant.setOutputs(levels, atMs);
  }
}

const rounded = (celsius: number): number => Math.round(celsius * 100) / 100;
