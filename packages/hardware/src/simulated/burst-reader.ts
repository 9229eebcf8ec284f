import {
  conversionOf,
  fitMainsHum,
  type LevelGains,
  levelDistribution,
  levelGains,
  type SteadySignal,
} from '@lcs/domain/boards';
import { type BurstOrder, burstIdentity, burstTimes, decodeBurstOrder, isSameOrder } from '../chips/burst-registers.ts';

export interface BurstReaderOptions {
  readonly signal: (atMs: number) => SteadySignal;
  /** Normally distributed, deviation 1. */
  readonly noise: () => number;
}

/** The converter, volts: a step, the deviation of its own noise, and where it clips. */
export interface ConverterSetting {
  readonly stepV: number;
  /** How long a conversion takes by its own clock. */
  readonly conversionS: number;
  readonly noiseV: number;
  readonly lowestV: number;
  readonly highestV: number;
}

interface Spread {
  readonly order: BurstOrder;
  readonly times: readonly number[];
}

interface KnownGains {
  readonly times: readonly number[];
  readonly mainsHz: number;
  readonly conversionS: number;
  readonly gains: LevelGains;
}

interface OrderUnderWay {
  readonly times: readonly number[];
  readonly sinceMs: number;
  readonly signal: SteadySignal;
}

/** With fewer rounds, leaving out the extremes costs more than the closed form accounts for. */
const fewestForClosedForm = 20;
/** Clocks of two processes are compared in whole milliseconds. */
const slackMs = 1;

/**
 * A whole reading of a photodiode without its single conversions: from the distribution of their results.
 * Where the distribution is unknown (conversions that clip, few rounds), the conversions are computed here, at once.
 */
export class BurstReader {
  readonly #options: BurstReaderOptions;
  #underWay: OrderUnderWay | undefined;
  /** The newest plan: the next one is usually the same. */
  #newest: Spread | undefined;
  #known: KnownGains | undefined;

  constructor(options: BurstReaderOptions) {
    this.#options = options;
  }

  identity(length: number): Uint8Array {
    return burstIdentity.subarray(0, length);
  }

  order(bytes: Uint8Array, atMs: number): void {
    const order = decodeBurstOrder(bytes);
    if (order === undefined) return;
    const { times } = this.#spreadOf(order);
    this.#underWay = { times, sinceMs: atMs, signal: this.#options.signal(atMs) };
  }

  #spreadOf(order: BurstOrder): Spread {
    const newest = this.#newest;
    if (newest !== undefined && isSameOrder(newest.order, order)) return newest;
    this.#newest = { order, times: burstTimes(order) };
    return this.#newest;
  }

  /** Volts; undefined without a plan, or before the time of the conversions is over. */
  finish(atMs: number, converter: ConverterSetting): number | undefined {
    const underWay = this.#underWay;
    if (underWay === undefined) return undefined;
    const { times, sinceMs, signal } = underWay;
    if (atMs - sinceMs < (times.at(-1) ?? 0) * 1000 - slackMs) return undefined;
    this.#underWay = undefined;
    // An LED that grows warm moves the level during a reading: what counts is its middle.
    const levelV = (signal.levelV + this.#options.signal(atMs).levelV) / 2;
    return this.#level({ ...signal, levelV }, underWay, converter);
  }

  #gainsOf(times: readonly number[], mainsHz: number, conversionS: number): LevelGains {
    const known = this.#known;
    if (known?.times === times && known.mainsHz === mainsHz && known.conversionS === conversionS) return known.gains;
    const gains = levelGains(times, mainsHz, conversionS);
    this.#known = { times, mainsHz, conversionS, gains };
    return gains;
  }

  #level(signal: SteadySignal, { times, sinceMs }: OrderUnderWay, converter: ConverterSetting): number {
    const { noise } = this.#options;
    const { conversionS } = converter;
    const seen = { ...signal, sampleSdV: Math.hypot(signal.sampleSdV, converter.noiseV) };
    if (times.length >= fewestForClosedForm) {
      const closed = levelDistribution(seen, this.#gainsOf(times, signal.mainsHz, conversionS), converter);
      if (closed !== null && Number.isFinite(closed.sdV)) return closed.meanV + closed.sdV * noise();
    }
    const samples = times.map((timeS) => {
      const endedS = (sinceMs / 1000 + timeS) % conversionS;
      const volts = conversionOf(seen, { endedS: endedS - timeS, tookS: conversionS }, noise());
      return { timeS, value: converted(volts, converter) };
    });
    return fitMainsHum(samples, signal.mainsHz).level;
  }
}

const converted = (volts: number, { stepV, lowestV, highestV }: ConverterSetting): number =>
  Math.round(Math.min(Math.max(volts, lowestV), highestV) / stepV) * stepV;
