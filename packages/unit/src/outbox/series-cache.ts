import type { FeedSeries } from '@lcs/contract';
import { rankOfSource } from './thinning-order.ts';

/** A series with its state in the outbox. */
export interface KnownSeries {
  readonly id: number;
  readonly series: FeedSeries;
  /** The series as JSON, always written in the same order. */
  readonly key: string;
  readonly rank: number;
  /** Newest moment used, and the mapping of wall time it belongs to. */
  lastAt: number;
}

const keyOf = ({ experiment_uid, source, channel, angle, derivation, context }: FeedSeries): string =>
  JSON.stringify({
    experiment_uid,
    source,
    channel,
    angle,
    derivation: derivation && {
      key: derivation.key,
      name: derivation.name,
      version: derivation.version,
      parameters: derivation.parameters,
    },
    context: context && {
      calibration_name: context.calibration_name ?? null,
      calibration_hash: context.calibration_hash ?? null,
      ir_led_intensity: context.ir_led_intensity ?? null,
    },
  });

/** The small numbers under which the outbox keeps its series. */
export class SeriesCache {
  readonly #byKey = new Map<string, KnownSeries>();
  readonly #byId = new Map<number, KnownSeries>();
  /** Jobs hand in the same object again and again; that saves making its key. */
  readonly #byObject = new WeakMap<FeedSeries, KnownSeries>();
  #lastId = 0;

  /** Adds the series that are on disk. */
  load(rows: readonly { readonly id: number; readonly key: string }[]): void {
    for (const { id, key } of rows) this.#add(id, key, JSON.parse(key));
  }

  of(series: FeedSeries): KnownSeries {
    const seen = this.#byObject.get(series);
    if (seen !== undefined) return seen;
    const key = keyOf(series);
    const known = this.#byKey.get(key) ?? this.#add(this.#lastId + 1, key, JSON.parse(key));
    this.#byObject.set(series, known);
    return known;
  }

  byId(id: number): KnownSeries | undefined {
    return this.#byId.get(id);
  }

  /** After a step of the clock moments may come again; the leader moves those that meet. */
  forgetMoments(): void {
    for (const known of this.#byId.values()) known.lastAt = Number.NEGATIVE_INFINITY;
  }

  #add(id: number, key: string, series: FeedSeries): KnownSeries {
    const known = { id, key, series, rank: rankOfSource(series.source), lastAt: Number.NEGATIVE_INFINITY };
    this.#byKey.set(key, known);
    this.#byId.set(id, known);
    this.#lastId = Math.max(this.#lastId, id);
    return known;
  }
}
