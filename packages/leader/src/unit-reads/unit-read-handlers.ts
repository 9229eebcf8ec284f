import type { Handler, Handlers, unitReadRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits, type Surface } from '../queries/addressed-units.ts';
import { workerNames } from '../queries/workers.ts';
import { distinctCapabilities } from './distinct-capabilities.ts';

type Routes = typeof unitReadRoutes;

const capabilitiesPath = '/unit_api/capabilities';

/** Asks the workers that are online: one that is away would delay the answer for all. */
const listDistinct =
  ({
    database,
    fleet,
    units,
  }: Pick<LeaderContext, 'database' | 'fleet' | 'units'>): Handler<Routes['listDistinctCapabilities']> =>
  async () => {
    const workers = await workerNames(database.read);
    const online = workers.filter((unit) => units.statusOf(unit)?.liveness === 'online');
    const outcomes = await fleet.read(online, capabilitiesPath);
    return { status: 200, body: distinctCapabilities(workers, outcomes) };
  };

/** What units report about themselves. */
export function unitReadHandlers(context: LeaderContext, tasks: FleetTasks): Handlers<Routes> {
  const read =
    (surface: Surface, path: string, isCached: boolean): Handler<Routes['getUnitAppVersion']> =>
    async ({ params }) =>
      tasks.read(await addressedUnits(context, surface, params.reactor_unit), path, { isCached });
  // Versions change only when a unit is restarted: an answer of the last 10 s will do.
  const version = (surface: Surface, path: string) => read(surface, path, true);
  // Capabilities contain the values of a job that ended a moment ago.
  const capabilities = (surface: Surface) => read(surface, capabilitiesPath, false);
  return {
    getUnitAppVersion: version('units', '/unit_api/versions/app'),
    getUnitUiVersion: version('units', '/unit_api/versions/ui'),
    getUnitCapabilities: capabilities('units'),
    getWorkerCapabilities: capabilities('workers'),
    listDistinctCapabilities: listDistinct(context),
  };
}
