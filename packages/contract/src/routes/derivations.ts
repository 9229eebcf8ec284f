import { Type } from 'typebox';
import { FlaggedSpan, FlagsQuery, GrowthDerivation, RecomputeGrowth } from '../resources/derivation.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, acknowledged, ok } from './answers.ts';

const base = {
  tag: 'Time series',
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** Series that are computed from others, in more than one way; and what is said beside readings. */
export const derivationRoutes = routes({
  listGrowthDerivations: {
    ...base,
    method: 'GET',
    path: '/api/experiments/{experiment}/growth_rates/derivations',
    summary: 'The ways in which growth rates of an experiment were computed',
    permission: 'experiments.read',
    responses: ok(Type.Array(GrowthDerivation)),
    errors: ['experiment_not_found'],
  },
  recomputeGrowth: {
    ...base,
    method: 'POST',
    path: '/api/experiments/{experiment}/growth_rates/recompute',
    summary: 'Compute growth rates of an experiment again, with other parameters',
    description:
      'From the stored readings and doses, as a task with progress; one at a time, and it can be cancelled, which leaves nothing behind. What was measured, and what was computed before, stays as it is. The result is `{derivation, active, units: {unit: {readings, samples}}}`; `derivation` is null when the readings are too few for a single growth rate.',
    permission: 'series.derive',
    body: RecomputeGrowth,
    responses: accepted,
    errors: ['experiment_not_found', 'nothing_to_derive'],
  },
  activateGrowthDerivation: {
    ...base,
    method: 'PUT',
    path: '/api/experiments/{experiment}/growth_rates/derivations/{derivation}/active',
    summary: 'Answer with these growth rates from now on',
    description:
      'For the units that it has rates of; growth rates, their deviations and filtered optical densities go together. One that was measured brings back all that was measured. While a recomputed one is active for a unit that still measures, what comes is stored but not shown.',
    permission: 'series.derive',
    responses: acknowledged,
    errors: ['experiment_not_found', 'derivation_unknown'],
  },
  deleteGrowthDerivation: {
    ...base,
    method: 'DELETE',
    path: '/api/experiments/{experiment}/growth_rates/derivations/{derivation}',
    summary: 'Delete growth rates that were computed again',
    permission: 'series.derive',
    responses: accepted,
    errors: ['experiment_not_found', 'derivation_unknown', 'derivation_measured', 'derivation_active'],
  },
  listSampleFlags: {
    ...base,
    method: 'GET',
    path: '/api/experiments/{experiment}/sample_flags',
    summary: 'What is said beside the readings of an experiment: saturated, vial out, bubbles, …',
    description:
      'Spans of flagged readings, oldest first. A span ends where a reading has the flag no more, or none comes for two minutes. Flags that say nothing about the signal (`simulated`, `moved`) are left out; the newest 50,000 flagged readings are looked at.',
    permission: 'experiments.read',
    query: FlagsQuery,
    responses: ok(Type.Array(FlaggedSpan)),
    errors: ['experiment_not_found'],
  },
});
