import { define } from './error-definition.ts';

/** Errors of tasks and locks. */
export const taskErrors = {
  task_not_found: define<{ taskId: string }>(404, ({ taskId }) => ({
    error: 'There is no such task.',
    cause: `${taskId} was never issued by this node, or its result is older than 24 hours and was removed.`,
    remediation: 'Poll the node that returned 202, at the path that it returned.',
  })),
  task_finished: define<{ taskId: string }>(409, ({ taskId }) => ({
    error: 'The task has ended already.',
    cause: `${taskId} is finished and cannot be cancelled.`,
    remediation: 'Read its result.',
  })),
  task_cancelled: define<{ taskId: string }>(409, ({ taskId }) => ({
    error: 'The task was cancelled.',
    cause: `Someone cancelled ${taskId} before its end; its effects up to then remain.`,
    remediation: 'Check the current state, then start the task again if it is still needed.',
  })),
  task_interrupted: define<{ taskId: string }>(503, ({ taskId }) => ({
    error: 'The task was interrupted.',
    cause: `${taskId} was interrupted by a restart of this node; its effects up to then remain.`,
    remediation: 'Check the current state, then start the task again if it is still needed.',
  })),
  task_crashed: define<{ taskId: string }>(500, ({ taskId }) => ({
    error: 'The task failed.',
    cause: `The program failed unexpectedly (task ${taskId}).`,
    remediation: `Look for ${taskId} in the log of this node; please report it.`,
  })),
  lock_busy: define<{ lock: string }>(409, ({ lock }) => ({
    error: 'A conflicting operation is running.',
    cause: `The lock ${lock} is held.`,
    remediation: 'Wait for the running operation to finish, then retry.',
  })),
} as const;
