import { type Static, Type } from 'typebox';
import { SampleFlag } from '../feed/records.ts';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

const Span = closed({ from: Timestamp, to: Timestamp }, { title: 'TimeSpan' });

/** Parameters of the growth filter; the defaults are those of the units. */
export const GrowthParameters = closed(
  {
    samples_for_od_statistics: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Readings whose median counts as a normalised OD of 1' }),
    ),
    ekf_outlier_std_threshold: Type.Optional(
      Type.Number({ exclusiveMinimum: 2, maximum: 100, description: 'Deviations beyond which a reading counts less' }),
    ),
    level_variance: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Of ln OD, per hour' })),
    rate_variance_scale: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1000,
        description: 'Factor on the process noise of the rate: larger values follow changes faster. Default 1',
      }),
    ),
    gap_h: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description: 'Hours without a reading after which the filter restarts',
      }),
    ),
    dose_deviation: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Share of a dose' })),
    gain_deviation: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of all doses: the common error of the pump' }),
    ),
  },
  { title: 'GrowthParameters' },
);
export type GrowthParameters = Static<typeof GrowthParameters>;

export const GrowthInput = Type.Union([Type.Literal('od'), Type.Literal('raw_od'), Type.Literal('od_fused')]);
export type GrowthInput = Static<typeof GrowthInput>;

export const RecomputeGrowth = closed(
  {
    parameters: Type.Optional(GrowthParameters),
    input: Type.Optional(GrowthInput),
    units: Type.Optional(
      Type.Array(Type.String({ maxLength: textLimit }), {
        minItems: 1,
        description: 'Default: all that have readings',
      }),
    ),
    exclude: Type.Optional(
      Type.Array(Span, { maxItems: 1000, description: 'Spans whose readings are left out; both ends included' }),
    ),
    exclude_flags: Type.Optional(
      Type.Array(SampleFlag, { description: 'Readings with one of these flags are left out. Default: none' }),
    ),
    smooth: Type.Optional(
      Type.Boolean({
        description: 'Compute each rate from the readings before and after it, in both directions. Default false',
      }),
    ),
    activate: Type.Optional(
      Type.Boolean({ description: 'Activate the new series when they are complete. Default false' }),
    ),
  },
  { title: 'RecomputeGrowth' },
);
export type RecomputeGrowth = Static<typeof RecomputeGrowth>;

/** One way in which growth rates of an experiment were computed. */
export const GrowthDerivation = closed(
  {
    derivation: Type.Integer({ description: 'Its number' }),
    name: Type.String(),
    version: Type.String(),
    parameters: Type.Unknown({ description: 'All of them, by name' }),
    created_at: Timestamp,
    origin: Type.Union([Type.Literal('measured'), Type.Literal('recomputed')], {
      description: '`measured`: as the units computed it while they measured',
    }),
    active: Type.Boolean({ description: 'Whether charts, exports and other reads use it' }),
    units: Type.Array(
      closed({
        reactor_unit: Type.String(),
        samples: Type.Integer({ minimum: 0, description: 'Growth rates' }),
        first_at: Nullable(Timestamp),
        last_at: Nullable(Timestamp),
      }),
    ),
  },
  { title: 'GrowthDerivation' },
);
export type GrowthDerivation = Static<typeof GrowthDerivation>;

/** Readings of one series in a row that have a flag. */
export const FlaggedSpan = closed(
  {
    reactor_unit: Type.String(),
    source: Type.String({ description: '`od`, `raw_od`, `growth_rate`, …' }),
    channel: Nullable(Type.String()),
    flag: SampleFlag,
    from: Timestamp,
    to: Timestamp,
    samples: Type.Integer({ minimum: 1 }),
  },
  { title: 'FlaggedSpan' },
);
export type FlaggedSpan = Static<typeof FlaggedSpan>;

export const FlagsQuery = Type.Object({
  lookback: Type.Optional(Type.Number({ minimum: 0, maximum: 876_000, description: 'Hours back from now. Default 4' })),
  source: Type.Optional(Type.String({ maxLength: textLimit, minLength: 1, description: 'Only of this source' })),
  reactor_unit: Type.Optional(Type.String({ maxLength: textLimit, minLength: 1, description: 'Only of this unit' })),
});
