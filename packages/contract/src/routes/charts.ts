import { Type } from 'typebox';
import { ChartDescriptor, ChartPreferences, ChartPreferencesChange } from '../resources/chart.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const tag = 'Charts';

export const chartRoutes = routes({
  listChartDescriptors: {
    method: 'GET',
    path: '/api/charts/descriptors',
    summary: 'All charts that can be shown, in the order of the screen',
    tag,
    permission: 'charts.read',
    responses: ok(Type.Array(ChartDescriptor)),
    errors: [],
    cache: 5,
    origin: 'specification',
  },
  getChartPreferences: {
    method: 'GET',
    path: '/api/experiments/{experiment}/chart_preferences',
    summary: 'Charts chosen for an experiment',
    tag,
    permission: 'charts.read',
    responses: ok(ChartPreferences),
    errors: ['experiment_not_found'],
    cache: 0,
    origin: 'specification',
  },
  updateChartPreferences: {
    method: 'PATCH',
    path: '/api/experiments/{experiment}/chart_preferences',
    summary: 'Choose the charts of an experiment',
    description: 'Fields that are not sent stay unchanged.',
    tag,
    permission: 'charts.write',
    body: ChartPreferencesChange,
    bodyAliases: { pioreactor_chart_keys: 'reactor_chart_keys' },
    responses: ok(ChartPreferences),
    errors: ['nothing_to_change', 'chart_keys_invalid', 'experiment_not_found'],
    cache: 'no-store',
    origin: 'specification',
  },
});
