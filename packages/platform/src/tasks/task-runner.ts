import { randomUUID } from 'node:crypto';
import { ApiError, type Json, PassedOnError } from '@lcs/contract';
import { actingAccount, onBehalfOf } from '../acting/acting-account.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Service } from '../lifecycle/in-order.ts';
import type { QueryTarget } from '../store/query-builder.ts';
import { currentTrace, withinTrace } from '../tracing/current-trace.ts';
import { TaskEnds } from './task-ends.ts';
import { type AcceptedTask, locksOf, type TaskContext, type TaskKind } from './task-kind.ts';
import { TaskProgress } from './task-progress.ts';
import { TaskQueue } from './task-queue.ts';
import {
  endedTask,
  failureOf,
  startedTask,
  successOf,
  type TaskEnd,
  type TaskRecord,
  type UnfinishedTaskRecord,
} from './task-record.ts';
import { TaskPruning } from './task-retention.ts';
import type { PreparedTask, TaskRunnerOptions } from './task-runner-options.ts';
import { type InsertLate, type TaskFilter, TaskStore, type UnfinishedTask } from './task-store.ts';

export type { AcceptedTask, TaskContext, TaskKind } from './task-kind.ts';

/** How long a task that `startsUnrecorded` waits for its record before its call resolves. */
const recordLimitMs = 250;

interface LiveTask {
  readonly kind: TaskKind;
  readonly input: Json;
  readonly controller: AbortController;
  /** Resolves when the record must end although the code continues. */
  readonly givenUp: PromiseWithResolvers<TaskEnd>;
  /** The span that accepted it. */
  readonly trace: string | undefined;
  record: UnfinishedTaskRecord;
  /** Its end is known and is being written. */
  isEnding: boolean;
  cancelGiveUp: Cancel | undefined;
}

/**
 * Runs the node's long work: every task is on disk before its acceptance is answered, runs when its locks and a place are free, and ends
 * `succeeded` or `failed`, even if the node restarts meanwhile.
 */
export class TaskRunner implements Service {
  readonly name = 'tasks';
  readonly #options: TaskRunnerOptions;
  readonly #wire: Clock;
  readonly #store: TaskStore;
  readonly #queue: TaskQueue;
  readonly #progress: TaskProgress;
  readonly #ends: TaskEnds;
  readonly #pruning: TaskPruning;
  readonly #kinds = new Map<string, TaskKind>();
  readonly #live = new Map<string, LiveTask>();
  readonly #listeners = new Set<(record: TaskRecord) => void>();
  readonly #runs = new Set<Promise<void>>();
  #state: 'new' | 'up' | 'stopping' | 'down' = 'new';

  constructor(options: TaskRunnerOptions) {
    const { database, clock, log, wire = clock, retention = {}, concurrency = 10 } = options;
    this.#options = options;
    this.#wire = wire;
    this.#store = new TaskStore(database);
    this.#queue = new TaskQueue(concurrency);
    this.#progress = new TaskProgress({ store: this.#store, clock, log });
    this.#ends = new TaskEnds({ store: this.#store, wire, log });
    this.#pruning = new TaskPruning({ store: this.#store, clock, log, retention });
  }

  /** Registers a kind; before `start`, so that its tasks can continue after a restart. */
  register<Input extends Json>(kind: TaskKind<Input>): void {
    if (this.#state !== 'new') throw new Error(`The kind ${kind.kind} must be registered before the runner starts.`);
    if (this.#kinds.has(kind.kind)) throw new Error(`The kind ${kind.kind} is registered twice.`);
    const isLocked = kind.lock !== undefined || kind.locks !== undefined;
    if (kind.lane === 'stop' && isLocked)
      throw new Error(`${kind.kind} is of the stop lane and cannot wait for a lock.`);
    if (kind.startsUnrecorded && kind.lane !== 'stop') throw new Error(`${kind.kind} must be of the stop lane.`);
    this.#kinds.set(kind.kind, kind);
  }

  /** Ends or repeats the unfinished tasks of the node's last run, then accepts tasks. The database must be running. */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#recover();
    this.#state = 'up';
    this.#pruning.start();
    this.#schedule();
  }

  /**
   * Accepts no more tasks, aborts running ones and waits for them, up to a limit. The next start settles interrupted tasks. The database
   * must still be running.
   */
  async stop(): Promise<void> {
    if (this.#state !== 'up') return;
    this.#state = 'stopping';
    for (const { controller } of this.#live.values()) controller.abort(new ApiError('shutting_down', {}));
    const grace = new AbortController();
    const graceOver = this.#wire.sleep(this.#options.stopGraceMs ?? 3_000, grace.signal);
    await Promise.race([Promise.allSettled(this.#runs), graceOver]);
    grace.abort();
    await Promise.allSettled([graceOver]);
    if (this.#runs.size > 0) this.#options.log.warn('Tasks did not end in time', { tasks: [...this.#live.keys()] });
    await this.#pruning.stop();
    await this.#progress.stop();
    await this.#ends.stop();
    this.#state = 'down';
  }

  /**
   * Records a task and queues it.
   * @throws ApiError `lock_busy` for a kind that refuses to wait, `shutting_down`
   */
  async submit<Input extends Json>(kind: TaskKind<Input>, input: Input): Promise<AcceptedTask> {
    const prepared = this.prepare(kind, input);
    try {
      await this.#store.write((transaction) => prepared.insert(transaction));
    } catch (error) {
      prepared.abandon();
      throw error;
    }
    prepared.begin();
    return { taskId: prepared.taskId };
  }

  /**
   * Begins a task of a kind that `startsUnrecorded`, and records it: resolves when it is on disk, or after a short wait if the disk
   * rejects it. Its record is then in memory and written as soon as possible.
   * @param alongside other changes that are recorded with it
   * @throws ApiError `shutting_down`
   */
  async begin<Input extends Json>(
    kind: TaskKind<Input>,
    input: Input,
    alongside: (taskId: string, transaction: QueryTarget) => Promise<void> = async () => {},
  ): Promise<AcceptedTask> {
    const { known, record } = this.#accept(kind, input);
    const { taskId } = record;
    this.#enqueue(known, input, record);
    this.#schedule();
    const insert: InsertLate = async (transaction) => {
      if (await this.#store.insertLate(transaction, record, input)) await alongside(taskId, transaction);
    };
    await this.#ends.recordBegun(taskId, insert, recordLimitMs);
    return { taskId };
  }

  /**
   * Accepts a task whose record is written with other changes; see `PreparedTask`.
   * @throws ApiError `lock_busy` for a kind that refuses to wait, `shutting_down`
   */
  prepare<Input extends Json>(kind: TaskKind<Input>, input: Input): PreparedTask {
    const { known, record } = this.#accept(kind, input);
    const { taskId } = record;
    const entry = { id: taskId, locks: record.locks, lane: kind.lane ?? 'normal' };
    if (kind.whenBusy === 'refuse') {
      const lock = this.#queue.reserve(entry);
      if (lock !== undefined) throw new ApiError('lock_busy', { lock });
    }
    return {
      taskId,
      insert: (transaction) => this.#store.insert(transaction, record, input),
      begin: () => {
        this.#enqueue(known, input, record);
        this.#schedule();
      },
      abandon: () => {
        this.#queue.remove(taskId);
        this.#schedule();
      },
    };
  }

  /** The task, or undefined when the ID was never issued or the task has expired. */
  async get(taskId: string): Promise<TaskRecord | undefined> {
    const known = this.#live.get(taskId)?.record ?? this.#ends.find(taskId);
    const record = known ?? (await this.#store.find(taskId));
    const isExpired = record?.finishedAt != null && record.finishedAt <= this.#pruning.expiryMs;
    return isExpired ? undefined : record;
  }

  /** Unfinished tasks first, each part newest first. */
  async list(filter: TaskFilter = {}): Promise<readonly TaskRecord[]> {
    const { kind, status, limit = 100 } = filter;
    const live = [...this.#live.values()].map(({ record }) => record).reverse();
    const matching = live.filter(
      (record) => (kind === undefined || record.kind === kind) && (status === undefined || record.status === status),
    );
    const finished = await this.#store.finished(filter, this.#pruning.expiryMs);
    return [...matching, ...finished.filter(({ taskId }) => !live.some((one) => one.taskId === taskId))].slice(
      0,
      limit,
    );
  }

  /**
   * Cancels a task: at once if it waits, otherwise when its code ends after the signal, or after a grace period. It ends `failed` with
   * `task_cancelled`; its locks remain taken until the code has ended.
   * @throws ApiError `task_not_found`, `task_finished`
   */
  async cancel(taskId: string): Promise<TaskRecord> {
    const task = this.#live.get(taskId);
    if (task === undefined) {
      const found = await this.get(taskId);
      throw found === undefined
        ? new ApiError('task_not_found', { taskId })
        : new ApiError('task_finished', { taskId });
    }
    if (task.isEnding) throw new ApiError('task_finished', { taskId });
    if (task.record.cancelRequested) return task.record;
    task.record = { ...task.record, cancelRequested: true };
    const reason = new ApiError('task_cancelled', { taskId });
    if (task.record.status === 'pending') return this.#endWaiting(task, failureOf(reason));
    this.#notify(task.record);
    const graceMs = this.#options.cancelGraceMs ?? 10_000;
    task.cancelGiveUp = this.#wire.after(graceMs, () => task.givenUp.resolve(failureOf(reason)));
    task.controller.abort(reason);
    await this.#store.saveCancelRequest(taskId);
    return task.record;
  }

  /** Whether the lock is held or waited for. */
  isBusy(lock: string): boolean {
    return this.#queue.isBusy(lock);
  }

  /** Takes a lock for work that is not a task; returns its release function, or undefined when the lock is busy. */
  tryHold(lock: string): (() => void) | undefined {
    const release = this.#queue.tryHold(lock);
    if (release === undefined) return undefined;
    return () => {
      release();
      this.#schedule();
    };
  }

  /** Calls `listener` at every change of every task; returns the function that ends the subscription. */
  onChange(listener: (record: TaskRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #accept<Input extends Json>(kind: TaskKind<Input>, input: Input) {
    if (this.#state !== 'up') throw new ApiError('shutting_down', {});
    const known = this.#kinds.get(kind.kind);
    if (known === undefined) throw new Error(`The kind ${kind.kind} is not registered.`);
    const record: UnfinishedTaskRecord = {
      taskId: randomUUID(),
      kind: kind.kind,
      locks: locksOf(kind, input),
      status: 'pending',
      progress: null,
      message: null,
      cancelRequested: false,
      startedBy: actingAccount(),
      createdAt: this.#options.clock.now(),
      startedAt: null,
      finishedAt: null,
    };
    return { known, record };
  }

  #enqueue(kind: TaskKind, input: Json, record: UnfinishedTaskRecord): void {
    const { taskId, locks } = record;
    this.#live.set(taskId, {
      kind,
      input,
      record,
      trace: currentTrace(),
      controller: new AbortController(),
      givenUp: Promise.withResolvers<TaskEnd>(),
      isEnding: false,
      cancelGiveUp: undefined,
    });
    this.#queue.add({ id: taskId, locks, lane: kind.lane ?? 'normal' });
    this.#notify(record);
  }

  #schedule(): void {
    if (this.#state !== 'up') return;
    for (const taskId of this.#queue.takeReady()) {
      const task = this.#live.get(taskId);
      if (task === undefined) throw new Error(`The task ${taskId} is queued but not known.`);
      const run: Promise<void> = onBehalfOf(task.record.startedBy, () => this.#runTraced(task)).finally(() => {
        this.#runs.delete(run);
      });
      this.#runs.add(run);
    }
  }

  /** Within a span of its own, which belongs to the request that began the task. */
  #runTraced(task: LiveTask): Promise<void> {
    const { tracing } = this.#options;
    if (tracing === undefined) return this.#run(task).then(() => undefined);
    const { kind, taskId } = task.record;
    const values = { 'lcs.task_id': taskId };
    const span = tracing.begin({ name: `task ${kind}`, kind: 'internal', parent: task.trace, values });
    return withinTrace(span.traceparent, () => this.#run(task)).then(
      (end) => span.end(end === 'cut' || end.status === 'succeeded' ? undefined : end.status),
      (error) => {
        span.end(String(error));
        throw error;
      },
    );
  }

  async #run(task: LiveTask): Promise<TaskEnd | 'cut'> {
    const { taskId } = task.record;
    const work = this.#perform(task);
    const end = await Promise.race([work, task.givenUp.promise]);
    task.cancelGiveUp?.();
    if (end === 'cut') this.#live.delete(taskId);
    else await this.#end(task, end);
    await work;
    return end;
  }

  /** Runs the task's code; `cut` leaves its row unchanged, for the next start. */
  async #perform(task: LiveTask): Promise<TaskEnd | 'cut'> {
    task.record = startedTask(task.record, this.#options.clock.now());
    this.#changed(task);
    try {
      const value = await task.kind.run(task.input, this.#contextOf(task));
      if (task.record.cancelRequested) return failureOf(new ApiError('task_cancelled', { taskId: task.record.taskId }));
      return successOf(value);
    } catch (error) {
      return this.#failure(task, error);
    } finally {
      // The task can no longer be cancelled. Its locks are released only here, because cancelled code may still use its device or file,
      // and before the end is visible.
      task.isEnding = true;
      this.#queue.remove(task.record.taskId);
      this.#schedule();
    }
  }

  #contextOf(task: LiveTask): TaskContext {
    return {
      taskId: task.record.taskId,
      signal: task.controller.signal,
      progress: (fraction, message = task.record.message ?? undefined) => {
        if (task.isEnding) return;
        const progress = fraction === null || Number.isNaN(fraction) ? null : Math.min(Math.max(fraction, 0), 1);
        task.record = { ...task.record, progress, message: message ?? null };
        this.#changed(task);
      },
    };
  }

  #failure({ record, kind, controller }: LiveTask, error: unknown): TaskEnd | 'cut' {
    const { taskId } = record;
    const isOwnReason = controller.signal.aborted && error === controller.signal.reason;
    const isExpected = error instanceof ApiError || error instanceof PassedOnError;
    if (!isOwnReason && !isExpected) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.#options.log.error('A task failed unexpectedly', { taskId, kind: kind.kind, error: stack });
    }
    if (record.cancelRequested) return failureOf(new ApiError('task_cancelled', { taskId }));
    if (controller.signal.aborted)
      return kind.resumable ? 'cut' : failureOf(new ApiError('task_interrupted', { taskId }));
    return failureOf(isExpected ? error : new ApiError('task_crashed', { taskId }));
  }

  async #endWaiting(task: LiveTask, end: TaskEnd): Promise<TaskRecord> {
    this.#queue.remove(task.record.taskId);
    this.#schedule();
    return this.#end(task, end);
  }

  /** The end of a task is visible when it is on disk; that of a task that `startsUnrecorded` does not wait for the disk. */
  async #end(task: LiveTask, end: TaskEnd): Promise<TaskRecord> {
    task.isEnding = true;
    const ended = endedTask(task.record, end, this.#options.clock.now());
    this.#progress.forget(ended.taskId);
    await this.#ends.record(ended, task.kind.startsUnrecorded ? recordLimitMs : undefined);
    this.#live.delete(ended.taskId);
    this.#notify(ended);
    return ended;
  }

  #changed(task: LiveTask): void {
    this.#progress.changed(task.record);
    this.#notify(task.record);
  }

  #notify(record: TaskRecord): void {
    for (const listener of this.#listeners) {
      try {
        listener(record);
      } catch (error) {
        this.#options.log.error('A listener for tasks failed', { taskId: record.taskId, error: String(error) });
      }
    }
  }

  async #recover(): Promise<void> {
    const cut = await this.#store.unfinished();
    const settled = cut.map((task) => this.#settle(task));
    const ended = settled.flatMap((outcome) => (outcome.record.finishedAt === null ? [] : [outcome.record]));
    const waiting = settled.flatMap(({ kind, input, record }) =>
      kind !== undefined && record.finishedAt === null ? [{ kind, input, record }] : [],
    );
    await this.#store.saveRecovery(
      waiting.map(({ record }) => record),
      ended,
    );
    for (const { kind, input, record } of waiting) this.#enqueue(kind, input, record);
    for (const { taskId, kind } of ended) this.#options.log.warn('A restart interrupted a task', { taskId, kind });
  }

  #settle({ record, input }: UnfinishedTask): { kind: TaskKind | undefined; input: Json; record: TaskRecord } {
    const { taskId } = record;
    const kind = this.#kinds.get(record.kind);
    const nowMs = this.#options.clock.now();
    if (!record.cancelRequested && kind?.resumable) {
      const waiting: UnfinishedTaskRecord = {
        ...record,
        status: 'pending',
        startedAt: null,
        progress: null,
        message: null,
      };
      return { kind, input, record: waiting };
    }
    const code = record.cancelRequested ? 'task_cancelled' : 'task_interrupted';
    return { kind, input, record: endedTask(record, failureOf(new ApiError(code, { taskId })), nowMs) };
  }
}
