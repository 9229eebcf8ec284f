import { ApiError, type Caller } from '@lcs/contract';
import { callerKey, type TaskRunner } from '@lcs/platform';

/** Exports run one after the other: more would only make others wait. */
const limit = 4;

/** The part of a request that identifies its caller. */
interface From {
  readonly caller: Pick<Caller, 'kind' | 'id'>;
  readonly remoteAddress?: string | undefined;
}

/** Limits the exports that a caller has requested and that have not ended. In memory only: a restart starts again at zero. */
export class ExportsPerCaller {
  readonly #tasks: Pick<TaskRunner, 'onChange' | 'get'>;
  readonly #counts = new Map<string, number>();
  /** By task. */
  readonly #releases = new Map<string, () => void>();

  constructor(tasks: Pick<TaskRunner, 'onChange' | 'get'>) {
    this.#tasks = tasks;
    tasks.onChange(({ taskId, finishedAt }) => {
      if (finishedAt !== null) this.#releases.get(taskId)?.();
    });
  }

  /** Runs `work` as an export of the caller, until it settles. @throws ApiError too_many_exports */
  async during<Result>(from: From, work: () => Promise<Result>): Promise<Result> {
    const release = this.#take(from);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** The same until the end of the task that `submit` makes. @throws ApiError too_many_exports */
  async untilEnded<Task extends { readonly taskId: string }>(from: From, submit: () => Promise<Task>): Promise<Task> {
    const release = this.#take(from);
    try {
      const task = await submit();
      const { taskId } = task;
      this.#releases.set(taskId, () => {
        this.#releases.delete(taskId);
        release();
      });
      // It may have ended before this line.
      if ((await this.#tasks.get(taskId))?.finishedAt !== null) this.#releases.get(taskId)?.();
      return task;
    } catch (error) {
      release();
      throw error;
    }
  }

  #take({ caller, remoteAddress = '' }: From): () => void {
    if (caller.kind === 'local' || caller.kind === 'leader') return () => {};
    const key = callerKey(caller, remoteAddress);
    const running = this.#counts.get(key) ?? 0;
    if (running >= limit) throw new ApiError('too_many_exports', { limit });
    this.#counts.set(key, running + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
