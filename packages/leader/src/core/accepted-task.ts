import type { AcceptedTask } from '@lcs/contract';
import { resultPath } from '@lcs/platform';

/** The answer to a request whose work goes on in a task of this node. */
export const acceptedTask = (unit: string, taskId: string): AcceptedTask => ({
  unit,
  task_id: taskId,
  result_url_path: resultPath(taskId),
  status: 'accepted',
});
