import { Type } from 'typebox';
import { UnitStatus } from '../resources/unit.ts';
import { Unit } from '../resources/worker.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const tag = 'Units';

export const unitRoutes = routes({
  listUnits: {
    method: 'GET',
    path: '/api/units',
    summary: 'The leader and all workers, by name, with the state of each',
    tag,
    permission: 'inventory.read',
    responses: ok(Type.Array(UnitStatus)),
    errors: [],
    cache: 'no-store',
    origin: 'specification',
  },
  discoverWorkers: {
    method: 'GET',
    path: '/api/workers/discover',
    summary: 'Enrolled units that are not workers yet, by name',
    tag,
    permission: 'inventory.read',
    responses: ok(Type.Array(Unit)),
    errors: [],
    cache: 'no-store',
    origin: 'specification',
  },
});
