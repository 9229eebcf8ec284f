import type { JobContext } from '@lcs/node';
import type { Cancel } from '@lcs/platform';
import type { Measured } from './od-meter.ts';

/** Records each conversion of the readings for a time that a person asks for: 40 rows for each photodiode and reading. */
export class ConversionRecorder {
  readonly #context: Pick<JobContext, 'clock' | 'publish' | 'reading'>;
  #cancelEnd: Cancel | undefined;

  constructor(context: Pick<JobContext, 'clock' | 'publish' | 'reading'>) {
    this.#context = context;
  }

  /** What the next reading must bring. */
  get keeps(): 'levels' | 'conversions' {
    return this.#cancelEnd === undefined ? 'levels' : 'conversions';
  }

  /** From now on for this time; 0 ends a recording. */
  recordFor(seconds: number): void {
    const { clock } = this.#context;
    this.#cancelEnd?.();
    this.#cancelEnd = seconds === 0 ? undefined : clock.after(1000 * seconds, () => this.recordFor(0));
    this.#context.publish('record_conversions', seconds);
  }

  /** One reading of all photodiodes that began at `atMs`. */
  record(measured: readonly Measured[], atMs: number): void {
    for (const { channel, conversions = [] } of measured) {
      const { channel: number, angle } = channel;
      const place = { channel: number, ...(angle !== 'REF' && { angle: Number(angle) }) };
      for (const { timeS, value } of conversions) {
        this.#context.reading({ source: 'od_conversion', value, ...place, atMs: atMs + Math.round(1000 * timeS) });
      }
    }
  }
}
