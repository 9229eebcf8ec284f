import { type Static, Type } from 'typebox';
import { SampleFlag } from '../feed/records.ts';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

export const GrowthSource = Type.Union(
  [Type.Literal('od'), Type.Literal('raw_od'), Type.Literal('od_fused'), Type.Literal('od_filtered')],
  { description: 'Optical density, with the active calibration if there is one; raw signal; of all angles; filtered' },
);
export type GrowthSource = Static<typeof GrowthSource>;

const FitName = Type.Union([
  Type.Literal('log_linear'),
  Type.Literal('gompertz'),
  Type.Literal('baranyi_roberts'),
  Type.Literal('gaussian_process'),
]);

const FitFailure = Type.Union(
  [
    Type.Literal('too_few_readings'),
    Type.Literal('no_growth'),
    Type.Literal('not_converged'),
    Type.Literal('not_determined'),
    Type.Literal('no_plateau'),
    Type.Literal('lag_not_in_batch'),
    Type.Literal('start_near_background'),
    Type.Literal('rate_not_above_zero'),
    Type.Literal('not_of_this_fit'),
  ],
  { description: 'Why a curve cannot be fitted, or a number is null' },
);

/** With its standard error and 95 % confidence interval. */
export const GrowthEstimate = closed(
  {
    value: Type.Number(),
    se: Type.Number({ description: 'Standard error' }),
    lower: Type.Number({ description: 'Lower end of the 95 % confidence interval' }),
    upper: Type.Number(),
  },
  { title: 'GrowthEstimate' },
);
export type GrowthEstimate = Static<typeof GrowthEstimate>;

/** Options of the growth curves of an experiment. */
const options = {
  source: Type.Optional(GrowthSource),
  from: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only readings from this time on, ISO-8601' })),
  to: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only readings up to this time' })),
  window_h: Type.Optional(
    Type.Number({
      minimum: 0.1,
      maximum: 48,
      description: 'Shortest window of the log-linear fit, hours; longer ones are tried, too. Default 1',
    }),
  ),
  least_od: Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, description: 'Readings of this OD or less are left out. Default 0' }),
  ),
  exclude_flags: Type.Optional(
    Type.Array(SampleFlag, {
      maxItems: 20,
      description:
        'Readings with one of these flags are left out. Default: saturated, outlier, out_of_range, bubbles, vial_out, led_failing, sensor_doubtful',
    }),
  ),
} as const;

export const GrowthSummaryQuery = Type.Object(options);
export type GrowthSummaryQuery = Static<typeof GrowthSummaryQuery>;

export const GrowthComparisonQuery = Type.Object({
  ...options,
  experiments: Type.Array(Type.String({ maxLength: textLimit, minLength: 1 }), {
    minItems: 1,
    maxItems: 10,
    description: 'Names of experiments',
  }),
  align: Type.Optional(
    Type.Union([Type.Literal('start'), Type.Literal('first_dilution'), Type.Literal('od')], {
      description:
        'Hour 0 of each curve: its first reading, its first dose of medium, or where it first reaches `od` from below. Default start',
    }),
  ),
  od: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: 'Required with `align=od`' })),
});
export type GrowthComparisonQuery = Static<typeof GrowthComparisonQuery>;

const GrowthFit = closed(
  {
    fit: FitName,
    failure: Nullable(FitFailure),
    mu_max: Nullable(GrowthEstimate),
    lag_h: Nullable(GrowthEstimate),
    carrying_capacity: Nullable(GrowthEstimate),
    doubling_time_h: Nullable(GrowthEstimate),
    missing: Type.Record(Type.String(), FitFailure, { description: 'Reasons of the numbers that are null' }),
    mu_max_at_h: Nullable(Type.Number({ description: 'Hours since the first reading' })),
    from_h: Nullable(Type.Number({ description: 'The fitted part of the curve, hours since the first reading' })),
    to_h: Nullable(Type.Number()),
    points: Nullable(Type.Integer({ description: 'Means of readings that were fitted' })),
    rss: Nullable(Type.Number({ description: 'Sum of squared residuals of ln OD' })),
    aicc: Nullable(Type.Number({ description: 'Comparable between fits to the same points only' })),
    parameters: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
  },
  { title: 'GrowthFit' },
);
export type GrowthFit = Static<typeof GrowthFit>;

export const UnitGrowth = closed(
  {
    reactor_unit: Type.String(),
    label: Nullable(Type.String()),
    group: Nullable(Type.String({ description: 'Its replicate group' })),
    channel: Nullable(Type.String({ description: 'The photodiode with the most readings' })),
    angle: Nullable(Type.Integer({ description: 'Degrees' })),
    calibrations: Type.Array(
      closed({ name: Nullable(Type.String()), hash: Nullable(Type.String({ description: 'SHA-256' })) }),
      { description: 'With which the readings were made, in order; `hash` null: without a calibration' },
    ),
    derivations: Type.Array(
      closed({
        name: Type.String(),
        version: Type.String(),
        parameters: Type.Unknown({ description: 'Of the filter' }),
      }),
      { description: 'Filters of filtered readings, with their parameters' },
    ),
    start: Timestamp,
    hours: Type.Number(),
    readings: Type.Integer(),
    excluded: Type.Integer({ description: 'Readings that were left out because of their flags' }),
    not_positive: Type.Integer({ description: 'Means that were left out because they are not above 0 or `least_od`' }),
    bin_s: Type.Number({ description: 'Curves are fitted to means of this length, seconds' }),
    start_od: Nullable(Type.Number()),
    highest_od: Nullable(Type.Number()),
    generations: Nullable(Type.Number({ description: 'With the growth that dilutions have hidden' })),
    generations_from_h: Nullable(
      Type.Number({
        description: 'Hours from which on generations are counted: before, the curve is not clear of its background',
      }),
    ),
    doses: Type.Integer({ description: 'Doses of media, which are taken out of the curve' }),
    added_ml: Type.Number(),
    fits: Type.Array(GrowthFit),
  },
  { title: 'UnitGrowth' },
);
export type UnitGrowth = Static<typeof UnitGrowth>;

const GrowthQuantity = Type.Union([
  Type.Literal('mu_max'),
  Type.Literal('lag_h'),
  Type.Literal('carrying_capacity'),
  Type.Literal('doubling_time_h'),
  Type.Literal('generations'),
]);
export type GrowthQuantity = Static<typeof GrowthQuantity>;

const GrowthStatistics = closed(
  {
    quantity: GrowthQuantity,
    fit: Nullable(FitName),
    n: Type.Integer({ description: 'Units with a value' }),
    mean: Nullable(Type.Number()),
    sd: Nullable(Type.Number({ description: 'Sample standard deviation' })),
    lower: Nullable(Type.Number({ description: "Lower end of the 95 % confidence interval of the mean, Student's t" })),
    upper: Nullable(Type.Number()),
  },
  { title: 'GrowthStatistics' },
);
export type GrowthStatistics = Static<typeof GrowthStatistics>;

export const GrowthGroup = closed(
  {
    name: Type.String(),
    units: Type.Array(Type.String()),
    diluted_units: Type.Array(Type.String(), {
      description: 'With doses of media: their sigmoid curves, lag and capacity are of the time before the first dose',
    }),
    statistics: Type.Array(GrowthStatistics),
  },
  { title: 'GrowthGroup' },
);
export type GrowthGroup = Static<typeof GrowthGroup>;

export const GrowthTest = closed(
  {
    quantity: GrowthQuantity,
    fit: Nullable(FitName),
    test: Type.Union([Type.Literal('welch_t'), Type.Literal('one_way_anova'), Type.Literal('kruskal_wallis')]),
    groups: Type.Array(Type.String()),
    statistic: Type.Number({ description: 't, F or H' }),
    df: Type.Array(Type.Number(), { description: 'Degrees of freedom' }),
    p: Type.Number(),
    p_adjusted: Nullable(Type.Number({ description: "By Holm's method, when several pairs are compared" })),
  },
  { title: 'GrowthTest' },
);
export type GrowthTest = Static<typeof GrowthTest>;

/** How the numbers were computed; the same in all answers of growth curves. */
const provenance = {
  computed_at: Timestamp,
  software_version: Type.String(),
  method_version: Type.String({ description: 'Changes when the same readings give other numbers' }),
  source: GrowthSource,
  window_h: Type.Number(),
  least_od: Type.Number(),
  exclude_flags: Type.Array(SampleFlag),
  fits: Type.Array(
    closed({
      fit: FitName,
      title: Type.String(),
      reference: Type.String(),
      errors: Type.String({ description: 'How errors are computed' }),
    }),
  ),
  test_methods: Type.Record(Type.String(), Type.String()),
} as const;

export const GrowthSummary = closed(
  {
    experiment: Type.String(),
    ...provenance,
    units: Type.Array(UnitGrowth),
    groups: Type.Array(GrowthGroup, { description: 'Replicate groups; n counts units, not readings' }),
    tests: Type.Array(GrowthTest, { description: 'Whether the groups differ' }),
  },
  { title: 'GrowthSummary' },
);
export type GrowthSummary = Static<typeof GrowthSummary>;

/** A curve as parallel lists. */
const curve = {
  hours: Type.Array(Type.Number(), { description: 'Since hour 0 of the alignment' }),
  od: Type.Array(Type.Number()),
} as const;

const AlignedCurve = closed(
  {
    reactor_unit: Type.String(),
    label: Nullable(Type.String()),
    group: Nullable(Type.String()),
    zero_at: Nullable(Timestamp),
    failure: Nullable(
      Type.Union([Type.Literal('od_not_reached'), Type.Literal('not_diluted')], {
        description: 'Why it has no hour 0: it does not reach the OD from below, or has no dose of medium',
      }),
    ),
    ...curve,
    generations: Type.Array(Type.Number(), { description: 'Since the first reading, with those hidden by dilutions' }),
  },
  { title: 'AlignedCurve' },
);
export type AlignedCurve = Static<typeof AlignedCurve>;

const MeanCurve = closed(
  {
    name: Type.String({
      description: 'The mean is of the units of the group that have a value at an hour; it jumps where `n` changes',
    }),
    ...curve,
    lower: Type.Array(Nullable(Type.Number()), { description: '95 % confidence interval of the mean' }),
    upper: Type.Array(Nullable(Type.Number())),
    n: Type.Array(Type.Integer({ description: 'Units of the mean at this hour' })),
  },
  { title: 'MeanCurve' },
);
export type MeanCurve = Static<typeof MeanCurve>;

export const GrowthComparison = closed(
  {
    align: Type.Union([Type.Literal('start'), Type.Literal('first_dilution'), Type.Literal('od')]),
    od: Nullable(Type.Number()),
    ...provenance,
    experiments: Type.Array(
      closed({ experiment: Type.String(), curves: Type.Array(AlignedCurve), means: Type.Array(MeanCurve) }),
    ),
    groups: Type.Array(GrowthGroup, {
      description: 'Of each experiment its replicate groups, or all its units when it has none',
    }),
    tests: Type.Array(GrowthTest),
  },
  { title: 'GrowthComparison' },
);
export type GrowthComparison = Static<typeof GrowthComparison>;
