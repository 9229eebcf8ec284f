import type { BulkStatement, Database } from '@lcs/platform';
import type { LeaderTables } from '../store/tables.ts';
import {
  flagSampleSql,
  insertContextSql,
  insertSampleSql,
  moveMarkSql,
  moveSql,
  rebuildAroundMovedSql,
} from './ingest-sql.ts';
import { TouchedBuckets } from './rollup-levels.ts';
import type { SeriesIds, SeriesKey } from './series-ids.ts';

/** What was in force when a series was measured. */
export interface ReadingContext {
  readonly calibrationName: string | null;
  readonly calibrationHash: string | null;
  /** Percent. */
  readonly irLedIntensity: number | null;
}

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
}

/** Up to which record a unit's feed is stored. */
export interface FeedMark {
  readonly unit: string;
  readonly epoch: string;
  readonly seq: number;
}

export interface ReadingBatch {
  readonly series: readonly BatchSeries[];
  readonly readings: readonly Reading[];
  readonly mark?: FeedMark;
  /** Rows of other tables that belong into the same transaction. */
  readonly also?: readonly BulkStatement[];
  /** The leader's time. */
  readonly nowMs: number;
}

/** A reading that cannot be stored: a fault of whoever decoded it. */
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
 * Writes readings with their roll-ups, contexts and the unit's mark in one transaction. A reading that is stored already is
 * ignored; one whose millisecond is taken by another value takes the next free one, flagged `moved`.
 */
export class SeriesIngest {
  readonly #database: Database<LeaderTables>;
  readonly #ids: SeriesIds;

  constructor(database: Database<LeaderTables>, ids: SeriesIds) {
    this.#database = database;
    this.#ids = ids;
  }

  /**
   * Resolves when everything is committed; with a mark also on disk, so that the unit may be told to forget.
   * @throws ReadingRefused before anything is written; StoreError when nothing could be written.
   */
  async write(batch: ReadingBatch): Promise<void> {
    const { mark, also = [], nowMs } = batch;
    const ids = await this.#ids.of(batch.series, nowMs);
    const statements = readingStatements(batch, ids);
    if (mark) statements.push({ sql: moveMarkSql, rows: [[mark.unit, mark.epoch, mark.seq, nowMs]] });
    await this.#database.bulk([...statements, ...also], { durable: mark !== undefined });
  }
}

function readingStatements({ series, readings }: ReadingBatch, ids: readonly number[]): BulkStatement[] {
  const samples: Row[] = [];
  const flags: Row[] = [];
  const contexts: Row[] = [];
  const touched = new TouchedBuckets();
  /** Position of the entry that the last reading of a series had: a change of it may be a change of context. */
  const entries = new Map<number, number>();
  for (const reading of readings) {
    const { series: entry, at, value } = reading;
    const id = ids[entry];
    if (id === undefined || !Number.isSafeInteger(at) || at < 0 || !Number.isFinite(value))
      throw new ReadingRefused(reading);
    samples.push([id, at, value]);
    touched.add(id, at);
    if (reading.flags) flags.push([id, at, value, reading.flags]);
    if (entries.get(id) === entry) continue;
    entries.set(id, entry);
    const contextRow = contextOf(series[entry], id, at);
    if (contextRow) contexts.push(contextRow);
  }
  return [
    { sql: insertSampleSql, rows: samples, otherwise: [...moveSql, ...rebuildAroundMovedSql] },
    { sql: flagSampleSql, rows: flags },
    { sql: insertContextSql, rows: contexts },
    ...touched.statements('only_added'),
  ];
}

function contextOf(series: BatchSeries | undefined, id: number, since: number): Row | undefined {
  if (!series?.context) return undefined;
  const { calibrationName, calibrationHash, irLedIntensity } = series.context;
  return [id, since, calibrationName, calibrationHash, series.angle, irLedIntensity];
}
