import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** Defaults of a request. */
export const timeSeriesDefaults = { lookbackHours: 4, targetPoints: 720 } as const;

/** No answer has more points than this in one series. */
export const mostTargetPoints = 1_000_000;

export const TimeSeriesPoint = closed({ x: Timestamp, y: Type.Number() }, { title: 'TimeSeriesPoint' });
export type TimeSeriesPoint = Static<typeof TimeSeriesPoint>;

export const TimeSeries = closed(
  {
    series: Type.Array(Type.String(), {
      description: 'A label for each series: the unit, or `unit-channel` where each channel is a series',
    }),
    data: Type.Array(Type.Array(TimeSeriesPoint), {
      description: 'Parallel to `series`: readings as they are stored, ascending in time',
    }),
  },
  { title: 'TimeSeries' },
);
export type TimeSeries = Static<typeof TimeSeries>;

export const TimeSeriesQuery = Type.Object({
  lookback: Type.Optional(
    Type.Number({
      minimum: 0,
      description: `Hours back from \`until\`; 0 gives no series. Default ${timeSeriesDefaults.lookbackHours}`,
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The end of the window (RFC 3339), included. Default now; a later moment means now',
    }),
  ),
  target_points: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Most points of each series, at most ${mostTargetPoints} (larger numbers mean that). Default ${timeSeriesDefaults.targetPoints}`,
    }),
  ),
});
export type TimeSeriesQuery = Static<typeof TimeSeriesQuery>;

/** A quantity that jobs record. */
export const ReadingSource = closed(
  {
    name: Type.String({ description: 'As in readings of the live stream' }),
    label: Type.String({ description: 'For people' }),
    unit: Type.String({ description: 'Empty: no unit' }),
    decimals: Type.Integer({ minimum: 0, description: 'Digits after the point in answers' }),
    job: Nullable(Type.String({ description: 'The job that records it' })),
  },
  { title: 'ReadingSource' },
);
export type ReadingSource = Static<typeof ReadingSource>;
