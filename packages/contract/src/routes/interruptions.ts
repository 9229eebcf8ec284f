import { Type } from 'typebox';
import { Interruption, InterruptionQuery } from '../resources/interruption.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

/** "Why does the line break?": when units of an experiment were off, and which of their records are missing. */
export const interruptionRoutes = routes({
  listInterruptions: {
    method: 'GET',
    path: '/api/experiments/{experiment}/interruptions',
    summary: 'When units were off while they were in an experiment, and what is missing; `$experiment`: of all workers',
    description:
      'Newest end first. An unknown experiment has none. A full page says in `x-next-before` where the next one begins. What is missing from a time that nobody knows is in the dataset `gaps` only.',
    tag: 'Time series',
    permission: 'experiments.read',
    query: InterruptionQuery,
    responses: ok(Type.Array(Interruption)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
});
