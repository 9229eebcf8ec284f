import type { Json } from '@lcs/contract';
import { type JobContext, type JobReading, toTimestamp } from '@lcs/platform';
import type { Calibration, CalibrationOf } from '../shared/calibration.ts';
import type { OdChannel } from './od-channel.ts';

/** A signal after referencing. */
export interface OdSignal {
  readonly channel: OdChannel;
  readonly value: number;
  readonly flags: readonly string[];
}

type Context = NonNullable<JobReading['context']>;

/** How often a calibration that cannot be used, or is left at its end, is said again. */
const saidAgainMs = 300_000;

/** Tells the readings of od_reading: to the store, to the other jobs, and as published values. */
export class OdReport {
  readonly #job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>;
  readonly #calibrationOf: CalibrationOf;
  readonly #saidAtMs = new Map<string, number>();
  /** The same object for the same facts: whoever stores readings recognises it. */
  readonly #contexts = new Map<string, Context>();

  constructor(job: Pick<JobContext, 'reading' | 'publish' | 'log' | 'clock'>, calibrationOf: CalibrationOf) {
    this.#job = job;
    this.#calibrationOf = calibrationOf;
  }

  /** One reading of all photodiodes, taken at `atMs` with this intensity (%). */
  tell(signals: readonly OdSignal[], atMs: number, intensity: number): void {
    const ods: Record<string, Json> = {};
    const timestamp = toTimestamp(atMs);
    const raws = this.#context(intensity, undefined);
    for (const signal of signals) {
      const { channel, angle } = signal.channel;
      const calibration = this.#usable(`od${angle}`, intensity);
      const place = { channel, angle: Number(angle), atMs, flags: signal.flags };
      this.#job.reading({ source: 'raw_od', value: signal.value, context: raws, ...place });
      if (calibration === 'unusable') continue;
      const value = calibration === undefined ? signal.value : this.#calibrated(calibration, signal);
      this.#job.reading({ source: 'od', value, context: this.#context(intensity, calibration), ...place });
      ods[channel] = this.#publish(signal, value, calibration, { timestamp, ir_led_intensity: intensity });
    }
    this.#job.publish('ods', Object.keys(ods).length > 0 ? { timestamp, ods } : null);
  }

  #publish(
    { channel: { channel, angle }, value: raw }: OdSignal,
    od: number,
    calibration: Calibration | undefined,
    moment: { readonly timestamp: string; readonly ir_led_intensity: number },
  ): Json {
    const facts = { ...moment, angle, channel };
    const rawReading = { calibrated: 0, od: raw, ...facts };
    if (calibration === undefined) {
      this.#job.publish(`od${channel}`, rawReading);
      return rawReading;
    }
    const reading = { calibrated: 1, calibration_name: calibration.name, od, ...facts };
    this.#job.publish(`od${channel}`, reading);
    this.#job.publish(`raw_od${channel}`, rawReading);
    this.#job.publish(`calibrated_od${channel}`, reading);
    return reading;
  }

  #usable(device: string, intensity: number): Calibration | 'unusable' | undefined {
    const calibration = this.#calibrationOf(device);
    const { irLedIntensity = null, name = '' } = calibration ?? {};
    if (irLedIntensity === null || irLedIntensity === intensity) return calibration;
    const made = `was made at an intensity of ${irLedIntensity} %, but ${intensity} % is used`;
    this.#sayAtTimes(device, 'ERROR', `The calibration ${name} of ${device} ${made}: no calibrated OD is given.`);
    return 'unusable';
  }

  #calibrated(calibration: Calibration, { channel, value }: OdSignal): number {
    const { x, isBeyond } = calibration.inverse(value);
    if (isBeyond) {
      const beyond = `Channel ${channel.channel} is outside what the calibration ${calibration.name} recorded`;
      this.#sayAtTimes(`beyond ${channel.channel}`, 'WARNING', `${beyond}: its nearest OD is given.`);
    }
    return x;
  }

  #sayAtTimes(key: string, level: 'WARNING' | 'ERROR', message: string): void {
    const nowMs = this.#job.clock.monotonic();
    if (nowMs - (this.#saidAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < saidAgainMs) return;
    this.#saidAtMs.set(key, nowMs);
    this.#job.log(level, message);
  }

  #context(intensity: number, calibration: Calibration | undefined): Context {
    const key = `${intensity} ${calibration?.hash ?? ''}`;
    const known = this.#contexts.get(key);
    if (known !== undefined) return known;
    const calibrated =
      calibration === undefined ? {} : { calibration_name: calibration.name, calibration_hash: calibration.hash };
    const context = { ir_led_intensity: intensity, ...calibrated };
    this.#contexts.set(key, context);
    return context;
  }
}
