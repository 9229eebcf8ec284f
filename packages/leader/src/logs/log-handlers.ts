import type { Handler, Handlers, logRoutes } from '@lcs/contract';
import { type LeaderContext, type LeaderDatabase, systemExperiment } from '../core/leader-context.ts';
import { broadcast } from '../queries/addressed-units.ts';
import { experimentKey } from '../queries/experiments.ts';
import type { LogPageReader } from '../series/log-page.ts';
import { LogPages, type NamedScope } from './log-pages.ts';
import { postLog } from './post-log.ts';

type Routes = typeof logRoutes;

/** The name of entries for all units. */
const unitsOf = (unit: string) => (unit === broadcast ? {} : { units: [unit, broadcast] });

/** The entries that the routes read. */
function logScopes(database: LeaderDatabase) {
  /** The IDs of a name (null is the cluster itself); none for an unknown experiment. */
  const experimentIds = async (experiment: string) => {
    if (experiment === systemExperiment) return { ids: [null], createdMs: undefined };
    const key = await experimentKey(database.read, experiment).executeTakeFirst();
    return { ids: key ? [key.id] : [], createdMs: key?.created_at };
  };
  const ofCluster: NamedScope = { key: ['cluster'], resolve: () => ({}) };
  const ofExperiment = (experiment: string): NamedScope => ({
    key: ['experiment', experiment],
    resolve: async () => {
      const { ids, createdMs } = await experimentIds(experiment);
      return { experiments: ids, createdMs };
    },
  });
  const whileAssigned = (unit: string, experiment: string): NamedScope => ({
    key: ['assigned', unit, experiment],
    resolve: async () => {
      const { ids } = await experimentIds(experiment);
      const [experimentId] = ids;
      return {
        experiments: ids,
        ...unitsOf(unit),
        ...(unit === broadcast || typeof experimentId !== 'number' ? {} : { whileAssigned: { unit, experimentId } }),
      };
    },
  });
  const ofWorkerAndCluster = (unit: string, experiment: string): NamedScope => ({
    key: ['worker', unit, experiment],
    resolve: async () => {
      const { ids, createdMs } = await experimentIds(experiment);
      return { experiments: [...new Set([...ids, null])], ...unitsOf(unit), createdMs };
    },
  });
  const ofUnit = (unit: string): NamedScope => ({ key: ['unit', unit], resolve: () => unitsOf(unit) });
  const ofUnitWithoutExperiment = (unit: string): NamedScope => ({
    key: ['system', unit],
    resolve: () => ({ experiments: [null], ...unitsOf(unit) }),
  });
  return { ofCluster, ofExperiment, whileAssigned, ofWorkerAndCluster, ofUnit, ofUnitWithoutExperiment };
}

/** The event log: read page by page, outside of the main thread, by `reader`, and extended. */
export function logHandlers(context: LeaderContext, reader: LogPageReader): Handlers<Routes> {
  const { clock, database } = context;
  const pages = new LogPages({ database, clock, reader });

  const { ofCluster, ofExperiment, whileAssigned, ofWorkerAndCluster, ofUnit, ofUnitWithoutExperiment } =
    logScopes(database);

  const post: Handler<Routes['postUnitLog']> = async ({ params, body }) => {
    await postLog(context, { unit: params.reactor_unit, experiment: params.experiment }, body);
    return { status: 202, body: { status: 'accepted' } };
  };

  return {
    listLogs: ({ query, signal }) => pages.page(ofCluster, query, signal),
    listExperimentLogs: ({ params, query, signal }) => pages.page(ofExperiment(params.experiment), query, signal),
    listRecentExperimentLogs: ({ params, query, signal }) =>
      pages.recent(ofExperiment(params.experiment), query.min_level, signal),
    listWorkerLogs: ({ params, query, signal }) =>
      pages.page(whileAssigned(params.reactor_unit, params.experiment), query, signal),
    listRecentWorkerLogs: ({ params, query, signal }) =>
      pages.recent(ofWorkerAndCluster(params.reactor_unit, params.experiment), query.min_level, signal),
    listUnitLogs: ({ params, query, signal }) => pages.page(ofUnit(params.reactor_unit), query, signal),
    listUnitSystemLogs: ({ params, query, signal }) =>
      pages.page(ofUnitWithoutExperiment(params.reactor_unit), query, signal),
    postWorkerLog: post,
    postUnitLog: post,
  };
}
