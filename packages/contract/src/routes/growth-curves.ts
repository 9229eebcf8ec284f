import {
  GrowthComparison,
  GrowthComparisonQuery,
  GrowthSummary,
  GrowthSummaryQuery,
} from '../resources/growth-curve.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const base = {
  tag: 'Growth curves',
  cache: 'no-store',
  origin: 'extension',
  permission: 'experiments.read',
} as const satisfies Partial<RouteDeclaration>;

const errors = ['experiment_not_found', 'growth_curves_failed', 'growth_summary_not_ready'] as const;

/** What a paper reports about growth curves. */
export const growthCurveRoutes = routes({
  getGrowthSummary: {
    ...base,
    method: 'GET',
    path: '/api/experiments/{experiment}/growth_summary',
    summary: 'Growth curves of an experiment: rates, lag, carrying capacity, generations, groups',
    description:
      'For each unit four fits with 95 % confidence intervals, and statistics over replicate groups. Results are kept while no new readings arrive, and for five minutes in any case. Of more than 24 units without results a task computes them first (POST).',
    query: GrowthSummaryQuery,
    responses: ok(GrowthSummary),
    errors,
  },
  computeGrowthSummary: {
    ...base,
    method: 'POST',
    path: '/api/experiments/{experiment}/growth_summary',
    summary: 'Compute the growth curves of many units, as a task with progress',
    description:
      'With the same query the summary then answers at once: for an hour, or for five minutes where new readings arrive.',
    query: GrowthSummaryQuery,
    responses: accepted,
    errors: ['experiment_not_found'],
  },
  compareGrowth: {
    ...base,
    method: 'GET',
    path: '/api/growth_comparison',
    summary: 'Growth curves of several experiments, aligned on their start, their first dilution or an optical density',
    query: GrowthComparisonQuery,
    responses: ok(GrowthComparison),
    errors,
  },
});
