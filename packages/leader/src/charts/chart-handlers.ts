import type { ChartDescriptor, chartRoutes, Handlers } from '@lcs/contract';
import { type ChartLookbacks, chartDescriptors, overviewSettings, settingOrDefault } from '@lcs/domain';
import type { NodeDescriptors } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { chartPreferences, updateChartPreferences } from './chart-preferences.ts';
import { connectedPhotodiodes } from './connected-photodiodes.ts';

/** The present shared configuration. */
interface ViewedConfig {
  view(): IniView;
}

/** The lookbacks of the charts in the configuration. */
export const chartLookbacks = (view: IniView): ChartLookbacks => ({
  filteredOdLookbackHours: settingOrDefault(view, overviewSettings.filteredOdLookback),
  rawOdLookbackHours: settingOrDefault(view, overviewSettings.rawOdLookback),
});

/** All charts: built-in ones and those of files. */
export const allCharts =
  ({ database }: Pick<LeaderContext, 'database'>, sharedConfig: ViewedConfig, files: Pick<NodeDescriptors, 'charts'>) =>
  async (): Promise<ChartDescriptor[]> => {
    const view = sharedConfig.view();
    return files.charts(chartDescriptors(chartLookbacks(view), await connectedPhotodiodes(database.read, view)));
  };

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
