import type { Handler, Handlers, unitReadRoutes } from '@lcs/contract';
import { untilAborted } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits, type Surface } from '../queries/addressed-units.ts';
import { workerNames } from '../queries/workers.ts';
import { distinctCapabilities } from './distinct-capabilities.ts';

type Routes = typeof unitReadRoutes;

const capabilitiesPath = '/unit_api/capabilities';

/** Asks the workers that are online: one that is away would delay the answer for all. Whoever has left, or stops the leader, does not wait. */
const listDistinct =
  ({
    database,
    fleet,
    units,
  }: Pick<LeaderContext, 'database' | 'fleet' | 'units'>): Handler<Routes['listDistinctCapabilities']> =>
  async ({ signal }) => {
    const workers = await workerNames(database.read);
    const online = workers.filter((unit) => units.statusOf(unit)?.liveness === 'online');
    // They contain the values of a job that ended a moment ago: no answer from the cache.
    const outcomes = await untilAborted(signal, fleet.read(online, capabilitiesPath));
    return { status: 200, body: distinctCapabilities(workers, outcomes) };
  };

/** What units report about themselves: it changes rarely, so an answer of the last 10 s will do. */
export function unitReadHandlers(context: LeaderContext, tasks: FleetTasks): Handlers<Routes> {
  const read =
    (surface: Surface, path: string): Handler<Routes['getUnitAppVersion']> =>
    async ({ params }) =>
      tasks.read(await addressedUnits(context, surface, params.reactor_unit), path, { isCached: true });
  return {
    getUnitAppVersion: read('units', '/unit_api/versions/app'),
    getUnitUiVersion: read('units', '/unit_api/versions/ui'),
    getUnitCapabilities: read('units', capabilitiesPath),
    getWorkerCapabilities: read('workers', capabilitiesPath),
    listDistinctCapabilities: listDistinct(context),
  };
}
