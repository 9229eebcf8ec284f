import { hourMs, minuteMs } from '@lcs/contract';
import {
  applyDilution,
  type Dilution,
  expectedAt,
  type GrowthRateEstimate,
  type GrowthRateParameters,
  type GrowthRateState,
  growthFilterName,
  growthFilterVersion,
  initialGrowthRateState,
  isPublishedGrowthFlag as isPublished,
  newestReadingMs,
  observe,
  restartFilter,
  StuckSensorError,
  shiftTime,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { type Derivation, derivation } from '../shared/derivation.ts';
import { flagsField } from '../shared/reading-flags.ts';
import type { GrowthRateMemory } from './growth-rate-memory.ts';
import type { OdSet } from './od-gathering.ts';

/** Number of readings to skip after a start of the light, while LED and liquid settle. */
const settlingReadings = 5;

/** Interval at which the state is stored: short enough to bridge after a power cut, long enough to spare the disk. */
const storeIntervalMs = 300_000;

/** Minimum time between stores because of doses, which come in parts. A dose that a crash loses appears as a step. */
const storeAfterDoseMs = 60_000;

/** Minimum time between equal log entries. */
const repeatAfterMs = 600_000;

/** A thin culture takes hours to come out of the noise: as rare as a shift. */
const nearBackgroundAgainMs = 8 * hourMs;
const nearBackground =
  'The optical density is not clear of its noise: growth rates begin when it is. If the culture is dense, check the blank and the photodiodes.';

/** The log announces a warm-up longer than this. */
const longWarmUpMs = 600_000;

/** A larger difference between the readings' times and the monotonic clock is a step of the clock. */
const clockStepMs = 1_500;

type Context = Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>;

export interface GrowthRateSetup {
  readonly parameters: GrowthRateParameters;
  readonly input: 'od' | 'od_fused';
}

/** The derivation of growth rates and filtered ODs. */
export const growthDerivation = ({ input, parameters }: Pick<GrowthRateSetup, 'input' | 'parameters'>): Derivation =>
  derivation(growthFilterName, growthFilterVersion, { input, ...parameters });

/** Computes growth rate and filtered OD from ODs, publishes and records them. */
export class GrowthRateEstimator {
  readonly #context: Context;
  readonly #setup: GrowthRateSetup;
  readonly #memory: GrowthRateMemory;
  readonly #derivation: Derivation;
  readonly #loggedAtMs = new Map<string, number>();
  #state: GrowthRateState = initialGrowthRateState();
  #readingsToSkip = settlingReadings;
  #firstMs: number | undefined;
  #storedAtMs = Number.NEGATIVE_INFINITY;
  #isPaused = false;
  /** The newest reading, with its time of arrival by the monotonic clock. */
  #last: { readonly atMs: number; readonly arrivedAtMs: number } | undefined;

  constructor(context: Context, setup: GrowthRateSetup, memory: GrowthRateMemory) {
    this.#context = context;
    this.#setup = setup;
    this.#memory = memory;
    this.#derivation = growthDerivation(setup);
  }

  /** Continues with the stored state of an earlier run of the experiment. */
  begin(): void {
    this.#state = this.#memory.read();
    if (this.#state.running !== null) this.#readingsToSkip = 0;
  }

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused;
  }

  add(reading: OdSet): void {
    this.#shiftAfterClockStep(reading.atMs);
    if (this.#isPaused) return;
    this.#announceWarmUp(reading.atMs);
    if (this.#readingsToSkip > 0) {
      this.#readingsToSkip -= 1;
      return;
    }
    const isUsable = Object.keys(reading.ods).length > 0;
    const estimate = isUsable ? this.#observe(reading) : expectedAt(this.#state, this.#setup.parameters, reading.atMs);
    if (this.#context.clock.monotonic() - this.#storedAtMs >= storeIntervalMs) this.store();
    if (estimate !== undefined) this.#publish(estimate, reading);
  }

  /** Stores the state for the next run. */
  store(): void {
    this.#storedAtMs = this.#context.clock.monotonic();
    this.#memory.write(this.#state);
  }

  /** Applies a dose, so that the dilution does not count as a falling growth rate. */
  dose(dose: Dilution): void {
    this.#state = applyDilution(this.#state, this.#setup.parameters, dose);
    if (this.#context.clock.monotonic() - this.#storedAtMs >= storeAfterDoseMs) this.store();
  }

  /** Shifts the filter's times after a step of the clock, so that the filter sees the real time between readings. */
  #shiftAfterClockStep(atMs: number): void {
    const arrivedAtMs = this.#context.clock.monotonic();
    const last = this.#last;
    this.#last = { atMs, arrivedAtMs };
    if (last === undefined) {
      this.#shiftBeforeReading(atMs);
      return;
    }
    const stepMs = atMs - last.atMs - (arrivedAtMs - last.arrivedAtMs);
    if (Math.abs(stepMs) < clockStepMs) return;
    this.#state = shiftTime(this.#state, stepMs);
    if (this.#firstMs !== undefined) this.#firstMs += stepMs;
  }

  /** If the clock was set back between two runs, shifts the state before the first reading; otherwise no reading would be later. */
  #shiftBeforeReading(atMs: number): void {
    const newestMs = newestReadingMs(this.#state);
    if (newestMs !== undefined && newestMs >= atMs)
      this.#state = shiftTime(this.#state, atMs - storeIntervalMs - newestMs);
  }

  #observe(reading: OdSet): GrowthRateEstimate | undefined {
    try {
      const step = observe(this.#state, this.#setup.parameters, reading);
      this.#state = step.state;
      if (step.ok) return step.estimate;
      if (step.unused === 'near_background') this.#logOnce('NOTICE', nearBackground, nearBackgroundAgainMs);
      if (step.unused === 'not_finite')
        this.#logOnce('ERROR', 'Cannot compute the growth rate: an OD is not a number. Check the photodiodes.');
      if (step.unused === 'unknown_channels') this.#restart(reading);
    } catch (error) {
      if (!(error instanceof StuckSensorError)) throw error;
      this.#state = { ...this.#state, waiting: [] };
      this.#logOnce('ERROR', `Cannot compute the growth rate. ${error.message}`);
    }
    return undefined;
  }

  /** The photodiodes were moved to other channels. */
  #restart(reading: OdSet): void {
    const channels = Object.keys(reading.ods).join(', ');
    this.#logOnce('NOTICE', `The ODs now come from other channels (${channels}): the growth-rate filter restarts.`);
    this.#state = restartFilter(this.#state);
  }

  /** Records and publishes an estimate with the signal flags of the ODs. */
  #publish(
    { atMs, rate, rateSd, normalizedOd, flags: own }: GrowthRateEstimate,
    { flags: ofOds, isLeast }: OdSet,
  ): void {
    const flags = [...new Set([...ofOds, ...own.filter(isPublished)])];
    const facts = { atMs, derivation: this.#derivation, flags };
    this.#context.reading({ source: 'growth_rate', value: rate, ...facts });
    this.#context.reading({ source: 'growth_rate_sd', value: rateSd, ...facts });
    this.#context.reading({ source: 'od_filtered', value: normalizedOd, ...facts, ...(isLeast && { isLeast }) });
    const field = flagsField(flags);
    const timestamp = toTimestamp(atMs);
    this.#context.publish('growth_rate', { growth_rate: rate, ...field, timestamp });
    this.#context.publish('growth_rate_sd', { growth_rate_sd: rateSd, ...field, timestamp });
    this.#context.publish('od_filtered', { od_filtered: normalizedOd, ...field, timestamp });
  }

  #announceWarmUp(atMs: number): void {
    if (this.#state.running !== null) return;
    if (this.#firstMs === undefined) {
      this.#firstMs = atMs;
      return;
    }
    const intervalMs = atMs - this.#firstMs;
    const neededMs = (settlingReadings + this.#setup.parameters.warmUpReadings) * intervalMs;
    if (this.#readingsToSkip === settlingReadings - 1 && neededMs >= longWarmUpMs)
      this.#logOnce(
        'NOTICE',
        `The first growth rate takes about ${Math.round(neededMs / minuteMs)} minutes from the start.`,
      );
  }

  #logOnce(level: 'NOTICE' | 'ERROR', message: string, againMs = repeatAfterMs): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - (this.#loggedAtMs.get(message) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    this.#loggedAtMs.set(message, nowMs);
    this.#context.log(level, message);
  }
}
