import type { Json } from '@lcs/contract';
import { smoothOd } from '@lcs/domain';
import type { JobContext, JobReading } from '@lcs/node';
import type { Calibration, CalibrationOf, FusionOf } from '../shared/calibration.ts';
import { LogLimit } from '../shared/log-limit.ts';
import { flagsField } from '../shared/reading-flags.ts';
import type { Blank } from './blank.ts';
import type { OdChannel } from './od-channel.ts';

/** A signal after referencing. */
export interface OdSignal {
  readonly channel: OdChannel;
  readonly value: number;
  /** Converts the signal to that of an experiment that began at the present intensity: the signal of calibrations. */
  readonly rescale: number;
  readonly flags: readonly string[];
}

/** Converts signals to OD; constant during a run. */
export interface OdConversion {
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
  /** Signals of medium without cells; never together with a calibration or an estimator. */
  readonly blank: Blank | undefined;
}

/** An OD with its signal. */
interface OdValue {
  readonly od: number;
  /** The nearest OD of the calibration is used. */
  readonly isOutOfRange: boolean;
  /** The true OD is this or higher. */
  readonly isLowerBound: boolean;
}

type Context = NonNullable<JobReading['context']>;

/** When and how a reading was taken. */
export interface ReadingMoment {
  readonly atMs: number;
  /** The same in the API's form. */
  readonly timestamp: string;
  /** Intensity of the infrared LED, %. */
  readonly intensity: number;
  /** Seconds between readings; null: only on request. */
  readonly intervalS: number | null;
}

/** So many ODs below zero in a row are no noise of a vial without cells: a chance of 1 in 4096. */
const readingsBelowBlank = 12;

/** The same problem of a calibration is logged again after this time. */
const loggedAgainMs = 300_000;

/** Records the readings of od_reading, and publishes their values. */
export class OdReport {
  readonly #job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>;
  readonly #calibrationOf: CalibrationOf;
  readonly #fusionOf: FusionOf;
  readonly #blank: Blank | undefined;
  readonly #logLimit: LogLimit;
  /** The same object for the same facts, which the store recognises. */
  readonly #contexts = new Map<string, Context>();
  readonly #smoothingPenalizer: number;
  /** By photodiode, the last smoothed OD. */
  readonly #smoothed = new Map<string, { readonly od: number; readonly atMs: number }>();
  /** By photodiode, how many ODs in a row were below the blank. */
  readonly #belowBlank = new Map<string, number>();

  constructor(
    job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>,
    { calibrationOf, fusionOf, blank }: OdConversion,
    smoothingPenalizer: number,
  ) {
    this.#job = job;
    this.#smoothingPenalizer = smoothingPenalizer;
    this.#logLimit = new LogLimit(job.clock, loggedAgainMs);
    this.#calibrationOf = calibrationOf;
    this.#fusionOf = fusionOf;
    this.#blank = blank;
  }

  /** The light was changed on purpose: earlier ODs do not predict the next one. */
  forget(): void {
    this.#smoothed.clear();
  }

  record(signals: readonly OdSignal[], moment: ReadingMoment): void {
    const { atMs, timestamp, intensity } = moment;
    const ods: Record<string, Json> = {};
    const raws = this.#known(`raw ${intensity}`, () => ({ ir_led_intensity: intensity }));
    for (const signal of signals) {
      const { channel, angle } = signal.channel;
      const calibration = this.#usable(`od${angle}`, channel, intensity);
      const place = { channel, angle: Number(angle), atMs, flags: signal.flags };
      this.#job.reading({ source: 'raw_od', value: signal.value, context: raws, ...place });
      const found = this.#valueOf(signal, calibration);
      if (calibration === 'unusable' || found === undefined) {
        this.#clear(signal, { timestamp, ir_led_intensity: intensity });
        continue;
      }
      const { od: unsmoothed, isOutOfRange, isLowerBound } = found;
      const value = this.#smooth(channel, unsmoothed, moment);
      const flags = isOutOfRange ? [...signal.flags, 'out_of_range'] : signal.flags;
      const context = this.#context(intensity, calibration);
      const forJobs = { ...(isLowerBound && { isLeast: true }), ...(value !== unsmoothed && { unsmoothed }) };
      this.#job.reading({ source: 'od', value, context, ...place, flags, ...forJobs });
      const facts = { timestamp, ir_led_intensity: intensity };
      ods[channel] = this.#publish(signal, { od: value, ...flagsField(flags) }, calibration, facts);
    }
    this.#job.publish('ods', Object.keys(ods).length > 0 ? { timestamp, ods } : null);
    this.#recordFused(signals, moment);
  }

  /** Undefined: the signal has no OD. */
  #valueOf(signal: OdSignal, calibration: Calibration | 'unusable' | undefined): OdValue | undefined {
    if (calibration === 'unusable') return undefined;
    if (calibration !== undefined) return this.#calibrated(calibration, signal);
    return { od: this.#blanked(signal), isOutOfRange: false, isLowerBound: false };
  }

  /**
   * The signal above that of medium without cells. In a thin culture half of the ODs are below zero by their noise: without
   * them the mean would be too high.
   */
  #blanked({ channel: { channel }, value }: OdSignal): number {
    const od = value - (this.#blank?.means[channel] ?? 0);
    const below = this.#blank !== undefined && od < 0 ? (this.#belowBlank.get(channel) ?? 0) + 1 : 0;
    this.#belowBlank.set(channel, below);
    if (below >= readingsBelowBlank) {
      const shows = `Photodiode ${channel} shows less than the blank of this experiment in ${below} readings in a row`;
      this.#logLimited(`blank ${channel}`, 'WARNING', `${shows}. Measure the blank again, or delete it.`);
    }
    return od;
  }

  /** An OD as it is recorded, shown and given to jobs; the signal itself is recorded without any smoothing. */
  #smooth(channel: string, od: number, { atMs, intervalS }: ReadingMoment): number {
    if (this.#smoothingPenalizer === 0) return od;
    const last = this.#smoothed.get(channel);
    const isRecent = last !== undefined && intervalS !== null && atMs - last.atMs < 2500 * intervalS;
    const smoothing = { penalizer: this.#smoothingPenalizer, intervalS };
    const smoothed = smoothOd(smoothing, isRecent ? last.od : null, od);
    this.#smoothed.set(channel, { od: smoothed, atMs });
    return smoothed;
  }

  /** Clears the published OD, which would appear to be current; the raw value remains. */
  #clear(
    { channel: { channel, angle }, value: od, flags }: OdSignal,
    moment: { readonly timestamp: string; readonly ir_led_intensity: number },
  ): void {
    this.#job.publish(`raw_od${channel}`, { calibrated: 0, od, ...flagsField(flags), ...moment, angle, channel });
    for (const name of [`od${channel}`, `calibrated_od${channel}`]) this.#job.publish(name, null);
  }

  /** One OD of all angles, where an estimator is active. */
  #recordFused(signals: readonly OdSignal[], { atMs, timestamp, intensity }: ReadingMoment): void {
    const fusion = this.#fusionOf();
    if (fusion === undefined) return;
    if (fusion.irLedIntensity !== intensity) {
      const made = `was made at an intensity of ${fusion.irLedIntensity} %, but ${intensity} % is used`;
      this.#logLimited('fusion', 'ERROR', `The estimator ${fusion.name} ${made}: no fused OD is given.`);
      this.#job.publish('od_fused', null);
      return;
    }
    const fused = fusion.fuse(Object.fromEntries(signals.map((one) => [one.channel.angle, one.value * one.rescale])));
    if (fused === undefined) {
      this.#job.publish('od_fused', null);
      return;
    }
    if (fused.isAtBound)
      this.#logLimited('fusion bound', 'WARNING', `The fused OD is at an end of what ${fusion.name} covers.`);
    const { name, hash } = fusion;
    const context = this.#known(`fused ${intensity} ${name} ${hash}`, () => ({
      ir_led_intensity: intensity,
      calibration_name: name,
      calibration_hash: hash,
    }));
    const { concentration: value, isAtBound, isLowerBound } = fused;
    const ended = isAtBound ? ['out_of_range'] : [];
    const flags = [...new Set([...signals.flatMap((signal) => signal.flags), ...ended])];
    const reading = { source: 'od_fused', value, atMs, flags, context };
    this.#job.reading({ ...reading, ...(isLowerBound && { isLeast: true }) });
    this.#job.publish('od_fused', { od_fused: value, ...flagsField(flags), timestamp });
  }

  #publish(
    { channel: { channel, angle }, value: raw, flags }: OdSignal,
    od: Readonly<Record<string, Json>>,
    calibration: Calibration | undefined,
    moment: { readonly timestamp: string; readonly ir_led_intensity: number },
  ): Json {
    const facts = { ...moment, angle, channel };
    const rawReading = { calibrated: 0, od: raw, ...flagsField(flags), ...facts };
    // Also without a calibration, so that the series `raw_od` has a live value.
    this.#job.publish(`raw_od${channel}`, rawReading);
    if (calibration === undefined) {
      // The published value is that of the series; its signal is published separately.
      const plain = { ...rawReading, ...od };
      this.#job.publish(`od${channel}`, plain);
      return plain;
    }
    const reading = { calibrated: 1, calibration_name: calibration.name, ...od, ...facts };
    this.#job.publish(`od${channel}`, reading);
    this.#job.publish(`calibrated_od${channel}`, reading);
    return reading;
  }

  #usable(device: string, channel: string, intensity: number): Calibration | 'unusable' | undefined {
    const calibration = this.#calibrationOf(device);
    const { irLedIntensity = null, name = '', channel: own = null } = calibration ?? {};
    if (own !== null && own !== channel) {
      const other = `is of photodiode ${own}, but channel ${channel} measures there now`;
      this.#logLimited(
        `channel ${channel}`,
        'WARNING',
        `The calibration ${name} of ${device} ${other}: it is not used.`,
      );
      return undefined;
    }
    if (irLedIntensity === null || irLedIntensity === intensity) return calibration;
    const made = `was made at an intensity of ${irLedIntensity} %, but ${intensity} % is used`;
    this.#logLimited(device, 'ERROR', `The calibration ${name} of ${device} ${made}: no calibrated OD is given.`);
    return 'unusable';
  }

  #calibrated(calibration: Calibration, { channel, value, rescale }: OdSignal): OdValue | undefined {
    const { x, isOutOfRange, isLowerBound } = calibration.inverse(value * rescale) ?? {
      isOutOfRange: false,
      isLowerBound: false,
    };
    if (x === undefined) {
      const none = `The calibration ${calibration.name} has no OD for what channel ${channel.channel} shows`;
      this.#logLimited(`none ${channel.channel}`, 'ERROR', `${none}: no calibrated OD is given.`);
    }
    if (isOutOfRange) {
      const beyond = `Channel ${channel.channel} is outside what the calibration ${calibration.name} recorded`;
      this.#logLimited(`beyond ${channel.channel}`, 'WARNING', `${beyond}: its nearest OD is given.`);
    }
    return x === undefined ? undefined : { od: x, isOutOfRange, isLowerBound };
  }

  #logLimited(key: string, level: 'WARNING' | 'ERROR', message: string): void {
    if (this.#logLimit.isDue(key)) this.#job.log(level, message);
  }

  /** A blank is recorded like a calibration: it changes the meaning of the numbers. */
  #context(intensity: number, calibration: Calibration | undefined): Context {
    const active =
      calibration ?? (this.#blank === undefined ? undefined : { name: 'od_blank', hash: this.#blank.hash });
    return this.#known(`od ${intensity} ${active?.name} ${active?.hash}`, () => ({
      ir_led_intensity: intensity,
      ...(active && { calibration_name: active.name, calibration_hash: active.hash }),
      ...(this.#smoothingPenalizer !== 0 && { smoothing_penalizer: this.#smoothingPenalizer }),
    }));
  }

  /** The context of a key, made once. */
  #known(key: string, make: () => Context): Context {
    const known = this.#contexts.get(key) ?? make();
    this.#contexts.set(key, known);
    return known;
  }
}
