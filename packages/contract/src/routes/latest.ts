import { Type } from 'typebox';
import { Sparklines, SparklinesQuery, UnitLatest } from '../resources/latest.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const read = {
  method: 'GET',
  tag: 'Time series',
  permission: 'experiments.read',
  errors: [],
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** What an overview of all units shows, with one request each. */
export const latestRoutes = routes({
  listLatest: {
    ...read,
    path: '/api/latest',
    summary: 'The newest readings and the last dose of all assigned units, of all experiments',
    description:
      'By unit. Only readings of the present experiment of the unit, however old: `od`, `od_filtered`, `growth_rate`, `temperature`, `stirring_rpm` and `liquid_volume`.',
    responses: ok(Type.Array(UnitLatest)),
    cache: 'no-store',
  },
  getSparklines: {
    ...read,
    path: '/api/sparklines/{source}',
    summary: 'The course of a quantity in all assigned units, as few means',
    description:
      'Means of equal time intervals, from the roll-ups. Only readings of the present experiment of each unit. An unknown source has no lines.',
    query: SparklinesQuery,
    responses: ok(Sparklines),
    cache: 'no-store',
  },
});
