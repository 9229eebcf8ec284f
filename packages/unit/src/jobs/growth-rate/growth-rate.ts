import {
  begunAnew,
  type Dilution,
  dosed,
  freshGrowthRate,
  type GrowthRateEstimate,
  type GrowthRateParameters,
  type GrowthRateState,
  movedInTime,
  newestReadingMs,
  observe,
  StuckSensorError,
} from '@lcs/domain';
import { type JobContext, toTimestamp } from '@lcs/platform';
import { type Derivation, derivation } from '../shared/derivation.ts';
import { saidBeside } from '../shared/said-beside.ts';
import type { GrowthRateMemory } from './growth-rate-memory.ts';
import type { GatheredOds } from './od-gathering.ts';

/** Readings after a start of the light that are not used: LED and liquid settle. */
const settlingReadings = 5;

/** A state so old after a power cut is a gap that the filter bridges; the disk is not worn by each reading. */
const keepEveryMs = 300_000;

/** The same complaint is not made more often. */
const saidAgainMs = 600_000;

/** A warm-up longer than this is announced, so that nobody waits in vain. */
const longWarmUpMs = 600_000;

/** Readings that come so much earlier or later than time has passed were dated by a clock that was set meanwhile. */
const clockStepMs = 1_500;

type Context = Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>;

export interface GrowthRateSetup {
  readonly parameters: GrowthRateParameters;
  readonly input: 'od' | 'od_fused';
}

/** How growth rates and smooth ODs come from ODs. */
export const growthDerivation = ({ input, parameters }: Pick<GrowthRateSetup, 'input' | 'parameters'>): Derivation =>
  derivation('growth_filter', '1', { input, ...parameters });

/** Turns ODs into a growth rate and a smooth OD. */
export class GrowthRateEstimator {
  readonly #context: Context;
  readonly #setup: GrowthRateSetup;
  readonly #memory: GrowthRateMemory;
  readonly #derivation: Derivation;
  readonly #saidAtMs = new Map<string, number>();
  #state: GrowthRateState = freshGrowthRate();
  #toSkip = settlingReadings;
  #firstMs: number | undefined;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #isAsleep = false;
  /** The newest reading, and when it was heard by the monotonic clock. */
  #last: { readonly atMs: number; readonly heardAtMs: number } | undefined;

  constructor(context: Context, setup: GrowthRateSetup, memory: GrowthRateMemory) {
    this.#context = context;
    this.#setup = setup;
    this.#memory = memory;
    this.#derivation = growthDerivation(setup);
  }

  /** Goes on where an earlier run of the experiment ended. */
  begin(): void {
    this.#state = this.#memory.read();
    if (this.#state.running !== null) this.#toSkip = 0;
  }

  set isAsleep(isAsleep: boolean) {
    this.#isAsleep = isAsleep;
  }

  take(reading: GatheredOds): void {
    this.#followClock(reading.atMs);
    if (this.#isAsleep) return;
    this.#announceWarmUp(reading.atMs);
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    const estimate = this.#observe(reading);
    if (this.#context.clock.monotonic() - this.#keptAtMs >= keepEveryMs) this.keep();
    if (estimate !== undefined) this.#tell(estimate, reading);
  }

  /** What is known now is what the next run begins with. */
  keep(): void {
    this.#keptAtMs = this.#context.clock.monotonic();
    this.#memory.write(this.#state);
  }

  /** Liquid was pumped: the culture was diluted, it did not die. */
  dose(dose: Dilution): void {
    this.#state = dosed(this.#state, this.#setup.parameters, dose);
    this.keep();
  }

  /** Readings are dated by a clock that may be set: the filter sees the time that really passed. */
  #followClock(atMs: number): void {
    const heardAtMs = this.#context.clock.monotonic();
    const last = this.#last;
    this.#last = { atMs, heardAtMs };
    if (last === undefined) {
      this.#bringBack(atMs);
      return;
    }
    const stepMs = atMs - last.atMs - (heardAtMs - last.heardAtMs);
    if (Math.abs(stepMs) < clockStepMs) return;
    this.#state = movedInTime(this.#state, stepMs);
    if (this.#firstMs !== undefined) this.#firstMs += stepMs;
  }

  /** A clock that was set back while nothing ran: nobody knows how long that was, and it must not last till it is later. */
  #bringBack(atMs: number): void {
    const newestMs = newestReadingMs(this.#state);
    if (newestMs !== undefined && newestMs >= atMs)
      this.#state = movedInTime(this.#state, atMs - keepEveryMs - newestMs);
  }

  #observe(reading: GatheredOds): GrowthRateEstimate | undefined {
    try {
      const step = observe(this.#state, this.#setup.parameters, reading);
      this.#state = step.state;
      if (step.ok) return step.estimate;
      if (step.unused === 'not_positive')
        this.#say(
          'ERROR',
          'An OD is zero or negative: no growth rate can be told. Check the blank and the photodiodes.',
        );
      if (step.unused === 'unknown_channels') this.#startAnew(reading);
    } catch (error) {
      if (!(error instanceof StuckSensorError)) throw error;
      this.#state = { ...this.#state, waiting: [] };
      this.#say('ERROR', `${error.message} No growth rate is told until it moves.`);
    }
    return undefined;
  }

  /** The photodiodes were arranged anew. */
  #startAnew(reading: GatheredOds): void {
    const channels = Object.keys(reading.ods).join(', ');
    this.#say('NOTICE', `ODs come from other channels now (${channels}): the growth rate is begun anew.`);
    this.#state = begunAnew(this.#state);
  }

  /** What is wrong with the ODs is wrong with what was made of them. */
  #tell(
    { atMs, rate, rateSd, normalizedOd, flags: own }: GrowthRateEstimate,
    { flags: ofOds, isLeast }: GatheredOds,
  ): void {
    const flags = [...new Set([...ofOds, ...(own.includes('outlier') ? ['outlier'] : [])])];
    const facts = { atMs, derivation: this.#derivation, flags };
    this.#context.reading({ source: 'growth_rate', value: rate, ...facts });
    this.#context.reading({ source: 'growth_rate_sd', value: rateSd, ...facts });
    this.#context.reading({ source: 'od_filtered', value: normalizedOd, ...facts, ...(isLeast && { isLeast }) });
    const said = saidBeside(flags);
    const timestamp = toTimestamp(atMs);
    this.#context.publish('growth_rate', { growth_rate: rate, ...said, timestamp });
    this.#context.publish('growth_rate_sd', { growth_rate_sd: rateSd, ...said, timestamp });
    this.#context.publish('od_filtered', { od_filtered: normalizedOd, ...said, timestamp });
  }

  #announceWarmUp(atMs: number): void {
    if (this.#state.running !== null) return;
    if (this.#firstMs === undefined) {
      this.#firstMs = atMs;
      return;
    }
    const intervalMs = atMs - this.#firstMs;
    const neededMs = (settlingReadings + this.#setup.parameters.warmUpReadings) * intervalMs;
    if (this.#toSkip === settlingReadings - 1 && neededMs >= longWarmUpMs)
      this.#say(
        'NOTICE',
        `The first growth rate will come about ${Math.round(neededMs / 60_000)} minutes after the start.`,
      );
  }

  #say(level: 'NOTICE' | 'ERROR', message: string): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - (this.#saidAtMs.get(message) ?? Number.NEGATIVE_INFINITY) < saidAgainMs) return;
    this.#saidAtMs.set(message, nowMs);
    this.#context.log(level, message);
  }
}
