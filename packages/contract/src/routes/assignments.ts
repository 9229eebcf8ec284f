import { Type } from 'typebox';
import { Assignment, AssignmentChange, ExperimentWorker } from '../resources/worker.ts';
import { routes } from '../route.ts';
import { accepted, acknowledged, ok, unitAlias } from './answers.ts';

const tag = 'Assignments';

export const assignmentRoutes = routes({
  listExperimentWorkers: {
    method: 'GET',
    path: '/api/experiments/{experiment}/workers',
    summary: 'Workers assigned to an experiment',
    tag,
    permission: 'experiments.read',
    responses: ok(Type.Array(ExperimentWorker)),
    errors: [],
    cache: 2,
    origin: 'specification',
  },
  assignWorker: {
    method: 'PUT',
    path: '/api/experiments/{experiment}/workers',
    summary: 'Assign a worker to an experiment',
    description:
      'A worker of another experiment moves; its jobs there are stopped. Repeating the current assignment changes nothing.',
    tag,
    permission: 'experiments.write',
    body: AssignmentChange,
    bodyAliases: unitAlias,
    responses: acknowledged,
    errors: ['worker_unknown', 'experiment_not_found'],
    cache: 'no-store',
    origin: 'specification',
  },
  unassignExperimentWorkers: {
    method: 'DELETE',
    path: '/api/experiments/{experiment}/workers',
    summary: 'Unassign all workers of an experiment',
    description: 'The workers are free when the answer comes; the task stops their jobs.',
    tag,
    permission: 'experiments.write',
    responses: accepted,
    errors: ['experiment_not_found'],
    cache: 'no-store',
    origin: 'specification',
  },
  unassignWorker: {
    method: 'DELETE',
    path: '/api/experiments/{experiment}/workers/{reactor_unit}',
    summary: 'Unassign a worker from an experiment',
    tag,
    permission: 'experiments.write',
    responses: acknowledged,
    errors: ['worker_unknown', 'worker_not_in_experiment'],
    cache: 'no-store',
    origin: 'specification',
  },
  listAssignments: {
    method: 'GET',
    path: '/api/workers/assignments',
    summary: 'Every worker with its experiment, or null when it is free',
    tag,
    permission: 'inventory.read',
    responses: ok(Type.Array(Assignment)),
    errors: [],
    cache: 2,
    origin: 'specification',
  },
  unassignAllWorkers: {
    method: 'DELETE',
    path: '/api/workers/assignments',
    summary: 'Unassign all workers of all experiments',
    description: 'The workers are free when the answer comes; the task stops all their jobs.',
    tag,
    permission: 'experiments.write',
    responses: accepted,
    errors: [],
    cache: 'no-store',
    origin: 'specification',
  },
});
