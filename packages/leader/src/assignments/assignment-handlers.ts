import type { assignmentRoutes, Handlers } from '@lcs/contract';
import type { ScopeCheck } from '../access/experiment-scopes.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { PreparedAnswer } from '../core/prepared-answer.ts';
import { acceptedTask } from '../core/tasks.ts';
import { broadcast } from '../queries/addressed-units.ts';
import { readAssignments, readExperimentWorkers } from '../queries/assignments.ts';
import { assignWorker } from './assign-worker.ts';
import { assignmentTasks } from './assignment-tasks.ts';
import { unassignAllWorkers, unassignWorker, unassignWorkersOf } from './unassign-workers.ts';

/** The assignments of workers to experiments. Registers its tasks: call it before the tasks are started. */
export function assignmentHandlers(context: LeaderContext, scopes: ScopeCheck): Handlers<typeof assignmentRoutes> {
  const { database, leader, tasks } = context;
  const kinds = assignmentTasks(context);
  tasks.register(kinds.stopExperimentJobs);
  tasks.register(kinds.stopAllJobs);
  const assignments = new PreparedAnswer(
    () => [database.version],
    () => readAssignments(database.read),
  );
  const done = { status: 200, body: { status: 'success' } } as const;

  return {
    listExperimentWorkers: async ({ params }) => ({
      status: 200,
      body: await readExperimentWorkers(database.read, params.experiment),
    }),

    assignWorker: async ({ params, body, caller }) => {
      // The experiment that it leaves, too.
      scopes.expect(caller, { experiment: params.experiment, unit: body.reactor_unit, isActing: true });
      await assignWorker(context, params.experiment, body.reactor_unit);
      return done;
    },

    unassignExperimentWorkers: async ({ params: { experiment } }) => {
      const taskId = await unassignWorkersOf(context, kinds, experiment);
      return { status: 202, body: acceptedTask(leader, taskId) };
    },

    unassignWorker: async ({ params }) => {
      await unassignWorker(context, params.experiment, params.reactor_unit);
      return done;
    },

    listAssignments: async () => ({ status: 200, body: await assignments.current() }),

    unassignAllWorkers: async ({ caller }) => {
      scopes.expect(caller, { unit: broadcast, isActing: true });
      const taskId = await unassignAllWorkers(context, kinds);
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
  };
}
