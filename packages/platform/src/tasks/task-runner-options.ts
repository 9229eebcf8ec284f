import type { Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { QueryTarget } from '../store/query-builder.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { AcceptedTask } from './task-kind.ts';
import type { TaskRetention } from './task-retention.ts';
import type { TaskDatabase } from './task-store.ts';

export interface TaskRunnerOptions {
  readonly database: TaskDatabase;
  /** Times of tasks, progress and retention. */
  readonly clock: Clock;
  /** Measures how long a cancelled or stopped task may take to end, and retries. Default: `clock`. */
  readonly wire?: Clock;
  readonly log: Log;
  /** Each task becomes a span. */
  readonly tracing?: Tracing | undefined;
  readonly retention?: TaskRetention;
  /** Tasks that run at a time, those of the stop lane not counted. Default 10. */
  readonly concurrency?: number;
  /** How long a cancelled task may continue before its record ends. Default 10,000. */
  readonly cancelGraceMs?: number;
  /** How long `stop` waits for running tasks. Default 3,000. */
  readonly stopGraceMs?: number;
}

/** An accepted task that has not begun, so that it can be recorded together with other changes. */
export interface PreparedTask extends AcceptedTask {
  /** Records the task in the caller's transaction. */
  insert(transaction: QueryTarget): Promise<void>;
  /** Call this after the commit of that transaction: the task is queued. */
  begin(): void;
  /** Call this instead of `begin` when the transaction failed; releases the lock that `prepare` took. */
  abandon(): void;
}
