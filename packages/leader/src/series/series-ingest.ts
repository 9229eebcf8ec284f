import type { BulkStatement, Database } from '@lcs/platform';
import type { LeaderTables } from '../store/tables.ts';
import { ContextRows, type ReadingContext } from './context-rows.ts';
import {
  flagMovedSampleSql,
  flagSampleSql,
  insertContextSql,
  insertSampleSql,
  moveMarkSql,
  moveSql,
  rebuildAroundMovedSql,
} from './ingest-sql.ts';
import { ReadingPartitions } from './reading-partitions.ts';
import { TouchedBuckets } from './rollup-levels.ts';
import { SeriesChanges } from './series-changes.ts';
import type { SeriesIds, SeriesKey } from './series-ids.ts';

/** One entry of a batch's dictionary: the same series with another context is another entry. */
export interface BatchSeries extends SeriesKey {
  readonly context?: ReadingContext;
}

export interface Reading {
  /** Position in the batch's `series`. */
  readonly series: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** In the unit of the source; finite. */
  readonly value: number;
  /** Bits of `sampleFlags`. */
  readonly flags?: number;
  /** Of the unit's boot, see `boot_eras`. */
  readonly era?: number;
}

/** The record up to which a unit's feed is stored. */
export interface FeedMark {
  readonly unit: string;
  readonly epoch: string;
  readonly seq: number;
}

export interface ReadingBatch {
  readonly series: readonly BatchSeries[];
  readonly readings: readonly Reading[];
  readonly mark?: FeedMark;
  /** Rows of other tables in the same transaction. */
  readonly also?: readonly BulkStatement[];
  /** The leader's time. */
  readonly nowMs: number;
}

/** A reading that cannot be stored: a fault of the decoder. */
export class ReadingRefused extends Error {
  readonly reading: Reading;

  constructor(reading: Reading) {
    super(`A reading needs a series of its batch, a whole moment and a finite value: ${JSON.stringify(reading)}`);
    this.name = 'ReadingRefused';
    this.reading = reading;
  }
}

type Row = (string | number | null)[];

/**
 * Writes readings with their roll-ups, contexts and the unit's mark in one transaction. A reading that is already stored is ignored; one whose
 * millisecond has another value moves to the next free one, flagged `moved`.
 */
export class SeriesIngest {
  readonly #database: Database<LeaderTables>;
  readonly #ids: SeriesIds;
  readonly #changes: SeriesChanges;
  readonly #partitions: ReadingPartitions;

  constructor(database: Database<LeaderTables>, ids: SeriesIds, changes: SeriesChanges = new SeriesChanges()) {
    this.#database = database;
    this.#ids = ids;
    this.#changes = changes;
    this.#partitions = new ReadingPartitions(database);
  }

  /**
   * Resolves when everything is committed; with a mark also on disk, so that the unit may delete its records.
   * @throws ReadingRefused before anything is written; StoreError when nothing could be written.
   */
  async write(batch: ReadingBatch): Promise<void> {
    const { mark, also = [], nowMs } = batch;
    await this.#partitions.prepare(nowMs);
    const ids = await this.#ids.of(batch.series, nowMs);
    const contexts = new ContextRows(await this.#newestContexts(batch, ids));
    const statements = readingStatements(batch, ids, contexts);
    if (mark) statements.push({ sql: moveMarkSql, rows: [[mark.unit, mark.epoch, mark.seq, nowMs]] });
    await this.#database.bulk([...statements, ...also], {
      durable: mark !== undefined,
      isRealTime: mark !== undefined,
    });
    for (const { experimentUid, source } of batch.series) this.#changes.note(experimentUid, source);
  }

  /** The start of the newest context of each series. */
  async #newestContexts({ series }: ReadingBatch, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const described = ids.filter((_, place) => series[place]?.context !== undefined);
    if (described.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('series_context')
      .where('series_id', 'in', described)
      .groupBy('series_id')
      .select(['series_id', ({ fn }) => fn.max<number>('since').as('since')])
      .execute();
    return new Map(rows.map(({ series_id, since }) => [series_id, since]));
  }
}

function readingStatements(
  { series, readings }: ReadingBatch,
  ids: readonly number[],
  contexts: ContextRows,
): BulkStatement[] {
  const samples: Row[] = [];
  const flags: Row[] = [];
  const touched = new TouchedBuckets();
  for (const reading of readings) {
    const { series: entry, at, value } = reading;
    const id = ids[entry];
    if (id === undefined || !Number.isSafeInteger(at) || at < 0 || !Number.isFinite(value))
      throw new ReadingRefused(reading);
    samples.push([id, at, value, reading.era ?? null]);
    touched.add(id, at);
    if (reading.flags) flags.push([id, at, value, reading.flags]);
    const described = series[entry];
    if (described?.context) contexts.note(id, at, entry, described.context, described.angle);
  }
  return [
    { sql: insertSampleSql, rows: samples, otherwise: [...moveSql, ...rebuildAroundMovedSql] },
    { sql: flagSampleSql, rows: flags, otherwise: [flagMovedSampleSql] },
    { sql: insertContextSql, rows: contexts.rows },
    ...touched.statements('only_added'),
  ];
}
