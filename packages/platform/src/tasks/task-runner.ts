import type { Json } from '@lcs/contract';

/** What a task's code is given. */
export interface TaskContext {
  readonly taskId: string;
  /** Aborted when someone cancels the task or the node stops. */
  readonly signal: AbortSignal;
  /** Reports how far it is: `fraction` 0..1 (or null when unknown) and a sentence for people. */
  progress(fraction: number | null, message?: string): void;
}

/** How a kind of task behaves; registered once at start-up. */
export interface TaskKind<Input extends Json = Json> {
  readonly kind: string;
  /** Tasks of one lock run one after the other; the others wait as `pending`. May depend on the input. */
  readonly lock?: string;
  /** `true`: a task cut by a restart runs again with the same input. Otherwise it ends `failed` with that cause. */
  readonly resumable?: boolean;
  /** Returns the task's `result`; throws an ApiError (or any error) to fail it. */
  run(input: Input, context: TaskContext): Promise<Json>;
}

/** A new task, as the 202 answer needs it. */
export interface AcceptedTask {
  readonly taskId: string;
}
