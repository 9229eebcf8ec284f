import type { Database } from '@lcs/platform';
import { sql, type Transaction } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';

/** The computation of a value from others. */
export interface Derivation {
  /** First 16 hex digits of the SHA-256 of the canonical JSON of the other three. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly parameters: unknown;
}

/** Identity of a series; equal keys are one series. */
export interface SeriesKey {
  readonly experimentUid: string;
  readonly unit: string;
  /** A source of docs/interfaces/store.md#sources-of-series. */
  readonly source: string;
  readonly channel: string | null;
  /** Degrees. */
  readonly angle: number | null;
  readonly derivation: Derivation | null;
}

/** Equal for keys of one series. */
export const seriesText = ({ experimentUid, unit, source, channel, angle, derivation }: SeriesKey): string =>
  JSON.stringify([experimentUid, source, unit, channel, angle, derivation?.key ?? null]);

/** Cached numbers of series; a new series is created. */
export class SeriesIds {
  readonly #database: Database<LeaderTables>;
  readonly #known = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];

  constructor(database: Database<LeaderTables>) {
    this.#database = database;
  }

  /** The number of each key, in the order of the keys. `nowMs` becomes the age of derivations that are new. */
  async of(keys: readonly SeriesKey[], nowMs: number): Promise<number[]> {
    const texts = keys.map(seriesText);
    const missing = keys.filter((_, index) => !this.#known.has(texts[index] ?? ''));
    if (missing.length > 0) {
      // Cached only after the commit: a rolled-back number may be used for another series.
      const found = await this.#database.write(async (transaction) => {
        const ids = new Map<string, number>();
        for (const key of missing) ids.set(seriesText(key), await this.#findOrCreate(transaction, key, nowMs));
        return ids;
      });
      for (const [text, id] of found) this.#known.set(text, id);
    }
    return texts.map((text) => this.#known.get(text) ?? 0);
  }

  /** Whether the series is in the cache. */
  isKnown(key: SeriesKey): boolean {
    return this.#known.has(seriesText(key));
  }

  /** Call it when series were removed or closed. */
  forget(): void {
    this.#known.clear();
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each `forget`. */
  onForget(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #findOrCreate(transaction: Transaction<LeaderTables>, key: SeriesKey, nowMs: number): Promise<number> {
    const derivationId = key.derivation && (await this.#derivation(transaction, key.derivation, nowMs));
    await transaction
      .insertInto('series')
      .values({
        experiment_uid: key.experimentUid,
        unit: key.unit,
        source: key.source,
        channel: key.channel,
        angle: key.angle,
        derivation_id: derivationId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { id } = await transaction
      .selectFrom('series')
      .select('id')
      .where('experiment_uid', '=', key.experimentUid)
      .where('source', '=', key.source)
      .where('unit', '=', key.unit)
      .where(sql`ifnull(channel, '')`, '=', key.channel ?? '')
      .where(sql`ifnull(angle, 0)`, '=', key.angle ?? 0)
      .where(sql`ifnull(derivation_id, 0)`, '=', derivationId ?? 0)
      .where('part', '=', 0)
      .executeTakeFirstOrThrow();
    return id;
  }

  async #derivation(transaction: Transaction<LeaderTables>, derivation: Derivation, nowMs: number): Promise<number> {
    const { key, name, version, parameters } = derivation;
    await transaction
      .insertInto('derivations')
      .values({ key, name, version, parameters: JSON.stringify(parameters), created_at: nowMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { id } = await transaction
      .selectFrom('derivations')
      .select('id')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return id;
  }
}
