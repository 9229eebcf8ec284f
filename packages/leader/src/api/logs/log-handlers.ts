import type { Handler, Handlers, logRoutes } from '@lcs/contract';
import { type LeaderContext, systemExperiment } from '../../leader-context.ts';
import { experimentKey } from '../experiments/experiment-store.ts';
import { broadcast } from '../jobs/addressed-units.ts';
import { type LeaderReads, logPage, recentLogs } from './log-pages.ts';
import { postLog } from './post-log.ts';

type Routes = typeof logRoutes;

/** Entries for all units stand under this name. */
const unitsOf = (unit: string) => (unit === broadcast ? {} : { units: [unit, broadcast] });

/** The event log: read page by page, off the main thread by `reads`, and added to. */
export function logHandlers(context: LeaderContext, reads: LeaderReads): Handlers<Routes> {
  const { clock, database } = context;
  const from = { reads, clock };
  /** The ids behind a name (null is the cluster itself); none for an experiment that nobody knows. */
  const scopeOf = async (experiment: string) => {
    if (experiment === systemExperiment) return { ids: [null], created: undefined };
    const key = await experimentKey(database.read, experiment).executeTakeFirst();
    return { ids: key ? [key.id] : [], created: key?.created_at };
  };

  const post: Handler<Routes['postUnitLog']> = async ({ params, body }) => {
    await postLog(context, { unit: params.reactor_unit, experiment: params.experiment }, body);
    return { status: 202, body: { status: 'accepted' } };
  };

  return {
    listLogs: ({ query }) => logPage(from, query, {}),

    listExperimentLogs: async ({ params, query }) => {
      const { ids } = await scopeOf(params.experiment);
      return logPage(from, query, { experiments: ids });
    },

    listRecentExperimentLogs: async ({ params, query }) => {
      const { ids, created } = await scopeOf(params.experiment);
      return { status: 200, body: await recentLogs(from, query.min_level, { experiments: ids, created }) };
    },

    listWorkerLogs: async ({ params: { reactor_unit: unit, experiment }, query }) => {
      const { ids } = await scopeOf(experiment);
      const [experimentId] = ids;
      return logPage(from, query, {
        experiments: ids,
        ...unitsOf(unit),
        ...(unit === broadcast || typeof experimentId !== 'number' ? {} : { whileAssigned: { unit, experimentId } }),
      });
    },

    listRecentWorkerLogs: async ({ params: { reactor_unit: unit, experiment }, query }) => {
      const { ids, created } = await scopeOf(experiment);
      const experiments = [...new Set([...ids, null])];
      const scope = { experiments, ...unitsOf(unit), created };
      return { status: 200, body: await recentLogs(from, query.min_level, scope) };
    },

    listUnitLogs: ({ params, query }) => logPage(from, query, unitsOf(params.reactor_unit)),

    listUnitSystemLogs: ({ params, query }) =>
      logPage(from, query, { experiments: [null], ...unitsOf(params.reactor_unit) }),

    postWorkerLog: post,
    postUnitLog: post,
  };
}
