import type { Handler, Handlers, unitReadRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits, type Surface } from '../queries/addressed-units.ts';

type Routes = typeof unitReadRoutes;

/** What units say about themselves. It changes only when a unit is restarted, so an answer of the last 10 s will do. */
export function unitReadHandlers(context: LeaderContext, tasks: FleetTasks): Handlers<Routes> {
  const read =
    (surface: Surface, path: string): Handler<Routes['getUnitAppVersion']> =>
    async ({ params }) =>
      tasks.read(await addressedUnits(context, surface, params.reactor_unit), path, { isCached: true });
  return {
    getUnitAppVersion: read('units', '/unit_api/versions/app'),
    getUnitUiVersion: read('units', '/unit_api/versions/ui'),
    getUnitCapabilities: read('units', '/unit_api/capabilities'),
    getWorkerCapabilities: read('workers', '/unit_api/capabilities'),
  };
}
