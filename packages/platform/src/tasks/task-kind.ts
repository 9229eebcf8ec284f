import type { Json } from '@lcs/contract';
import type { TaskResult } from './task-record.ts';

/** The argument of a task's code. */
export interface TaskContext {
  readonly taskId: string;
  /** Aborted when a user cancels the task or the node stops; the ApiError of its reason distinguishes the two. */
  readonly signal: AbortSignal;
  /** Reports progress: `fraction` 0..1 (or null when unknown) and a sentence for users. */
  progress(fraction: number | null, message?: string): void;
}

/** The definition of a kind of task; registered once at start-up. */
export interface TaskKind<Input extends Json = Json> {
  readonly kind: string;
  /** Tasks of one lock run one after the other, in the order of their acceptance. */
  readonly lock?: string;
  /** Instead of `lock`: the locks for this input, all of them held while it runs. */
  locks?(input: Input): readonly string[];
  /**
   * What happens to a request whose lock is taken: `queue` (the default) lets the task wait as `pending`; `refuse` makes `prepare`
   * and `submit` throw `lock_busy`, and takes the lock at that moment.
   */
  readonly whenBusy?: 'queue' | 'refuse';
  /** `stop`: never waits for other tasks, and so has no lock. The others share the concurrency of the runner. */
  readonly lane?: 'stop' | 'normal';
  /**
   * `true`: makes something safer. It begins before its record is on disk; a record that the disk rejects stays in memory and is retried.
   * So it takes effect even with a full disk. Only for the stop lane.
   */
  readonly startsUnrecorded?: boolean;
  /** `true`: a task that a restart interrupted runs again with the same input. Otherwise it ends `failed` with that cause. */
  readonly resumable?: boolean;
  /** Returns the task's `result`, serialised if it may be long; throws an ApiError (or any error) to fail it. */
  run(input: Input, context: TaskContext): Promise<TaskResult>;
}

/** A new task, for the 202 response. */
export interface AcceptedTask {
  readonly taskId: string;
}

/** The locks that a task of this kind needs for `input`. */
export const locksOf = <Input extends Json>(kind: TaskKind<Input>, input: Input): readonly string[] =>
  kind.locks?.(input) ?? (kind.lock === undefined ? [] : [kind.lock]);
