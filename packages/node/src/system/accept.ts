import { type AcceptedTask, ApiError, type Json, type LockedAnswer } from '@lcs/contract';
import type { TaskKind, TaskRunner } from '@lcs/platform';
import { resultPath } from '../routes/task-answer.ts';
import type { RateWindow } from './rate-window.ts';

interface Accepted {
  readonly status: 202;
  readonly body: AcceptedTask;
}

interface Locked {
  readonly status: 202;
  readonly body: LockedAnswer;
  readonly headers: { readonly 'retry-after': string };
}

type Needs = { readonly unit: string; readonly tasks: TaskRunner };

const retryAfterS = 1;

/** The response to a request whose operation is already running. */
export const lockedAnswer = (lock: string): Locked => ({
  status: 202,
  body: {
    status: 'running',
    lock,
    retry_after_s: retryAfterS,
    remediation: 'Wait for the running operation to finish, then retry.',
  },
  headers: { 'retry-after': String(retryAfterS) },
});

/** Begins a task and returns the URL for polling it. */
export async function accept<Input extends Json>(
  { unit, tasks }: Needs,
  kind: TaskKind<Input>,
  input: Input,
): Promise<Accepted> {
  const { taskId } = await tasks.submit(kind, input);
  return {
    status: 202,
    body: { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' },
  };
}

/**
 * Begins a task of a kind that does not wait for its lock, or responds that the lock is held.
 * @throws ApiError too_soon
 */
export async function acceptOrLocked<Input extends Json>(
  needs: Needs,
  kind: TaskKind<Input> & { readonly lock: string },
  input: Input,
  window?: RateWindow,
): Promise<Accepted | Locked> {
  if (needs.tasks.isBusy(kind.lock)) return lockedAnswer(kind.lock);
  window?.check();
  try {
    const accepted = await accept(needs, kind, input);
    window?.take();
    return accepted;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'lock_busy') return lockedAnswer(kind.lock);
    throw error;
  }
}
