import {
  ApiError,
  type Handlers,
  mostTargetPoints,
  PreparedJson,
  StreamedJson,
  type TimeSeries,
  type TimeSeriesQuery,
  timeSeriesDefaults,
  type timeSeriesRoutes,
} from '@lcs/contract';
import { anySourceTable, type SeriesColumn, seriesColumn, seriesColumnNames } from '@lcs/domain';
import type { NodeDescriptors } from '@lcs/node';
import type { Kysely } from 'kysely';
import { type LeaderContext, type LeaderSchema, systemExperiment } from '../core/leader-context.ts';
import { queryTimestamp } from '../core/timestamps.ts';
import type { SeriesAnswers } from './series-answers.ts';

interface SeriesRequest {
  readonly params: { readonly experiment: string; readonly reactor_unit?: string };
  readonly query: TimeSeriesQuery;
  readonly signal: AbortSignal;
}

const noSeries = PreparedJson.of<TimeSeries>({ series: [], data: [] });

async function uidOf(reader: Kysely<LeaderSchema>, experiment: string): Promise<string | undefined> {
  if (experiment === systemExperiment) return systemExperiment;
  const found = await reader
    .selectFrom('experiments')
    .where('name', '=', experiment)
    .where('deleting_at', 'is', null)
    .select('uid')
    .executeTakeFirst();
  return found?.uid;
}

/** Reads one column of an experiment for a request. */
function seriesReads(reader: Kysely<LeaderSchema>, answers: SeriesAnswers) {
  return async (column: SeriesColumn & { readonly decimals?: number }, { params, query, signal }: SeriesRequest) => {
    // Refused for unknown experiments too.
    const untilMs = query.until === undefined ? undefined : queryTimestamp('until', query.until);
    const experimentUid = await uidOf(reader, params.experiment);
    const lookbackHours = query.lookback ?? timeSeriesDefaults.lookbackHours;
    const targetPoints = Math.min(query.target_points ?? timeSeriesDefaults.targetPoints, mostTargetPoints);
    if (experimentUid === undefined || lookbackHours === 0) {
      return { status: 200, body: noSeries, headers: { 'x-target-points': String(targetPoints) } } as const;
    }
    const answer = await answers.current(
      {
        experimentUid,
        ...column,
        ...(params.reactor_unit === undefined ? {} : { unit: params.reactor_unit }),
        ...(untilMs === undefined ? {} : { untilMs }),
        lookbackHours,
        targetPoints,
      },
      signal,
    );
    const headers = { 'x-target-points': String(answer.targetPoints) };
    if ('parts' in answer)
      return { status: 200, body: new StreamedJson<TimeSeries>(answers.streamed(answer, signal)), headers } as const;
    const { bytes, etag } = answer;
    return { status: 200, body: PreparedJson.from<TimeSeries>(bytes), headers: { ...headers, etag } } as const;
  };
}

type AllHandlers = Handlers<typeof timeSeriesRoutes>;
/** They need nothing but the store: a column may be that of a plugin. */
type StoredHandlers = Omit<AllHandlers, 'getTimeSeries' | 'getWorkerTimeSeries' | 'listReadingSources'>;

/** Readings of the sources that every leader has. */
export function storedSeriesHandlers(reader: Kysely<LeaderSchema>, answers: SeriesAnswers): StoredHandlers {
  const read = seriesReads(reader, answers);
  const fixed = (source: string) => (request: SeriesRequest) => read({ source }, request);
  return {
    getGrowthRates: fixed('growth_rate'),
    getTemperatureReadings: fixed('temperature'),
    getFilteredOdReadings: fixed('od_filtered'),
    getOdReadings: fixed('od'),
    getFusedOdReadings: fixed('od_fused'),
    getRawOdReadings: fixed('raw_od'),
    getWorkerGrowthRates: fixed('growth_rate'),
    getWorkerTemperatureReadings: fixed('temperature'),
    getWorkerFilteredOdReadings: fixed('od_filtered'),
    getWorkerOdReadings: fixed('od'),
    getWorkerFusedOdReadings: fixed('od_fused'),
    getWorkerRawOdReadings: fixed('raw_od'),
  };
}

/** Readings for charts: read in separate threads, and cached until they change. */
export function timeSeriesHandlers(
  { database }: Pick<LeaderContext, 'database'>,
  answers: SeriesAnswers,
  descriptors: Pick<NodeDescriptors, 'readingSources'>,
): AllHandlers {
  const read = seriesReads(database.read, answers);
  const declared = async (source: string) => (await descriptors.readingSources()).find(({ name }) => name === source);
  const any = async (request: SeriesRequest & { readonly params: { data_source: string; column: string } }) => {
    const { data_source: dataSource, column } = request.params;
    const known = seriesColumn(dataSource, column);
    if (!known)
      throw new ApiError('data_source_unknown', { dataSource, column, known: seriesColumnNames().join(', ') });
    const source = dataSource === anySourceTable ? await declared(column) : undefined;
    return read({ ...known, ...(source && { decimals: source.decimals }) }, request);
  };
  return {
    ...storedSeriesHandlers(database.read, answers),
    getTimeSeries: any,
    getWorkerTimeSeries: any,
    listReadingSources: async () => ({ status: 200, body: await descriptors.readingSources() }),
  };
}
