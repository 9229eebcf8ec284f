import { minuteMs } from '@lcs/contract';
import type { GrowthQuestion, UnitGrowth } from '../growth-curves/unit-growth.ts';
import type { SeriesChanges } from '../series/series-changes.ts';

/** The growth of a unit; `growth` null: it had no readings. */
export interface ComputedGrowth {
  readonly growth: UnitGrowth | null;
  readonly atMs: number;
}

/** A curve takes some 10 kB. */
const mostEntries = 1_000;
/** Results of a running experiment are used this long, although new readings arrive. */
const freshMs = 5 * minuteMs;
/** Doses and replaced flags are not counted as changes: results are not used longer than this. */
const longestMs = 60 * minuteMs;

interface Entry extends ComputedGrowth {
  readonly change: number;
}

/** Results of growth curves, until new readings arrive. */
export class GrowthCache {
  readonly #changes: Pick<SeriesChanges, 'count'>;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  constructor(changes: Pick<SeriesChanges, 'count'>) {
    this.#changes = changes;
  }

  find(question: GrowthQuestion, nowMs: number): ComputedGrowth | undefined {
    const key = JSON.stringify(question);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const age = nowMs - entry.atMs;
    if (age < 0 || age > longestMs || (entry.change !== this.#changeOf(question) && age > freshMs)) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Call it before the computation starts: a change during the computation makes its result old. */
  begin(question: GrowthQuestion): (growth: UnitGrowth | null, nowMs: number) => ComputedGrowth {
    const change = this.#changeOf(question);
    return (growth, atMs) => {
      const entry = { growth, atMs, change };
      this.#entries.set(JSON.stringify(question), entry);
      const [oldest] = this.#entries.keys();
      if (this.#entries.size > mostEntries && oldest !== undefined) this.#entries.delete(oldest);
      return entry;
    };
  }

  #changeOf({ experimentUid, source }: GrowthQuestion): number {
    return this.#changes.count(experimentUid, source);
  }
}
