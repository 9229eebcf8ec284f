import type { Json } from '@lcs/contract';
import { type JobContext, type JobReading, toTimestamp } from '@lcs/platform';
import type { Calibration, CalibrationOf, FusionOf } from '../shared/calibration.ts';
import { saidBeside } from '../shared/said-beside.ts';
import type { Blank } from './blank.ts';
import type { OdChannel } from './od-channel.ts';

/** A signal after referencing. */
export interface OdSignal {
  readonly channel: OdChannel;
  readonly value: number;
  /** What makes of it the signal that calibrations know: of an experiment that was begun at the intensity of now. */
  readonly rescale: number;
  readonly flags: readonly string[];
}

/** What makes OD of signals for the length of a run. */
export interface OdInForce {
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
  /** What medium without cells shows; never together with a calibration or an estimator. */
  readonly blank: Blank | undefined;
}

/** An OD beside its signal. */
interface OdValue {
  readonly od: number;
  /** The nearest one that the calibration has. */
  readonly isOutOfRange: boolean;
  /** The true one is this or higher. */
  readonly isLowerBound: boolean;
}

type Context = NonNullable<JobReading['context']>;

/** How often a calibration that cannot be used, or is left at its end, is said again. */
const saidAgainMs = 300_000;

/** Tells the readings of od_reading: to the store, to the other jobs, and as published values. */
export class OdReport {
  readonly #job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>;
  readonly #calibrationOf: CalibrationOf;
  readonly #fusionOf: FusionOf;
  readonly #blank: Blank | undefined;
  readonly #saidAtMs = new Map<string, number>();
  /** The same object for the same facts: whoever stores readings recognises it. */
  readonly #contexts = new Map<string, Context>();

  constructor(
    job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>,
    { calibrationOf, fusionOf, blank }: OdInForce,
  ) {
    this.#job = job;
    this.#calibrationOf = calibrationOf;
    this.#fusionOf = fusionOf;
    this.#blank = blank;
  }

  /** One reading of all photodiodes, taken at `atMs` with this intensity (%). */
  tell(signals: readonly OdSignal[], atMs: number, intensity: number): void {
    const ods: Record<string, Json> = {};
    const timestamp = toTimestamp(atMs);
    const raws = this.#known({ ir_led_intensity: intensity });
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
      const { od: value, isOutOfRange, isLowerBound } = found;
      const flags = isOutOfRange ? [...signal.flags, 'out_of_range'] : signal.flags;
      const context = this.#context(intensity, calibration);
      this.#job.reading({ source: 'od', value, context, ...place, flags, ...(isLowerBound && { isLeast: true }) });
      const moment = { timestamp, ir_led_intensity: intensity };
      ods[channel] = this.#publish(signal, { od: value, ...saidBeside(flags) }, calibration, moment);
    }
    this.#job.publish('ods', Object.keys(ods).length > 0 ? { timestamp, ods } : null);
    this.#tellFused(signals, atMs, intensity);
  }

  /** Undefined when nothing can be told. */
  #valueOf(signal: OdSignal, calibration: Calibration | 'unusable' | undefined): OdValue | undefined {
    if (calibration === 'unusable') return undefined;
    if (calibration !== undefined) return this.#calibrated(calibration, signal);
    const od = this.#blanked(signal);
    return od === undefined ? undefined : { od, isOutOfRange: false, isLowerBound: false };
  }

  /** The signal above that of medium without cells; undefined when it is below. */
  #blanked({ channel: { channel }, value }: OdSignal): number | undefined {
    const od = value - (this.#blank?.means[channel] ?? 0);
    if (this.#blank === undefined || od >= 0) return od;
    const below = `Photodiode ${channel} shows less than the blank of this experiment`;
    this.#sayAtTimes(`blank ${channel}`, 'ERROR', `${below}: no OD is given. Measure the blank again, or delete it.`);
    return undefined;
  }

  /** What was told last must not be taken for what is now; the raw value stays good. */
  #clear(
    { channel: { channel, angle }, value: od, flags }: OdSignal,
    moment: { readonly timestamp: string; readonly ir_led_intensity: number },
  ): void {
    this.#job.publish(`raw_od${channel}`, { calibrated: 0, od, ...saidBeside(flags), ...moment, angle, channel });
    for (const name of [`od${channel}`, `calibrated_od${channel}`]) this.#job.publish(name, null);
  }

  /** One OD of all angles, where an estimator is active. */
  #tellFused(signals: readonly OdSignal[], atMs: number, intensity: number): void {
    const fusion = this.#fusionOf();
    if (fusion === undefined) return;
    if (fusion.irLedIntensity !== intensity) {
      const made = `was made at an intensity of ${fusion.irLedIntensity} %, but ${intensity} % is used`;
      this.#sayAtTimes('fusion', 'ERROR', `The estimator ${fusion.name} ${made}: no fused OD is given.`);
      this.#job.publish('od_fused', null);
      return;
    }
    const fused = fusion.fuse(Object.fromEntries(signals.map((one) => [one.channel.angle, one.value * one.rescale])));
    if (fused === undefined) {
      this.#job.publish('od_fused', null);
      return;
    }
    if (fused.isAtBound)
      this.#sayAtTimes('fusion bound', 'WARNING', `The fused OD is at an end of what ${fusion.name} covers.`);
    const context = { ir_led_intensity: intensity, calibration_name: fusion.name, calibration_hash: fusion.hash };
    const { concentration: value, isAtBound, isLowerBound } = fused;
    const ended = isAtBound ? ['out_of_range'] : [];
    const flags = [...new Set([...signals.flatMap((signal) => signal.flags), ...ended])];
    const told = { source: 'od_fused', value, atMs, flags, context: this.#known(context) };
    this.#job.reading({ ...told, ...(isLowerBound && { isLeast: true }) });
    this.#job.publish('od_fused', { od_fused: value, ...saidBeside(flags), timestamp: toTimestamp(atMs) });
  }

  #publish(
    { channel: { channel, angle }, value: raw, flags }: OdSignal,
    od: Readonly<Record<string, Json>>,
    calibration: Calibration | undefined,
    moment: { readonly timestamp: string; readonly ir_led_intensity: number },
  ): Json {
    const facts = { ...moment, angle, channel };
    const rawReading = { calibrated: 0, od: raw, ...saidBeside(flags), ...facts };
    // Also without a calibration: what the series `raw_od` has is seen live too.
    this.#job.publish(`raw_od${channel}`, rawReading);
    if (calibration === undefined) {
      // What is published is what the series has; the signal that it was made of is told beside it.
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
      const other = `is of photodiode ${own}, but channel ${channel} looks there now`;
      this.#sayAtTimes(
        `channel ${channel}`,
        'WARNING',
        `The calibration ${name} of ${device} ${other}: it is not used.`,
      );
      return undefined;
    }
    if (irLedIntensity === null || irLedIntensity === intensity) return calibration;
    const made = `was made at an intensity of ${irLedIntensity} %, but ${intensity} % is used`;
    this.#sayAtTimes(device, 'ERROR', `The calibration ${name} of ${device} ${made}: no calibrated OD is given.`);
    return 'unusable';
  }

  #calibrated(calibration: Calibration, { channel, value, rescale }: OdSignal): OdValue | undefined {
    const { x, isOutOfRange, isLowerBound } = calibration.inverse(value * rescale) ?? {
      isOutOfRange: false,
      isLowerBound: false,
    };
    if (x === undefined) {
      const none = `The calibration ${calibration.name} has no OD for what channel ${channel.channel} shows`;
      this.#sayAtTimes(`none ${channel.channel}`, 'ERROR', `${none}: no calibrated OD is given.`);
    }
    if (isOutOfRange) {
      const beyond = `Channel ${channel.channel} is outside what the calibration ${calibration.name} recorded`;
      this.#sayAtTimes(`beyond ${channel.channel}`, 'WARNING', `${beyond}: its nearest OD is given.`);
    }
    return x === undefined ? undefined : { od: x, isOutOfRange, isLowerBound };
  }

  #sayAtTimes(key: string, level: 'WARNING' | 'ERROR', message: string): void {
    const nowMs = this.#job.clock.monotonic();
    if (nowMs - (this.#saidAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < saidAgainMs) return;
    this.#saidAtMs.set(key, nowMs);
    this.#job.log(level, message);
  }

  /** A blank is recorded as a calibration is: it changes what the numbers mean. */
  #context(intensity: number, calibration: Calibration | undefined): Context {
    const inForce =
      calibration ?? (this.#blank === undefined ? undefined : { name: 'od_blank', hash: this.#blank.hash });
    const calibrated = inForce === undefined ? {} : { calibration_name: inForce.name, calibration_hash: inForce.hash };
    return this.#known({ ir_led_intensity: intensity, ...calibrated });
  }

  #known(context: Context): Context {
    const key = `${context.ir_led_intensity} ${context.calibration_hash ?? ''}`;
    const known = this.#contexts.get(key) ?? context;
    this.#contexts.set(key, known);
    return known;
  }
}
