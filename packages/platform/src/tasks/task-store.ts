import type { Json } from '@lcs/contract';
import type { BulkStatement } from '../store/database.ts';
import { type QueryTarget, queryBuilder, runOn } from '../store/query-builder.ts';
import {
  type FinishedTaskRecord,
  type TaskRecord,
  type TaskStatus,
  textOfResult,
  type UnfinishedTaskRecord,
} from './task-record.ts';
import { recordOf, type TaskRow, type TaskTables } from './task-tables.ts';

/** The part of `Database` that tasks need; a Database of any schema with `TaskTables` has it. */
export interface TaskDatabase {
  readonly read: QueryTarget;
  write<Result>(work: (transaction: QueryTarget) => Promise<Result>): Promise<Result>;
  bulk(statements: readonly BulkStatement[]): Promise<void>;
}

export interface TaskFilter {
  readonly kind?: string;
  readonly status?: TaskStatus;
  /** At most so many, the newest. Default 100. */
  readonly limit?: number;
}

/** A task that was unfinished when the node ended, with its input. */
export interface UnfinishedTask {
  readonly record: UnfinishedTaskRecord;
  readonly input: Json;
}

/** Records a task that has already begun; idempotent. */
export type InsertLate = (transaction: QueryTarget) => Promise<void>;

/** Rows deleted in one transaction, so that commands do not wait long. */
const deletedAtOnce = 200;

const build = queryBuilder<TaskTables>();

const endOf = (record: FinishedTaskRecord) =>
  build
    .updateTable('tasks')
    .set({
      status: record.status,
      progress: record.progress,
      message: record.message,
      result: record.status === 'succeeded' ? textOfResult(record.result) : null,
      error: record.status === 'failed' ? JSON.stringify(record.error) : null,
      cancel_requested: record.cancelRequested ? 1 : 0,
      started_at_ms: record.startedAt,
      finished_at_ms: record.finishedAt,
    })
    .where('id', '=', record.taskId);

/** All queries on the table of tasks. */
export class TaskStore {
  readonly #database: TaskDatabase;

  constructor(database: TaskDatabase) {
    this.#database = database;
  }

  write<Result>(work: (transaction: QueryTarget) => Promise<Result>): Promise<Result> {
    return this.#database.write(work);
  }

  async insert(target: QueryTarget, record: UnfinishedTaskRecord, input: Json): Promise<void> {
    await runOn(
      target,
      build.insertInto('tasks').values({
        id: record.taskId,
        kind: record.kind,
        locks: JSON.stringify(record.locks),
        input: JSON.stringify(input),
        status: record.status,
        started_by: record.startedBy,
        cancel_requested: 0,
        created_at_ms: record.createdAt,
      }),
    );
  }

  /** Records a task that began before its record was on disk. Returns false when it is already recorded. */
  async insertLate(target: QueryTarget, record: TaskRecord, input: Json): Promise<boolean> {
    const { numAffectedRows } = await runOn(
      target,
      build
        .insertInto('tasks')
        .values({
          id: record.taskId,
          kind: record.kind,
          locks: JSON.stringify(record.locks),
          input: JSON.stringify(input),
          status: 'pending',
          started_by: record.startedBy,
          cancel_requested: 0,
          created_at_ms: record.createdAt,
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    );
    return numAffectedRows === 1n;
  }

  /** Start and progress are in memory first; losing them affects only their display. */
  async saveProgress(records: readonly TaskRecord[]): Promise<void> {
    const rows = records.map(({ taskId, status, startedAt, progress, message }) => [
      status,
      startedAt,
      progress,
      message,
      taskId,
    ]);
    const sql = `update tasks set status = ?, started_at_ms = ?, progress = ?, message = ?
      where id = ? and status in ('pending', 'running')`;
    await this.#database.bulk([{ sql, rows }]);
  }

  async saveCancelRequest(taskId: string): Promise<void> {
    await this.write((transaction) =>
      runOn(transaction, build.updateTable('tasks').set({ cancel_requested: 1 }).where('id', '=', taskId)),
    );
  }

  /** Writes the ends of tasks, all or none, and before them the missing records. */
  async saveEnds(records: readonly FinishedTaskRecord[], inserts: readonly InsertLate[] = []): Promise<void> {
    await this.write(async (transaction) => {
      for (const insert of inserts) await insert(transaction);
      for (const record of records) await runOn(transaction, endOf(record));
    });
  }

  async find(taskId: string): Promise<TaskRecord | undefined> {
    const query = build.selectFrom('tasks').selectAll().where('id', '=', taskId);
    const { rows } = await runOn<TaskRow>(this.#database.read, query);
    return rows[0] === undefined ? undefined : recordOf(rows[0]);
  }

  /** Tasks that have ended since `sinceMs`, newest first. */
  async finished({ kind, status, limit = 100 }: TaskFilter, sinceMs: number): Promise<readonly TaskRecord[]> {
    let query = build.selectFrom('tasks').selectAll().where('finished_at_ms', '>', sinceMs);
    if (kind !== undefined) query = query.where('kind', '=', kind);
    if (status !== undefined) query = query.where('status', '=', status);
    const { rows } = await runOn<TaskRow>(
      this.#database.read,
      query.orderBy('finished_at_ms', 'desc').orderBy('seq', 'desc').limit(limit),
    );
    return rows.map(recordOf);
  }

  /** The tasks that a restart interrupted, in the order of submission. */
  async unfinished(): Promise<readonly UnfinishedTask[]> {
    const query = build.selectFrom('tasks').selectAll().where('finished_at_ms', 'is', null).orderBy('seq');
    const { rows } = await runOn<TaskRow>(this.#database.read, query);
    return rows.flatMap((row) => {
      const record = recordOf(row);
      return record.finishedAt === null ? [{ record, input: JSON.parse(row.input) }] : [];
    });
  }

  /** Records the recovery of interrupted tasks: some wait again, the others have ended. */
  async saveRecovery(waiting: readonly UnfinishedTaskRecord[], ended: readonly FinishedTaskRecord[]): Promise<void> {
    if (waiting.length + ended.length === 0) return;
    const values = { status: 'pending', started_at_ms: null, progress: null, message: null } as const;
    await this.write(async (transaction) => {
      for (const { taskId } of waiting) {
        await runOn(transaction, build.updateTable('tasks').set(values).where('id', '=', taskId));
      }
      for (const record of ended) await runOn(transaction, endOf(record));
    });
  }

  /**
   * Deletes finished tasks, some at a time: those that ended before `beforeMs`, and the oldest above `most`.
   * @returns whether there may be more to delete
   */
  async prune(beforeMs: number, most: number): Promise<boolean> {
    const finished = build
      .selectFrom('tasks')
      .select('seq')
      .where('finished_at_ms', 'is not', null)
      .limit(deletedAtOnce);
    const old = finished.where('finished_at_ms', '<=', beforeMs).orderBy('finished_at_ms');
    const surplus = finished.orderBy('finished_at_ms', 'desc').orderBy('seq', 'desc').offset(most);
    // A read costs nothing; a transaction every few minutes would wear the SD card.
    const found = await Promise.all([old, surplus].map((choice) => runOn(this.#database.read, choice.limit(1))));
    if (found.every(({ rows }) => rows.length === 0)) return false;
    return this.write(async (transaction) => {
      let isFull = false;
      for (const choice of [old, surplus]) {
        const deleted = await runOn(transaction, build.deleteFrom('tasks').where('seq', 'in', choice));
        isFull ||= (deleted.numAffectedRows ?? 0n) >= BigInt(deletedAtOnce);
      }
      return isFull;
    });
  }
}
