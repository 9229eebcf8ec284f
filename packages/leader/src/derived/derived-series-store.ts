import { createHash } from 'node:crypto';
import { ApiError, type GrowthDerivation } from '@lcs/contract';
import {
  type GrowthRateParameters,
  growthFilterName,
  growthFilterVersion,
  growthSmootherName,
  sourcesOf,
} from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { LeaderDatabase, LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import type { ExperimentData } from '../series/experiment-data.ts';
import type { SeriesChanges } from '../series/series-changes.ts';
import type { Derivation, SeriesIds, SeriesKey } from '../series/series-ids.ts';

/** The outputs of a growth filter: they are shown and hidden together. */
export const growthSources = sourcesOf('growth_rate_calculating');

interface RecomputedOf {
  readonly recomputation: string;
  readonly input: string;
  readonly exclude: readonly unknown[];
  readonly exclude_flags: readonly string[];
  readonly smooth?: boolean;
}

/** The derivation of a recomputation: with its own name, so that it differs from derivations of units with the same parameters. */
export function recomputed(of: RecomputedOf, parameters: GrowthRateParameters): Derivation {
  const { recomputation, input, exclude, exclude_flags, smooth = false } = of;
  const key = createHash('sha256').update(`recomputation ${recomputation}`).digest('hex').slice(0, 16);
  const named = { input, ...parameters, exclude, exclude_flags, recomputation };
  return { key, name: smooth ? growthSmootherName : growthFilterName, version: growthFilterVersion, parameters: named };
}

/** Whether the leader computed a derivation from stored data. */
const isRecomputed = (parameters: string): boolean =>
  Reflect.get(Object(JSON.parse(parameters)), 'recomputation') !== undefined;

export interface DerivedSeriesStoreOptions {
  readonly database: LeaderDatabase;
  readonly ids: SeriesIds;
  readonly changes: SeriesChanges;
  readonly data: Pick<ExperimentData, 'removeSeries'>;
}

/** The derivations of growth rates of experiments, and which of them are active. */
export class DerivedSeriesStore {
  readonly #options: DerivedSeriesStoreOptions;

  constructor(options: DerivedSeriesStoreOptions) {
    this.#options = options;
  }

  /** Newest last. */
  async list(experimentUid: string): Promise<GrowthDerivation[]> {
    const rows = await this.#rows(experimentUid);
    const found = new Map<number, GrowthDerivation>();
    for (const row of rows) {
      const known = found.get(row.derivation) ?? shown(row);
      if (row.hidden === 1) known.active = false;
      found.set(row.derivation, known);
    }
    const parts = Map.groupBy(
      rows.filter(({ source }) => source === 'growth_rate'),
      ({ derivation, unit }) => JSON.stringify([derivation, unit]),
    );
    for (const [first, ...others] of parts.values()) {
      if (first === undefined) continue;
      const ids = [first, ...others].map(({ id }) => id);
      found.get(first.derivation)?.units.push(await this.#unitOf(first.unit, ids));
    }
    return [...found.values()];
  }

  /** The number of a recomputation; undefined when nothing of it is stored. */
  async numberOf(recomputation: string): Promise<number | undefined> {
    const key = createHash('sha256').update(`recomputation ${recomputation}`).digest('hex').slice(0, 16);
    const found = await this.#options.database.read
      .selectFrom('derivations')
      .where('key', '=', key)
      .select('id')
      .executeTakeFirst();
    return found?.id;
  }

  /** Makes these series, if they are new, and hides them. */
  async hide(keys: readonly SeriesKey[], nowMs: number): Promise<void> {
    const ids = await this.#options.ids.of(keys, nowMs);
    await this.#options.database.write((transaction) =>
      transaction.updateTable('series').set({ hidden: 1 }).where('id', 'in', ids).execute(),
    );
  }

  /**
   * Ends the parts that the units of a recomputation are writing: later values are a new part, which is
   * shown where the recomputation ends.
   */
  async closeMeasured(experimentUid: string, derivation: number): Promise<void> {
    const rows = await this.#rows(experimentUid);
    const units = new Set(rows.filter((row) => row.derivation === derivation).map(({ unit }) => unit));
    const ids = rows.filter(({ unit, parameters }) => units.has(unit) && !isRecomputed(parameters)).map(({ id }) => id);
    if (ids.length === 0) return;
    await this.#options.database.write((transaction) =>
      transaction
        .updateTable('series')
        .set(({ ref }) => ({ part: ref('id') }))
        .where('id', 'in', ids)
        .where('part', '=', 0)
        .execute(),
    );
    this.#options.ids.forget();
  }

  /**
   * Shows these growth rates instead of all others of their units, except later values of the units; for a
   * measured derivation all measured values.
   * @throws ApiError derivation_unknown
   */
  async activate(experimentUid: string, derivation: number): Promise<void> {
    await this.#options.database.write((transaction) => this.#activate(transaction, experimentUid, derivation));
    for (const source of growthSources) this.noteChange(experimentUid, source);
  }

  /** @throws ApiError derivation_unknown, derivation_measured, derivation_active */
  async checkRemovable(experimentUid: string, derivation: number): Promise<void> {
    const found = (await this.#rows(experimentUid)).filter((row) => row.derivation === derivation);
    const [first] = found;
    if (first === undefined) throw new ApiError('derivation_unknown', { derivation: String(derivation) });
    if (!isRecomputed(first.parameters)) throw new ApiError('derivation_measured', { derivation: String(derivation) });
    if (found.some(({ hidden }) => hidden === 0))
      throw new ApiError('derivation_active', { derivation: String(derivation) });
  }

  /** Removes the series in small steps, and the derivation last. After an interruption it can be called again. */
  async remove(experimentUid: string, derivation: number, signal: AbortSignal): Promise<number> {
    const { database, data } = this.#options;
    const series = await database.read
      .selectFrom('series')
      .where('experiment_uid', '=', experimentUid)
      .where('derivation_id', '=', derivation)
      .select('id')
      .execute();
    let removed = 0;
    for (const { id } of series)
      await data.removeSeries(id, signal, (rows) => {
        removed += rows;
      });
    this.#options.ids.forget();
    await database.write((transaction) => transaction.deleteFrom('derivations').where('id', '=', derivation).execute());
    for (const source of growthSources) this.noteChange(experimentUid, source);
    return removed;
  }

  noteChange(experimentUid: string, source: string): void {
    this.#options.changes.note(experimentUid, source);
  }

  async #activate(transaction: LeaderTransaction, experimentUid: string, derivation: number): Promise<void> {
    const rows = await transaction
      .selectFrom('series as s')
      .innerJoin('derivations as d', 'd.id', 's.derivation_id')
      .where('s.experiment_uid', '=', experimentUid)
      .where('s.source', 'in', growthSources)
      .select(['s.id', 's.unit', 's.source', 's.derivation_id as derivation', 'd.parameters'])
      .execute();
    const chosen = rows.filter((row) => row.derivation === derivation);
    const [first] = chosen;
    if (first === undefined) throw new ApiError('derivation_unknown', { derivation: String(derivation) });
    const units = new Set(chosen.map(({ unit }) => unit));
    const isShown = async (row: (typeof rows)[number]): Promise<boolean> => {
      if (row.derivation === derivation) return true;
      if (isRecomputed(row.parameters)) return false;
      if (!isRecomputed(first.parameters)) return true;
      const same = chosen.filter(({ unit, source }) => unit === row.unit && source === row.source);
      const end =
        (
          await extentOf(
            transaction,
            same.map(({ id }) => id),
          )
        )?.last ?? Number.NEGATIVE_INFINITY;
      return ((await extentOf(transaction, [row.id]))?.first ?? Number.POSITIVE_INFINITY) > end;
    };
    for (const row of rows.filter(({ unit }) => units.has(unit)))
      await transaction
        .updateTable('series')
        .set({ hidden: (await isShown(row)) ? 0 : 1 })
        .where('id', '=', row.id)
        .execute();
  }

  #rows(experimentUid: string) {
    return this.#options.database.read
      .selectFrom('series as s')
      .innerJoin('derivations as d', 'd.id', 's.derivation_id')
      .where('s.experiment_uid', '=', experimentUid)
      .where('s.source', 'in', growthSources)
      .orderBy('d.id')
      .orderBy('s.unit')
      .select([
        ...(['s.id', 's.unit', 's.source', 's.hidden', 'd.id as derivation'] as const),
        ...(['d.name', 'd.version', 'd.parameters', 'd.created_at'] as const),
      ])
      .execute();
  }

  async #unitOf(unit: string, ids: readonly number[]): Promise<GrowthDerivation['units'][number]> {
    const found = await extentOf(this.#options.database.read, ids);
    const moment = (at: number | null | undefined) => (at == null ? null : toTimestamp(at));
    const ends = { first_at: moment(found?.first), last_at: moment(found?.last) };
    return { reactor_unit: unit, samples: found?.samples ?? 0, ...ends };
  }
}

/** Number, first and last time of the samples of some series; in milliseconds since 1970, null without samples. */
const extentOf = (database: LeaderReader, ids: readonly number[]) =>
  database
    .selectFrom('rollup_1h')
    .where('series_id', 'in', ids)
    .select(({ fn }) => [
      fn.sum<number | null>('n').as('samples'),
      fn.min<number | null>('first_at').as('first'),
      fn.max<number | null>('last_at').as('last'),
    ])
    .executeTakeFirst();

interface DerivationRow {
  readonly derivation: number;
  readonly name: string;
  readonly version: string;
  readonly parameters: string;
  readonly created_at: number;
}

const shown = ({ derivation, name, version, parameters, created_at }: DerivationRow): GrowthDerivation => ({
  derivation,
  name,
  version,
  parameters: JSON.parse(parameters),
  created_at: toTimestamp(created_at),
  origin: isRecomputed(parameters) ? 'recomputed' : 'measured',
  active: true,
  units: [],
});
