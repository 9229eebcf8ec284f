import type { FeedRecord, FeedSeries, LogEntry } from '@lcs/contract';
import { eventSource } from '@lcs/domain';
import { type BulkStatement, type Clock, type Log, StoreError, toTimestamp } from '@lcs/platform';
import { type BootEraStore, beginEarlierSql, growEraSql } from '../clock-corrections/boot-era-store.ts';
import { type LeaderDatabase, systemExperiment } from '../core/leader-context.ts';
import type { DiskSpaceLevel } from '../disk-space/disk-space-monitor.ts';
import type { BatchSubscriber, FeedBatch, FeedMark, IngestPort } from '../follower/ingest-port.ts';
import type { SeriesChanges } from '../series/series-changes.ts';
import type { SeriesIds } from '../series/series-ids.ts';
import type { SeriesIngest } from '../series/series-ingest.ts';
import { mostSeries, seriesBeyondLimit } from '../series/series-limit.ts';
import { type ExperimentStatus, experimentStatuses } from './experiment-status.ts';
import { type FeedHole, holesAfter } from './feed-holes.ts';
import { experimentOf, type FeedRows, feedRows, type RefusedSamples, usedSeries } from './feed-rows.ts';
import {
  beginSeriesLimitSql,
  countDroppedSql,
  forgetHolesSql,
  growSeriesLimitSql,
  insertGapSql,
  insertHoleSql,
  logHoleSql,
  logSeriesLimitSql,
  logUnknownSql,
  rememberUnknownSql,
} from './feed-sql.ts';

export interface FeedIngestOptions {
  readonly database: LeaderDatabase;
  readonly series: { readonly ingest: SeriesIngest; readonly changes: SeriesChanges; readonly ids: SeriesIds };
  readonly eras: BootEraStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives the entries of the event log that it has written itself. */
  readonly onLogged: (entry: LogEntry) => void;
  /** Whether there is space for readings, and a callback for when there was none. */
  readonly diskSpace?: { readonly level: DiskSpaceLevel; writeFailed(): Promise<void> };
  /** The machine with a unit's name, from its enrolment. */
  readonly machineOf?: (unit: string, epoch: string) => string | undefined;
}

/** A batch that begins beyond the stored records: those in between would be lost. It is read again from the mark. */
export class BatchTooEarly extends Error {
  constructor(batch: FeedBatch, stored: number) {
    super(`The batch of ${batch.unit} begins after record ${batch.after}, but only ${stored} are stored.`);
    this.name = 'BatchTooEarly';
  }
}

/** An event that needs a person, written into the event log with its batch. */
interface Alarm {
  readonly message: string;
  readonly statements: readonly BulkStatement[];
}

/**
 * Stores the records of units: readings, events, logs, gaps and the newest settings, each record once, in one transaction with the mark.
 * Batches of one unit are stored one after the other, from whatever caller.
 */
export class FeedIngest implements IngestPort {
  readonly #options: FeedIngestOptions;
  /** Settles when the last batch of a unit has ended, stored or not. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #logged = new Set<string>();
  readonly #subscribers: BatchSubscriber[] = [];
  /** Resolves when batches that other processes store have ended. */
  #settledElsewhere: () => Promise<void> = async () => {};

  constructor(options: FeedIngestOptions) {
    this.#options = options;
  }

  /** Subscribers receive a batch in the order of their subscriptions. */
  subscribe(subscriber: BatchSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  async mark(unit: string): Promise<FeedMark | undefined> {
    const { read } = this.#options.database;
    return read
      .selectFrom('feed_marks')
      .where('reactor_unit', '=', unit)
      .orderBy('generation', 'desc')
      .select(['epoch', 'seq'])
      .limit(1)
      .executeTakeFirst();
  }

  /**
   * @throws BatchTooEarly when records before it are missing; StoreError (`disk_full` without space) when it could not be stored; then nothing
   * of it is stored, and the same batch may be repeated.
   */
  async ingest(batch: FeedBatch): Promise<void> {
    const before = this.#running.get(batch.unit) ?? Promise.resolve();
    const stored = before.then(() => this.#store(batch));
    const ended = stored.then(
      () => {},
      () => {},
    );
    this.#running.set(batch.unit, ended);
    try {
      await stored;
      for (const subscriber of this.#subscribers) subscriber.stored?.(batch);
    } catch (error) {
      // With a disk that is known to be full nothing was tried: this is no new information, and must not delay the next check.
      const { diskSpace } = this.#options;
      if (error instanceof StoreError && error.code === 'disk_full' && diskSpace?.level !== 'full')
        await diskSpace?.writeFailed();
      throw error;
    } finally {
      if (this.#running.get(batch.unit) === ended) this.#running.delete(batch.unit);
    }
  }

  async rewind(unit: string, { epoch, seq }: FeedMark): Promise<void> {
    await this.#running.get(unit);
    await this.#options.database.write(async (transaction) => {
      const { latest } = await transaction
        .selectFrom('feed_marks')
        .where('reactor_unit', '=', unit)
        .select(({ fn }) => fn.max('generation').as('latest'))
        .executeTakeFirstOrThrow();
      await transaction
        .updateTable('feed_marks')
        .set({ seq, generation: Number(latest) + 1, updated_at: Math.floor(this.#options.clock.now()) })
        .where('reactor_unit', '=', unit)
        .where('epoch', '=', epoch)
        .execute();
      await transaction.deleteFrom('feed_holes').where('reactor_unit', '=', unit).where('epoch', '=', epoch).execute();
    });
  }

  /** Resolves when every batch that began before this call has ended: those do not know a change since. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#settledElsewhere()]);
  }

  /** Other processes store batches, too: `settled` waits for them. */
  shareWith(settledElsewhere: () => Promise<void>): void {
    this.#settledElsewhere = settledElsewhere;
  }

  /** Another process has stored the batch; it may be repeated. */
  storedElsewhere(batch: FeedBatch): void {
    const { changes } = this.#options.series;
    for (const { experiment_uid, source } of batch.series) changes.note(experiment_uid, source);
    for (const { record } of batch.records)
      if (record.kind === 'event') changes.note(record.experiment_uid, eventSource(record.name));
    for (const subscriber of this.#subscribers) subscriber.stored?.(batch);
  }

  async #store(batch: FeedBatch): Promise<void> {
    const { unit, epoch, upTo } = batch;
    const { database, series, clock, machineOf, diskSpace } = this.#options;
    if (diskSpace?.level === 'full') throw new StoreError('disk_full', 'There is no room for readings on the disk.');
    const stored = await this.#storedSeq(unit, epoch);
    if (batch.after > stored) throw new BatchTooEarly(batch, stored);
    if (upTo <= stored) return;
    const nowMs = Math.floor(clock.now());
    const machineId = machineOf?.(unit, epoch) ?? unit;
    const sent = batch.records.map(({ record }) => record).filter(({ seq }) => seq > stored);
    const eras = await this.#options.eras.of({ unit, machineId }, sent);
    const records = sent.map((record) => eras.corrected(record));
    const uids = new Set(records.map((record) => experimentOf(record, batch.series)));
    const statuses = await experimentStatuses(database, uids);
    const beyondLimit = await this.#beyondLimit(usedSeries(records, batch.series, statuses, unit), statuses);
    const rows = feedRows(records, batch.series, statuses, { unit, epoch, machineId, eras }, beyondLimit);
    const unknown = [...uids].filter((uid) => statuses.get(uid)?.is === 'unknown');
    const holes = holesAfter(await this.#openHoles(unit, epoch), {
      after: stored,
      records,
      headSeq: batch.headSeq,
      forgottenTo: batch.forgotten?.toSeq ?? 0,
      upTo,
    });
    const alarms = [
      ...unknown.map((uid) => unknownExperiment(uid, unit, nowMs)),
      ...(rows.beyondLimit === undefined ? [] : [tooManySeries(rows.beyondLimit, unit, epoch, nowMs)]),
      ...holes.unexplained.map((hole) => unexplainedHole(hole, unit, epoch, nowMs)),
    ];
    await series.ingest.write({
      series: rows.series,
      readings: rows.readings,
      mark: { unit, epoch, seq: upTo },
      also: [
        ...rows.statements,
        { sql: beginEarlierSql, rows: earlierBeginnings(records, batch.series, statuses) },
        { sql: growEraSql, rows: spansOfEras(rows) },
        ...droppedStatements(rows),
        ...forgottenStatements(batch),
        ...holeStatements(holes.open, unit, epoch),
        ...alarms.flatMap(({ statements }) => statements),
        ...this.#subscribers.flatMap((subscriber) => subscriber.statements?.(batch) ?? []),
      ],
      nowMs,
    });
    for (const [uid, name] of rows.events) series.changes.note(uid, eventSource(name));
    this.#announce(alarms, unit, nowMs);
  }

  /** The positions in the dictionary whose series would exceed the limit. */
  async #beyondLimit(
    used: ReturnType<typeof usedSeries>,
    statuses: ReadonlyMap<string, ExperimentStatus>,
  ): Promise<ReadonlySet<number>> {
    const { database, series } = this.#options;
    const beyond = await seriesBeyondLimit(
      used.map(({ key }) => key),
      {
        read: database.read,
        ids: series.ids,
        isUnknown: (experimentUid) => statuses.get(experimentUid)?.is === 'unknown',
      },
    );
    return new Set(used.flatMap(({ place }, index) => (beyond.has(index) ? [place] : [])));
  }

  async #storedSeq(unit: string, epoch: string): Promise<number> {
    const mark = await this.#options.database.read
      .selectFrom('feed_marks')
      .where('reactor_unit', '=', unit)
      .where('epoch', '=', epoch)
      .select('seq')
      .executeTakeFirst();
    return mark?.seq ?? 0;
  }

  async #openHoles(unit: string, epoch: string): Promise<FeedHole[]> {
    const rows = await this.#options.database.read
      .selectFrom('feed_holes')
      .where('reactor_unit', '=', unit)
      .where('epoch', '=', epoch)
      .orderBy('from_seq')
      .select(['from_seq', 'to_seq', 'head_seq', 'to_at'])
      .execute();
    return rows.map(({ from_seq, to_seq, head_seq, to_at }) => ({
      from: from_seq,
      to: to_seq,
      head: head_seq,
      toAt: to_at,
    }));
  }

  #announce(alarms: readonly Alarm[], unit: string, nowMs: number): void {
    const { onLogged, log } = this.#options;
    for (const { message } of alarms) {
      if (this.#logged.has(message)) continue;
      this.#logged.add(message);
      log.error(message, { unit });
      onLogged({
        timestamp: toTimestamp(nowMs),
        level: 'ERROR',
        message,
        task: 'feed',
        source: 'app',
        reactor_unit: unit,
        experiment: systemExperiment,
      });
    }
  }
}

/** Experiments with records from before their creation: ID, and the first time. Units without a known time are omitted. */
function earlierBeginnings(
  records: readonly FeedRecord[],
  series: readonly FeedSeries[],
  statuses: ReadonlyMap<string, ExperimentStatus>,
): [id: number, at: number][] {
  const first = new Map<number, number>();
  for (const record of records) {
    const status = record.unsynced === true ? undefined : statuses.get(experimentOf(record, series));
    if (status?.is !== 'known' || record.at >= (first.get(status.id) ?? status.createdAt)) continue;
    first.set(status.id, record.at);
  }
  return [...first];
}

/** The eras that samples were added to: ID, first and last time. */
function spansOfEras({ readings }: FeedRows): [id: number, firstAt: number, lastAt: number][] {
  const spans = new Map<number, [id: number, firstAt: number, lastAt: number]>();
  for (const { era, at } of readings) {
    if (era === undefined) continue;
    const [, firstAt, lastAt] = spans.get(era) ?? [era, at, at];
    spans.set(era, [era, Math.min(firstAt, at), Math.max(lastAt, at)]);
  }
  return [...spans.values()];
}

function unknownExperiment(uid: string, unit: string, nowMs: number): Alarm {
  const message = `Units have readings of an experiment that this leader does not know (uid ${uid}). They are kept; perhaps the leader was restored from an older backup.`;
  return {
    message,
    statements: [
      { sql: logUnknownSql, rows: [[unit, nowMs, message, uid]] },
      { sql: rememberUnknownSql, rows: [[uid, unit, nowMs]] },
    ],
  };
}

function tooManySeries(
  { fromSeq, toSeq, fromAt, toAt }: RefusedSamples,
  unit: string,
  epoch: string,
  nowMs: number,
): Alarm {
  const message = `${unit} has more than ${mostSeries} series in an experiment. The readings of further ones are not stored. Check the jobs and plugins of this unit.`;
  return {
    message,
    statements: [
      { sql: logSeriesLimitSql, rows: [[unit, nowMs, message, epoch]] },
      { sql: growSeriesLimitSql, rows: [[unit, epoch, toSeq, toAt]] },
      { sql: beginSeriesLimitSql, rows: [[unit, epoch, fromSeq, toSeq, fromAt, toAt]] },
    ],
  };
}

function unexplainedHole({ from, to, toAt }: FeedHole, unit: string, epoch: string, nowMs: number): Alarm {
  const count = to - from + 1;
  const message = `${count === 1 ? 'A record' : `${count} records`} of ${unit} never arrived (number ${from} to ${to}), and the unit does not say why.`;
  const gap = [unit, epoch, from, to, null, toAt, '{}', 'unexplained', null, null, null];
  return {
    message,
    statements: [
      { sql: insertGapSql, rows: [gap] },
      { sql: logHoleSql, rows: [[unit, nowMs, message]] },
    ],
  };
}

const droppedStatements = ({ dropped }: FeedRows): BulkStatement[] => [{ sql: countDroppedSql, rows: [...dropped] }];

function forgottenStatements({ unit, epoch, forgotten, records }: FeedBatch): BulkStatement[] {
  if (forgotten === undefined) return [];
  // The missing records precede the oldest that is left.
  const toAt = records[0]?.record.at ?? null;
  const gap = [unit, epoch, forgotten.fromSeq, forgotten.toSeq, null, toAt, '{}', 'forgotten', null, null, null];
  return [{ sql: insertGapSql, rows: [gap] }];
}

const holeStatements = (open: readonly FeedHole[], unit: string, epoch: string): BulkStatement[] => [
  { sql: forgetHolesSql, rows: [[unit, epoch]] },
  { sql: insertHoleSql, rows: open.map(({ from, to, head, toAt }) => [unit, epoch, from, to, head, toAt]) },
];
