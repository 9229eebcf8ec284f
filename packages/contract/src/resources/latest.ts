import { type Static, Type } from 'typebox';
import { SampleFlag } from '../feed/records.ts';
import { closed, Nullable, Timestamp } from './common.ts';

/** The newest reading of one series of a unit. */
export const LatestReading = closed(
  {
    source: Type.String({ description: 'Which series: `od`, `temperature`, `growth_rate`, …' }),
    channel: Nullable(Type.String()),
    x: Timestamp,
    y: Type.Number(),
    flags: Type.Optional(Type.Array(SampleFlag, { description: 'Quality flags of the signal; absent: none' })),
  },
  { title: 'LatestReading' },
);
export type LatestReading = Static<typeof LatestReading>;

/** Liquid that was pumped into a vial. */
export const Dose = closed(
  {
    at: Timestamp,
    event: Type.Union([Type.Literal('add_media'), Type.Literal('add_alt_media')]),
    volume_ml: Type.Number({ exclusiveMinimum: 0 }),
    job_id: Type.Optional(Type.Integer({ description: 'The job of the unit that pumped; absent: none is known' })),
  },
  { title: 'Dose' },
);
export type Dose = Static<typeof Dose>;

/** A part of a dose; several follow each other while a pump runs. */
export const DosePiece = closed(
  {
    ...Dose.properties,
    volume_ml: Type.Number({ description: 'Below 0: so much less was pumped than the pieces before it announced' }),
  },
  { title: 'DosePiece' },
);
export type DosePiece = Static<typeof DosePiece>;

/** What the leader knows last of an assigned unit. */
export const UnitLatest = closed(
  {
    reactor_unit: Type.String(),
    experiment: Type.String(),
    label: Nullable(Type.String({ description: 'Of the unit in this experiment' })),
    readings: Type.Array(LatestReading),
    last_dose: Nullable(Dose),
  },
  { title: 'UnitLatest' },
);
export type UnitLatest = Static<typeof UnitLatest>;

/** Defaults of a request for sparklines. */
export const sparklineDefaults = { lookbackHours: 6, points: 60 } as const;

export const SparklinesQuery = Type.Object({
  lookback: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 8_760,
      description: `Hours back from now. Default ${sparklineDefaults.lookbackHours}`,
    }),
  ),
  points: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 500,
      description: `Most values of each line. Default ${sparklineDefaults.points}`,
    }),
  ),
});
export type SparklinesQuery = Static<typeof SparklinesQuery>;

export const Sparkline = closed(
  {
    reactor_unit: Type.String(),
    experiment: Type.String(),
    channel: Nullable(Type.String()),
    means: Type.Array(Nullable(Type.Number()), {
      description: 'Mean of the readings of each interval, oldest first; null: no reading',
    }),
  },
  { title: 'Sparkline' },
);
export type Sparkline = Static<typeof Sparkline>;

export const Sparklines = closed(
  {
    from: Timestamp,
    interval_s: Type.Integer({ minimum: 60, description: 'A multiple of one minute' }),
    lines: Type.Array(Sparkline, { description: 'A line without readings is absent' }),
  },
  { title: 'Sparklines' },
);
export type Sparklines = Static<typeof Sparklines>;
