import type { Json } from '@lcs/contract';
import type { TaskResult } from './task-record.ts';

/** What a task's code is given. */
export interface TaskContext {
  readonly taskId: string;
  /** Aborted when someone cancels the task or the node stops; the reason is the ApiError that says which. */
  readonly signal: AbortSignal;
  /** Reports how far it is: `fraction` 0..1 (or null when unknown) and a sentence for people. */
  progress(fraction: number | null, message?: string): void;
}

/** How a kind of task behaves; registered once at start-up. */
export interface TaskKind<Input extends Json = Json> {
  readonly kind: string;
  /** Tasks of one lock run one after the other, in the order they came. */
  readonly lock?: string;
  /** Instead of `lock`: the locks that this input needs, all of them held while it runs. */
  locks?(input: Input): readonly string[];
  /**
   * What a request meets whose lock is taken: `queue` (the default) lets the task wait as `pending`; `refuse` makes `prepare`
   * and `submit` throw `lock_busy`, and takes the lock at that moment.
   */
  readonly whenBusy?: 'queue' | 'refuse';
  /** `stop`: never waits behind other tasks, and so has no lock. The others share the places of the runner. */
  readonly lane?: 'stop' | 'normal';
  /**
   * `true`: makes something safer. It begins before its record is on disk, and what the disk does not take is kept in memory
   * and tried again: whatever the disk is, it takes effect. Only for the stop lane.
   */
  readonly startsUnrecorded?: boolean;
  /** `true`: a task cut by a restart runs again with the same input. Otherwise it ends `failed` with that cause. */
  readonly resumable?: boolean;
  /** Returns the task's `result`, prepared where it may be long; throws an ApiError (or any error) to fail it. */
  run(input: Input, context: TaskContext): Promise<TaskResult>;
}

/** A new task, as the 202 answer needs it. */
export interface AcceptedTask {
  readonly taskId: string;
}

/** The locks that a task of this kind needs for `input`. */
export const locksOf = <Input extends Json>(kind: TaskKind<Input>, input: Input): readonly string[] =>
  kind.locks?.(input) ?? (kind.lock === undefined ? [] : [kind.lock]);
