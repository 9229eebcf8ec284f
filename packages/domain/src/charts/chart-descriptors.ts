import type { ChartDescriptor } from '@lcs/contract';
import { everythingHours } from '../descriptors/complete-descriptor.ts';

/** What the charts take from the shared configuration, in hours. */
export interface ChartLookbacks {
  readonly filteredOdLookbackHours: number;
  readonly rawOdLookbackHours: number;
}

const odChannels = [1, 2, 3, 4] as const;

/** What most charts have in common. */
const usual = {
  source: 'app',
  down_sample: true,
  lookback: everythingHours,
  data_source_column: null,
  payload_key: null,
  y_transformation: '(y) => y',
  interpolation: 'stepAfter',
} as const;

const growthRate = {
  ...usual,
  data_source: 'growth_rates',
  mqtt_topic: 'growth_rate_calculating/growth_rate',
  payload_key: 'growth_rate',
  fixed_decimals: 2,
} as const;

const impliedGrowthRate: ChartDescriptor = {
  ...growthRate,
  chart_key: 'implied_growth_rate',
  title: 'Implied growth rate',
  y_axis_label: 'growth rate, 1/h',
  y_axis_domain: [-0.02, 0.1],
};

const impliedDailyGrowthRate: ChartDescriptor = {
  ...growthRate,
  chart_key: 'implied_daily_growth_rate',
  title: 'Implied daily growth rate',
  y_axis_label: 'growth rate, 1/d',
  y_transformation: '(y) => y * 24',
  y_axis_domain: [-0.1, 1],
};

const altMediaShare: ChartDescriptor = {
  ...usual,
  chart_key: 'fraction_of_volume_that_is_alternative_media',
  data_source: 'alt_media_fractions',
  data_source_column: 'alt_media_fraction',
  title: 'Share of alternative media',
  y_axis_label: 'fraction of the volume',
  fixed_decimals: 3,
  down_sample: false,
  mqtt_topic: 'bioreactor/alt_media_fraction',
  y_axis_domain: [0, 0.05],
};

const temperature: ChartDescriptor = {
  ...usual,
  chart_key: 'temperature',
  data_source: 'temperature_readings',
  title: 'Temperature of vials',
  y_axis_label: 'temperature, °C',
  fixed_decimals: 1,
  down_sample: false,
  mqtt_topic: 'temperature_automation/temperature',
  payload_key: 'temperature',
  y_axis_domain: [22.5, 37.5],
};

const currentVolume: ChartDescriptor = {
  ...usual,
  chart_key: 'current_volume_ml',
  data_source: 'liquid_volumes',
  data_source_column: 'liquid_volume',
  title: 'Volume in bioreactor',
  y_axis_label: 'volume, mL',
  fixed_decimals: 2,
  down_sample: false,
  mqtt_topic: 'bioreactor/current_volume_ml',
  y_axis_domain: [0, 18],
};

/** Hours to load as the integer that clients expect: never less than what was configured. */
const wholeHours = (hours: number): number => Math.max(0, Math.ceil(hours));

/** All built-in charts, in the order in which a screen shows them. */
export function chartDescriptors(lookbacks: ChartLookbacks): readonly ChartDescriptor[] {
  const raw = {
    ...usual,
    y_axis_label: 'reading',
    fixed_decimals: 3,
    y_axis_domain: [0.001, 0.05] as [number, number],
    lookback: wholeHours(lookbacks.rawOdLookbackHours),
  };
  return [
    impliedGrowthRate,
    impliedDailyGrowthRate,
    altMediaShare,
    {
      ...usual,
      chart_key: 'normalized_optical_density',
      data_source: 'od_readings_filtered',
      title: 'Normalized optical density',
      y_axis_label: 'ratio to initial OD',
      fixed_decimals: 2,
      mqtt_topic: 'growth_rate_calculating/od_filtered',
      payload_key: 'od_filtered',
      y_axis_domain: [0.98, 1.02],
      lookback: wholeHours(lookbacks.filteredOdLookbackHours),
    },
    {
      ...raw,
      chart_key: 'optical_density',
      data_source: 'od_readings',
      title: 'Optical density',
      mqtt_topic: odChannels.map((channel) => `od_reading/od${channel}`),
      payload_key: 'od',
    },
    temperature,
    currentVolume,
    {
      ...raw,
      chart_key: 'raw_optical_density',
      data_source: 'raw_od_readings',
      title: 'Raw optical density',
      mqtt_topic: odChannels.map((channel) => `od_reading/raw_od${channel}`),
      payload_key: 'od',
    },
    {
      ...raw,
      chart_key: 'fused_optical_density',
      data_source: 'od_readings_fused',
      title: 'Fused optical density',
      mqtt_topic: 'od_reading/od_fused',
      payload_key: 'od_fused',
    },
  ];
}
