import { DistinctCapabilities } from '../resources/capability.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const read = {
  method: 'GET',
  description: 'The task has one outcome for each unit, and ends within 4 s.',
  tag: 'Units',
  permission: 'system.read',
  responses: accepted,
  errors: ['unit_unknown'],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

/** Reads from units through the leader. `$broadcast` addresses all of them. */
export const unitReadRoutes = routes({
  getUnitAppVersion: {
    ...read,
    path: '/api/units/{reactor_unit}/versions/app',
    summary: 'Version of the program of a unit',
  },
  getUnitUiVersion: {
    ...read,
    path: '/api/units/{reactor_unit}/versions/ui',
    summary: 'Version of the user interface of a unit (one package with the program)',
  },
  getUnitCapabilities: {
    ...read,
    path: '/api/units/{reactor_unit}/capabilities',
    summary: 'The jobs that a unit can run, with their options and settings',
  },
  getWorkerCapabilities: {
    ...read,
    path: '/api/workers/{reactor_unit}/capabilities',
    summary: 'The jobs that a worker can run, with their options and settings',
  },
  listDistinctCapabilities: {
    ...read,
    path: '/api/capabilities',
    summary: 'The jobs that the workers can run: equal answers of several workers once',
    description: 'Asks the workers that are online. Ends within 4 s.',
    responses: ok(DistinctCapabilities),
    errors: [],
    origin: 'extension',
  },
});
