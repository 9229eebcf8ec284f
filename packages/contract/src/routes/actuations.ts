import { Type } from 'typebox';
import { Actuation, ActuationQuery } from '../resources/actuation.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const page = {
  method: 'GET',
  description:
    'Newest first. An unknown experiment or unit has none. The header `x-next-before` of a full page is the start of the next one.',
  tag: 'Jobs',
  permission: 'actuations.read',
  query: ActuationQuery,
  responses: ok(Type.Array(Actuation)),
  errors: [],
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** Actuations with the reading, rule, setting, calibration and origin behind each. */
export const actuationRoutes = routes({
  listWorkerActuations: {
    ...page,
    path: '/api/workers/{reactor_unit}/actuations',
    summary: 'Actuations of a worker with their reasons, in all experiments; `$broadcast`: all workers',
  },
  listExperimentActuations: {
    ...page,
    path: '/api/experiments/{experiment}/actuations',
    summary: 'Actuations in an experiment with their reasons; `$experiment`: outside of all experiments',
  },
});
