import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createExperiment } from '../experiments/create-experiment.ts';
import { ExperimentDeletion } from '../experiments/experiment-deletion.ts';
import { ModelCatalog } from '../models/model-catalog.ts';
import { dataOf } from '../testing/test-experiments.ts';
import { errorOf, openScopes, request, startTestLeader } from '../testing/test-leader.ts';
import { workerHandlers } from '../workers/worker-handlers.ts';
import { assignmentHandlers } from './assignment-handlers.ts';

const unit = fc.constantFrom('rx01', 'rx02', 'rx03');
const experiment = fc.constantFrom('A', 'B');
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('assign' as const), unit, experiment }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unassign' as const), unit, experiment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unassign all of' as const), unit, experiment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unassign everything' as const), unit, experiment }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('register' as const), unit, experiment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), unit, experiment }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), unit, experiment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), unit, experiment }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

async function startWorld() {
  const leader = await startTestLeader();
  const { context } = leader;
  const deletion = new ExperimentDeletion(context, dataOf(context.database));
  context.tasks.register(deletion.kind);
  const assignments = assignmentHandlers(context, openScopes);
  const models = new ModelCatalog({ builtIn: [], folder: context.dataFolder, log: context.log });
  const workers = workerHandlers(context, { models, clusterAddresses: () => ({}), defaultPort: () => 80 });
  await context.tasks.start(new AbortController().signal);

  const perform = async ({ kind, unit: reactor_unit, experiment: name }: Action): Promise<unknown> => {
    switch (kind) {
      case 'assign':
        return assignments.assignWorker(request({ experiment: name }, { reactor_unit }));
      case 'unassign':
        return assignments.unassignWorker(request({ experiment: name, reactor_unit }, undefined));
      case 'unassign all of':
        return assignments.unassignExperimentWorkers(request({ experiment: name }, undefined));
      case 'unassign everything':
        return assignments.unassignAllWorkers(request({}, undefined));
      case 'register':
        return workers.registerWorker(request({}, { reactor_unit }));
      case 'remove':
        return workers.removeWorker(request({ reactor_unit }, undefined));
      case 'create':
        return createExperiment(context, { experiment: name });
      case 'delete':
        return deletion.begin(name);
    }
  };
  return { ...leader, perform };
}

describe('the history of assignments', () => {
  it('has one open row for each assignment and none besides, after whatever was done', async () => {
    await using world = await startWorld();
    const { database } = world.context;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
        for (const each of actions) {
          await world.clock.advance(1000);
          await world.perform(each).catch((error: unknown) => errorOf(Promise.reject(error)));
          const [assignments, history] = await Promise.all([
            database.read.selectFrom('assignments').selectAll().orderBy('reactor_unit').execute(),
            database.read.selectFrom('assignment_history').selectAll().orderBy('reactor_unit').execute(),
          ]);
          const open = history.filter(({ unassigned_at }) => unassigned_at === null);
          expect(
            open.map(({ reactor_unit, experiment_id, assigned_at }) => ({ reactor_unit, experiment_id, assigned_at })),
          ).toEqual(assignments);
          for (const { assigned_at, unassigned_at } of history) {
            expect(unassigned_at ?? assigned_at).toBeGreaterThanOrEqual(assigned_at);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('is added to by a new assignment only: what ended stays as it was', async () => {
    await using world = await startWorld();
    const { database } = world.context;
    const ended = () =>
      database.read
        .selectFrom('assignment_history')
        .selectAll()
        .where('unassigned_at', 'is not', null)
        .orderBy('id')
        .execute();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
        for (const each of actions) {
          const before = await ended();
          await world.perform(each).catch((error: unknown) => errorOf(Promise.reject(error)));
          const after = await ended();
          const ids = new Set(before.map(({ id }) => id));
          expect(after.filter(({ id }) => ids.has(id))).toEqual(before);
        }
      }),
      { numRuns: 10 },
    );
  });
});
