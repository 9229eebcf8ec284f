import type { ChartDescriptor } from '@lcs/contract';
import { everythingHours } from '../descriptors/complete-descriptor.ts';
import { readingSources } from '../readings/reading-sources.ts';

/** The settings of charts from the shared configuration, in hours. */
export interface ChartLookbacks {
  readonly filteredOdLookbackHours: number;
  readonly rawOdLookbackHours: number;
}

/** The photodiodes of a board, as the configuration names them. */
export const photodiodeChannels = ['1', '2', '3', '4'] as const;
export type PhotodiodeChannel = (typeof photodiodeChannels)[number];

/** What most charts have in common. */
const defaults = {
  source: 'app',
  down_sample: true,
  lookback: everythingHours,
  data_source_column: null,
  payload_key: null,
  y_transformation: '(y) => y',
  // A measured quantity changes between its readings; one that only doses change keeps its value until the next one.
  interpolation: 'linear',
} as const;

/** The table of a source, and the setting under which its job publishes the newest value. */
function published(source: 'growth_rate' | 'od_filtered' | 'od_fused' | 'temperature') {
  const { table, job } = readingSources[source];
  return { data_source: table.name, mqtt_topic: `${job}/${source}`, payload_key: source };
}

/** The same for a source of which each channel has its own setting; of a single channel the topic is a text, as of all others. */
function publishedByChannel(source: 'od' | 'raw_od', channels: readonly PhotodiodeChannel[]) {
  const { table, job } = readingSources[source];
  const topics = channels.map((channel) => `${job}/${source}${channel}`);
  const [only] = topics;
  return {
    data_source: table.name,
    mqtt_topic: only !== undefined && topics.length === 1 ? only : topics,
    payload_key: 'od',
  };
}

const growthRate = {
  ...defaults,
  ...published('growth_rate'),
  fixed_decimals: 2,
} as const;

const impliedGrowthRate: ChartDescriptor = {
  ...growthRate,
  chart_key: 'implied_growth_rate',
  title: 'Growth rate (h⁻¹)',
  y_axis_label: 'h⁻¹',
  y_axis_domain: [-0.02, 0.1],
};

const impliedDailyGrowthRate: ChartDescriptor = {
  ...growthRate,
  chart_key: 'implied_daily_growth_rate',
  title: 'Growth rate (per day)',
  y_axis_label: 'per day',
  y_transformation: '(y) => y * 24',
  y_axis_domain: [-0.1, 1],
};

const altMediaShare: ChartDescriptor = {
  ...defaults,
  chart_key: 'fraction_of_volume_that_is_alternative_media',
  data_source: readingSources.alt_media_fraction.table.name,
  data_source_column: readingSources.alt_media_fraction.table.column,
  title: readingSources.alt_media_fraction.table.title,
  y_axis_label: 'fraction',
  interpolation: 'stepAfter',
  fixed_decimals: 3,
  down_sample: false,
  mqtt_topic: 'bioreactor/alt_media_fraction',
  y_axis_domain: [0, 0.05],
};

const temperature: ChartDescriptor = {
  ...defaults,
  chart_key: 'temperature',
  ...published('temperature'),
  title: 'Temperature (°C)',
  y_axis_label: '°C',
  fixed_decimals: 1,
  down_sample: false,
  y_axis_domain: [22.5, 37.5],
};

const currentVolume: ChartDescriptor = {
  ...defaults,
  chart_key: 'current_volume_ml',
  data_source: readingSources.liquid_volume.table.name,
  data_source_column: readingSources.liquid_volume.table.column,
  title: 'Volume (mL)',
  y_axis_label: 'mL',
  interpolation: 'stepAfter',
  fixed_decimals: 2,
  down_sample: false,
  mqtt_topic: 'bioreactor/current_volume_ml',
  y_axis_domain: [0, 18],
};

/** Hours to load as the integer that clients expect: never less than the configured value. */
const wholeHours = (hours: number): number => Math.max(0, Math.ceil(hours));

/** All built-in charts, in the order in which a screen shows them. `channels`: the photodiodes whose readings are published. */
export function chartDescriptors(
  lookbacks: ChartLookbacks,
  channels: readonly PhotodiodeChannel[] = photodiodeChannels,
): readonly ChartDescriptor[] {
  const raw = {
    ...defaults,
    y_axis_label: 'AU',
    fixed_decimals: 3,
    y_axis_domain: [0.001, 0.05] as [number, number],
    lookback: wholeHours(lookbacks.rawOdLookbackHours),
  };
  return [
    impliedGrowthRate,
    impliedDailyGrowthRate,
    altMediaShare,
    {
      ...defaults,
      chart_key: 'normalized_optical_density',
      ...published('od_filtered'),
      title: 'Normalised OD (OD/OD₀)',
      y_axis_label: 'OD/OD₀',
      fixed_decimals: 2,
      y_axis_domain: [0.98, 1.02],
      lookback: wholeHours(lookbacks.filteredOdLookbackHours),
    },
    {
      ...raw,
      chart_key: 'optical_density',
      ...publishedByChannel('od', channels),
      title: 'OD (AU)',
    },
    temperature,
    currentVolume,
    {
      ...raw,
      chart_key: 'raw_optical_density',
      ...publishedByChannel('raw_od', channels),
      title: 'Raw OD (AU)',
    },
    {
      ...raw,
      chart_key: 'fused_optical_density',
      ...published('od_fused'),
      title: 'Fused OD (AU)',
    },
  ];
}
