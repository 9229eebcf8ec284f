import { Type } from 'typebox';
import { Actuation, ActuationQuery } from '../resources/actuation.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const page = {
  method: 'GET',
  description:
    'Newest first. An unknown experiment or unit has none. A full page says in `x-next-before` where the next one begins.',
  tag: 'Jobs',
  permission: 'actuations.read',
  query: ActuationQuery,
  responses: ok(Type.Array(Actuation)),
  errors: [],
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** "Why did it do that?": what was driven, and the reading, rule, setting, calibration and origin behind it. */
export const actuationRoutes = routes({
  listWorkerActuations: {
    ...page,
    path: '/api/workers/{reactor_unit}/actuations',
    summary: 'What a worker drove, and why, in all experiments; `$broadcast`: all workers',
  },
  listExperimentActuations: {
    ...page,
    path: '/api/experiments/{experiment}/actuations',
    summary: 'What was driven in an experiment, and why; `$experiment`: outside of all experiments',
  },
});
