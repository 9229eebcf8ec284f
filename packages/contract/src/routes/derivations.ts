import { Type } from 'typebox';
import { FlaggedSpan, FlagsQuery, GrowthDerivation, RecomputeGrowth } from '../resources/derivation.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, acknowledged, ok } from './answers.ts';

const base = {
  tag: 'Time series',
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** Series that are computed from others, with different parameters; and the flags of readings. */
export const derivationRoutes = routes({
  listGrowthDerivations: {
    ...base,
    method: 'GET',
    path: '/api/experiments/{experiment}/growth_rates/derivations',
    summary: 'The computations of growth rates of an experiment',
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
      'From the stored readings and doses, as a task with progress; one at a time; a cancelled task leaves no data. Measured and earlier computed rates do not change. The result is `{derivation, active, units: {unit: {readings, samples}}}`; `derivation` is null when the readings are too few for a single growth rate.',
    permission: 'series.derive',
    body: RecomputeGrowth,
    responses: accepted,
    errors: ['experiment_not_found', 'experiment_sealed', 'nothing_to_derive'],
  },
  activateGrowthDerivation: {
    ...base,
    method: 'PUT',
    path: '/api/experiments/{experiment}/growth_rates/derivations/{derivation}/active',
    summary: 'Activate growth rates for charts, exports and other reads',
    description:
      'For the units that it has rates of; growth rates, their deviations and filtered optical densities go together. Activating measured rates restores all measured ones. While recomputed rates are active for a unit that still measures, new rates are stored but not shown.',
    permission: 'series.derive',
    responses: acknowledged,
    errors: ['experiment_not_found', 'derivation_unknown'],
  },
  deleteGrowthDerivation: {
    ...base,
    method: 'DELETE',
    path: '/api/experiments/{experiment}/growth_rates/derivations/{derivation}',
    summary: 'Delete recomputed growth rates',
    permission: 'series.derive',
    responses: accepted,
    errors: ['experiment_not_found', 'derivation_unknown', 'derivation_measured', 'derivation_active'],
  },
  listSampleFlags: {
    ...base,
    method: 'GET',
    path: '/api/experiments/{experiment}/sample_flags',
    summary: 'Flags of the readings of an experiment: saturated, vial out, bubbles, …',
    description:
      'Spans of flagged readings, oldest first. A span ends where a reading no longer has the flag, or after two minutes without a reading. Flags that do not concern the signal (`simulated`, `moved`) are left out; the newest 50,000 flagged readings are searched.',
    permission: 'experiments.read',
    query: FlagsQuery,
    responses: ok(Type.Array(FlaggedSpan)),
    errors: ['experiment_not_found'],
  },
});
