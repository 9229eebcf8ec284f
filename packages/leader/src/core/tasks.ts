import type { AcceptedTask, Json } from '@lcs/contract';
import { resultPath } from '@lcs/node';
import type { TaskKind } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from './leader-context.ts';

/**
 * Makes a change together with the task that continues it: both are on disk when the promise resolves, or neither when it
 * rejects.
 * @returns the id of the task
 */
export async function changeWithTask<Input extends Json>(
  { change, tasks }: Pick<LeaderContext, 'change' | 'tasks'>,
  kind: TaskKind<Input>,
  input: Input,
  work: (transaction: LeaderTransaction, effects: Effects) => Promise<void>,
): Promise<string> {
  const task = tasks.prepare(kind, input);
  try {
    await change(async (transaction, effects) => {
      await work(transaction, effects);
      await task.insert(transaction);
      effects.afterCommit(task.begin);
    });
  } catch (error) {
    task.abandon();
    throw error;
  }
  return task.taskId;
}

/** The response to a request whose work continues in a task of this node. */
export const acceptedTask = (unit: string, taskId: string): AcceptedTask => ({
  unit,
  task_id: taskId,
  result_url_path: resultPath(taskId),
  status: 'accepted',
});
