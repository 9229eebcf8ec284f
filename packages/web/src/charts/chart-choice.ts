import type { ChartDescriptor, ChartPreferences } from '@lcs/contract';
import { configSection } from './config-section.ts';

const isOd = ({ data_source }: ChartDescriptor): boolean => data_source === 'od_readings';

/** Keys of the charts that the shared configuration shows by default; `null`: it does not configure charts. */
export function configuredCharts(configText: string): readonly string[] | null {
  const section = configSection(configText, 'ui.overview.charts');
  return section && [...section].filter(([, value]) => /^(1|true|yes|on)$/i.test(value)).map(([key]) => key);
}

/** The charts to show: those chosen for the experiment, in that order; otherwise those of the configuration, the OD first. */
export function visibleCharts(
  descriptors: readonly ChartDescriptor[],
  preferences: ChartPreferences | undefined,
  configured: readonly string[] | null,
): readonly ChartDescriptor[] {
  const chosen = preferences?.overview_chart_keys;
  if (chosen) return chosen.flatMap((key) => descriptors.filter(({ chart_key }) => chart_key === key));
  const shown =
    configured === null ? descriptors : descriptors.filter(({ chart_key }) => configured.includes(chart_key));
  return shown.toSorted((left, right) => Number(isOd(right)) - Number(isOd(left)));
}

/** The choice after a click on one chart; an added chart is inserted in the order of the descriptors. */
export function toggledCharts(
  descriptors: readonly ChartDescriptor[],
  shown: readonly ChartDescriptor[],
  key: string,
): readonly string[] {
  const keys = shown.map(({ chart_key }) => chart_key);
  if (keys.includes(key)) return keys.filter((each) => each !== key);
  return descriptors.map(({ chart_key }) => chart_key).filter((each) => each === key || keys.includes(each));
}
