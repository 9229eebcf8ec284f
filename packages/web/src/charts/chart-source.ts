import type { ChartDescriptor, Reading, TimeSeries } from '@lcs/contract';
import { anySourceTable, namedSources, type ReadingSource, readingSource } from '@lcs/domain';
import type { LeaderClient } from '../api/clients.ts';

interface SeriesQuery {
  readonly lookback: number;
  readonly target_points: number;
  /** The end of the window; absent: now. */
  readonly until?: string;
}

export type ChartSource = Pick<ChartDescriptor, 'data_source' | 'data_source_column'>;

/** The source of each table. */
const namesOfTables: ReadonlyMap<string, string> = new Map(
  namedSources.flatMap(([name, { table }]) => (table === undefined ? [] : [[table.name, name]])),
);

/** The name of a source on the live stream; `null`: the stream does not have it. */
export function liveNameOf({ data_source, data_source_column }: ChartSource): string | null {
  if (data_source === anySourceTable) return data_source_column;
  if (data_source === 'growth_rates' && data_source_column === 'rate_sd') return 'growth_rate_sd';
  return namesOfTables.get(data_source) ?? null;
}

const factsOf = (source: ChartSource): ReadingSource => readingSource(liveNameOf(source) ?? '');

export const isByChannel = (source: ChartSource): boolean => factsOf(source).byChannel;

/** The line of a chart that a live reading belongs to; `null`: it is of another source. */
export function lineOfReading(source: ChartSource, reading: Reading): string | null {
  if (liveNameOf(source) !== reading.source) return null;
  return isByChannel(source) ? `${reading.reactor_unit}-${reading.channel ?? '1'}` : reading.reactor_unit;
}

/** The job that records the readings of a chart; `null`: a person cannot start it here. */
export const jobOfChart = (source: ChartSource): string | null => factsOf(source).job ?? null;

/** The source of the standard deviations of estimates; `null`: the values are measured. */
export const deviationsOf = ({ data_source, data_source_column }: ChartSource): ChartSource | null =>
  data_source === 'growth_rates' && (data_source_column === null || data_source_column === 'rate')
    ? { data_source, data_source_column: 'rate_sd' }
    : null;

/** Whether exponential growth is a straight line on a logarithmic axis. */
export const isDensity = ({ data_source }: ChartSource): boolean => /^(raw_)?od_readings/.test(data_source);

/** A live value as in a response of the leader: rounded half away from zero. */
export function responseValue(source: ChartSource, y: number): number {
  const scale = 10 ** factsOf(source).decimals;
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

/** Requests the readings of a source of all units of an experiment. */
export function fetchSeries(
  leader: LeaderClient,
  source: ChartSource,
  experiment: string,
  query: SeriesQuery,
  signal: AbortSignal,
): Promise<TimeSeries> {
  const { data_source, data_source_column } = source;
  const column = data_source_column ?? factsOf(source).table?.column ?? 'value';
  return leader.getTimeSeries({ params: { experiment, data_source, column }, query, signal });
}
