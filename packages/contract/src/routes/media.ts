import { Type } from 'typebox';
import { HistoricalValue, MediaRates, MediaRatesQuery } from '../resources/dataset.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const read = {
  method: 'GET',
  tag: 'Experiments',
  permission: 'experiments.read',
  errors: [],
  cache: 5,
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

export const mediaRoutes = routes({
  getMediaRates: {
    ...read,
    path: '/api/experiments/{experiment}/media_rates',
    summary: 'Media added by dosing automations in the last three hours, mL per hour',
    description:
      'Units without doses are absent; `all` is the sum. An unknown experiment has `all` only. With `totals`, every unit has also what it has used in the experiment so far, what is left in its bottles, and `dosing` while its dosing automation runs; units with a dose of any age, a known bottle or such an automation are present, and `all` has rates only.',
    query: MediaRatesQuery,
    responses: ok(MediaRates),
  },
  listHistoricalMedia: {
    ...read,
    path: '/api/historical_media',
    summary: 'Media of past experiments, newest first: their tags `media: …`',
    responses: ok(Type.Array(HistoricalValue)),
  },
  listHistoricalOrganisms: {
    ...read,
    path: '/api/historical_organisms',
    summary: 'Organisms of past experiments, newest first: their tags `organism: …`',
    responses: ok(Type.Array(HistoricalValue)),
  },
});
