import {
  type ApiError,
  type FailureReason,
  failureReason,
  type Json,
  type PassedOnError,
  PreparedJson,
} from '@lcs/contract';

export type TaskStatus = 'pending' | 'running' | 'succeeded' | 'failed';

/** The transitions of a task's status. A cancelled task may fail from `pending`; the other ends follow `running`. */
export const taskTransitions: { readonly [From in TaskStatus]: readonly TaskStatus[] } = {
  pending: ['running', 'failed'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export const isFinished = (status: TaskStatus): boolean => taskTransitions[status].length === 0;

/** Characters of a result that is kept as a value. Reading or writing a longer one would hold the event loop. */
const longestValue = 65_536;

/** The result of a task; a long one remains in its stored text form. */
export type TaskResult = Json | PreparedJson<Json>;

/** The result that this JSON is. */
export const resultOf = (text: string): TaskResult =>
  text.length > longestValue ? PreparedJson.from<Json>(text) : JSON.parse(text);

export const textOfResult = (result: TaskResult): string =>
  result instanceof PreparedJson ? result.text : JSON.stringify(result);

export type TaskEnd =
  | { readonly status: 'succeeded'; readonly result: TaskResult }
  | { readonly status: 'failed'; readonly error: FailureReason };

interface TaskFacts {
  readonly taskId: string;
  readonly kind: string;
  readonly locks: readonly string[];
  /** 0..1, or null when unknown. */
  readonly progress: number | null;
  /** The latest sentence of the task's progress. */
  readonly message: string | null;
  readonly cancelRequested: boolean;
  /** Name of the person or program that requested it; null: the node itself, or nobody has an account. */
  readonly startedBy: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly startedAt: number | null;
}

export type UnfinishedTaskRecord = TaskFacts & {
  readonly status: 'pending' | 'running';
  readonly finishedAt: null;
};

export type FinishedTaskRecord = TaskFacts & TaskEnd & { readonly finishedAt: number };

export type TaskRecord = UnfinishedTaskRecord | FinishedTaskRecord;

const expectTransition = (from: TaskStatus, to: TaskStatus) => {
  if (!taskTransitions[from].includes(to)) throw new Error(`A task cannot change from ${from} to ${to}.`);
};

export const startedTask = (record: UnfinishedTaskRecord, nowMs: number): UnfinishedTaskRecord => {
  expectTransition(record.status, 'running');
  return { ...record, status: 'running', startedAt: nowMs };
};

export const endedTask = (record: TaskRecord, end: TaskEnd, nowMs: number): FinishedTaskRecord => {
  expectTransition(record.status, end.status);
  const { taskId, kind, locks, progress, message, cancelRequested, startedBy, createdAt, startedAt } = record;
  const facts = { taskId, kind, locks, progress, message, cancelRequested, startedBy, createdAt, startedAt };
  return { ...facts, ...end, finishedAt: nowMs };
};

export const failureOf = ({ body }: ApiError | PassedOnError): TaskEnd => ({
  status: 'failed',
  error: failureReason(body),
});

/** The end of a task whose code returned `value`; a value that JSON cannot represent becomes null or fails the task. */
export const successOf = (value: unknown): TaskEnd => {
  const text = value instanceof PreparedJson ? value.text : JSON.stringify(value ?? null);
  if (text === undefined) throw new TypeError(`A task cannot return a ${typeof value}.`);
  return { status: 'succeeded', result: resultOf(text) };
};
