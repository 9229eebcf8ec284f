import { ApiError, type experimentRoutes, type Handlers } from '@lcs/contract';
import type { ExperimentScopes } from '../access/experiment-scopes.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { historicalAssignments } from '../queries/assignment-history.ts';
import { experimentNamed, experimentsThat, toExperiment, withoutCreator } from '../queries/experiments.ts';
import { createExperiment } from './create-experiment.ts';
import type { ExperimentDeletion } from './experiment-deletion.ts';
import { ExperimentOverview } from './experiment-overview.ts';
import { setUnitLabel, unitLabels } from './unit-labels.ts';
import { updateExperiment } from './update-experiment.ts';

type ExperimentHandlers = Handlers<typeof experimentRoutes>;

/**
 * Registers the task of a deletion: call it before the tasks are started. A node starts `deletion` after its tasks.
 */
export function experimentHandlers(
  context: LeaderContext,
  deletion: ExperimentDeletion,
  scopes: ExperimentScopes,
): ExperimentHandlers {
  const { clock, database, tasks } = context;
  tasks.register(deletion.kind);
  const overview = new ExperimentOverview(context);

  const labelUnit: ExperimentHandlers['putUnitLabel'] = async ({ params, body }) => {
    await setUnitLabel(context, params.experiment, body);
    return { status: 201, body: { status: 'success' } };
  };

  return {
    listExperiments: async ({ query }) => {
      if (query.ended === undefined && query.archived === undefined) {
        const current = await overview.current();
        return { status: 200, body: query.creators ? current.withCreators() : current.all };
      }
      const now = clock.now();
      const stored = await experimentsThat(database.read, query).execute();
      const listed = stored.map((each) => toExperiment(each, now));
      return { status: 200, body: query.creators ? listed : listed.map(withoutCreator) };
    },
    listActiveExperiments: async () => ({ status: 200, body: (await overview.current()).active }),
    getLatestExperiment: async () => ({ status: 200, body: (await overview.current()).latest }),
    listAssignmentCounts: async () => ({ status: 200, body: (await overview.current()).assignmentCounts }),
    createExperiment: async ({ caller, body }) => ({
      status: 201,
      body: withoutCreator(
        await createExperiment(context, body, (transaction, effects, created) =>
          scopes.recordOwner(transaction, effects, created, caller),
        ),
      ),
    }),
    getExperiment: async ({ params }) => {
      const stored = await experimentNamed(database.read, params.experiment).executeTakeFirst();
      if (!stored) throw new ApiError('experiment_not_found', { experiment: params.experiment });
      return { status: 200, body: withoutCreator(toExperiment(stored, clock.now())) };
    },
    updateExperiment: async ({ params, body }) => ({
      status: 200,
      body: withoutCreator(await updateExperiment(context, params.experiment, body)),
    }),
    deleteExperiment: async ({ params }) => ({ status: 202, body: await deletion.begin(params.experiment) }),
    getExperimentAccess: ({ params, caller }) => ({ status: 200, body: scopes.describe(params.experiment, caller) }),
    updateExperimentAccess: async ({ params, caller, body }) => ({
      status: 200,
      body: await scopes.change(params.experiment, caller, body),
    }),
    listHistoricalAssignments: async ({ params }) => ({
      status: 200,
      body: await historicalAssignments(database.read, params.experiment),
    }),
    getUnitLabels: async ({ params }) => ({ status: 200, body: await unitLabels(database.read, params.experiment) }),
    putUnitLabel: labelUnit,
    patchUnitLabel: labelUnit,
  };
}
