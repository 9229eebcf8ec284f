import { Type } from 'typebox';
import { Interruption, InterruptionQuery } from '../resources/interruption.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

/** Times when units of an experiment were off, and their missing records. */
export const interruptionRoutes = routes({
  listInterruptions: {
    method: 'GET',
    path: '/api/experiments/{experiment}/interruptions',
    summary: 'Times when units of an experiment were off, and missing records; `$experiment`: of all workers',
    description:
      'Newest end first. An unknown experiment has none. The header `x-next-before` of a full page is the start of the next one. Missing records without a known time are in the dataset `gaps` only.',
    tag: 'Time series',
    permission: 'experiments.read',
    query: InterruptionQuery,
    responses: ok(Type.Array(Interruption)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
});
