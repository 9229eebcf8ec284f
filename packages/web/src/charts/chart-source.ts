import type { ChartDescriptor, Reading, TimeSeries } from '@lcs/contract';
import type { LeaderClient } from '../api/clients.ts';

interface SeriesQuery {
  readonly lookback: number;
  readonly target_points: number;
}

interface SourceFacts {
  /** The name its readings have on the live stream. */
  readonly live: string;
  /** Whether each channel is a line of its own. */
  readonly byChannel: boolean;
  readonly column: string;
  /** Digits after the point that the leader's answers have; live values get the same, so that a reload changes nothing. */
  readonly decimals: number;
  /** The job that measures it. */
  readonly job?: string;
}

/** The data sources that readings of the live stream belong to. */
const facts: ReadonlyMap<string, SourceFacts> = new Map([
  [
    'growth_rates',
    { live: 'growth_rate', byChannel: false, column: 'rate', decimals: 5, job: 'growth_rate_calculating' },
  ],
  ['growth_rates/rate_sd', { live: 'growth_rate_sd', byChannel: false, column: 'rate_sd', decimals: 5 }],
  [
    'temperature_readings',
    { live: 'temperature', byChannel: false, column: 'temperature_c', decimals: 2, job: 'temperature_automation' },
  ],
  ['od_readings', { live: 'od', byChannel: true, column: 'od_reading', decimals: 7, job: 'od_reading' }],
  ['raw_od_readings', { live: 'raw_od', byChannel: true, column: 'od_reading', decimals: 7, job: 'od_reading' }],
  ['od_readings_fused', { live: 'od_fused', byChannel: false, column: 'od_reading', decimals: 7, job: 'od_reading' }],
  [
    'od_readings_filtered',
    {
      live: 'od_filtered',
      byChannel: false,
      column: 'normalized_od_reading',
      decimals: 7,
      job: 'growth_rate_calculating',
    },
  ],
  ['stirring_rates', { live: 'stirring_rpm', byChannel: false, column: 'measured_rpm', decimals: 7, job: 'stirring' }],
  ['alt_media_fractions', { live: 'alt_media_fraction', byChannel: false, column: 'alt_media_fraction', decimals: 7 }],
  ['liquid_volumes', { live: 'liquid_volume', byChannel: false, column: 'liquid_volume', decimals: 7 }],
  [
    'ir_led_intensities',
    { live: 'ir_led_relative_intensity', byChannel: false, column: 'relative_intensity', decimals: 7 },
  ],
]);

export type ChartSource = Pick<ChartDescriptor, 'data_source' | 'data_source_column'>;

/** A column may have facts of its own. */
const factsOf = ({ data_source, data_source_column }: ChartSource): SourceFacts | undefined =>
  facts.get(`${data_source}/${data_source_column}`) ?? facts.get(data_source);

export const isByChannel = (source: ChartSource): boolean => factsOf(source)?.byChannel ?? false;

/** The name that readings of a source have on the live stream; `null`: they do not come live. */
export const liveNameOf = (source: ChartSource): string | null => factsOf(source)?.live ?? null;

/** The line of a chart that a live reading belongs to; `null`: it is of another source. */
export function lineOfReading(source: ChartSource, reading: Reading): string | null {
  const known = factsOf(source);
  if (known?.live !== reading.source) return null;
  return known.byChannel ? `${reading.reactor_unit}-${reading.channel ?? '1'}` : reading.reactor_unit;
}

/** The job that fills a source with readings; `null`: none that a person starts here. */
export const jobOfSource = (source: ChartSource): string | null => factsOf(source)?.job ?? null;

/** The standard deviations of a source whose values are estimates; `null`: its values are measured. */
export const deviationsOf = ({ data_source, data_source_column }: ChartSource): ChartSource | null =>
  data_source === 'growth_rates' && (data_source_column === null || data_source_column === 'rate')
    ? { data_source, data_source_column: 'rate_sd' }
    : null;

/** Whether a culture that grows evenly is a straight line on a logarithmic axis. */
export const isDensity = ({ data_source }: ChartSource): boolean => /^(raw_)?od_readings/.test(data_source);

/** A live value as the leader's answers would have it: rounded half away from zero. */
export function answeredValue(source: ChartSource, y: number): number {
  const scale = 10 ** (factsOf(source)?.decimals ?? 7);
  return (Math.sign(y) * Math.round(Math.abs(y) * scale)) / scale;
}

/** Unit and channel of a line; names of units may contain `-` themselves. */
export function partsOfLine(
  label: string,
  byChannel: boolean,
): { readonly unit: string; readonly channel: string | null } {
  const dash = byChannel ? label.lastIndexOf('-') : -1;
  return dash < 0 ? { unit: label, channel: null } : { unit: label.slice(0, dash), channel: label.slice(dash + 1) };
}

/** Asks for the readings of a source of all units of an experiment. */
export function fetchSeries(
  leader: LeaderClient,
  source: ChartSource,
  experiment: string,
  query: SeriesQuery,
  signal: AbortSignal,
): Promise<TimeSeries> {
  const call = { params: { experiment }, query, signal };
  const { data_source, data_source_column } = source;
  const column = data_source_column ?? factsOf(source)?.column ?? 'value';
  const ofColumn = () => leader.getTimeSeries({ ...call, params: { experiment, data_source, column } });
  if (facts.has(`${data_source}/${data_source_column}`)) return ofColumn();
  switch (data_source) {
    case 'growth_rates':
      return leader.getGrowthRates(call);
    case 'temperature_readings':
      return leader.getTemperatureReadings(call);
    case 'od_readings':
      return leader.getOdReadings(call);
    case 'raw_od_readings':
      return leader.getRawOdReadings(call);
    case 'od_readings_fused':
      return leader.getFusedOdReadings(call);
    case 'od_readings_filtered':
      return leader.getFilteredOdReadings(call);
    default:
      return ofColumn();
  }
}
