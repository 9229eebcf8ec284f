import type { Json } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from './leader-context.ts';

/**
 * Makes a change together with the task that goes on from it: both are on disk when the promise resolves, or neither is when
 * it rejects.
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
