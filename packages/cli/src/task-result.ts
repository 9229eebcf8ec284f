import { type FinishedTask, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import type { Connected } from './connect.ts';
import { CommandFailure } from './program-io.ts';

/** The result of a task of the leader, when it has ended. @throws CommandFailure when the task failed */
export async function resultOf(leader: Connected, accepted: Parameters<typeof waitForTask>[1]): Promise<unknown> {
  const clock = realClock();
  const ended: FinishedTask = await waitForTask(leader.baseUrl, accepted, { sleep: (ms) => clock.sleep(ms) });
  if (ended.status === 'succeeded') return ended.result;
  const { error, cause, remediation } = ended;
  throw new CommandFailure({ error, cause, remediation });
}
