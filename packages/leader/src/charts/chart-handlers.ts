import type { ChartDescriptor, chartRoutes, Handlers } from '@lcs/contract';
import { type ChartLookbacks, chartDescriptors } from '@lcs/domain';
import type { IniView, NodeDescriptors } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { chartPreferences, updateChartPreferences } from './chart-preferences.ts';

/** The shared configuration as it is now. */
interface ViewedConfig {
  view(): IniView;
}

/** Used when the configuration says nothing, or nothing usable, about a lookback: more than five years. */
const defaultLookbackHours = 50_000;

function hours(text: string | undefined): number {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : defaultLookbackHours;
}

/** The lookbacks of the charts, from the section `[ui.overview.settings]`. */
export function chartLookbacks(view: IniView): ChartLookbacks {
  const settings = view['ui.overview.settings'] ?? {};
  return {
    filteredOdLookbackHours: hours(settings.filtered_od_lookback_hours),
    rawOdLookbackHours: hours(settings.raw_od_lookback_hours),
  };
}

/** All charts as of now: the program's own and those of files. */
export const allCharts =
  (sharedConfig: ViewedConfig, files: Pick<NodeDescriptors, 'charts'>) => (): Promise<ChartDescriptor[]> =>
    files.charts(chartDescriptors(chartLookbacks(sharedConfig.view())));

export function chartHandlers(
  context: LeaderContext,
  descriptors: () => Promise<ChartDescriptor[]>,
): Handlers<typeof chartRoutes> {
  return {
    listChartDescriptors: async () => ({ status: 200, body: await descriptors() }),
    getChartPreferences: async ({ params }) => ({
      status: 200,
      body: await chartPreferences(context.database.read, params.experiment),
    }),
    updateChartPreferences: async ({ params, body }) => {
      const available = new Set((await descriptors()).map(({ chart_key }) => chart_key));
      return { status: 200, body: await updateChartPreferences(context, params.experiment, body, available) };
    },
  };
}
