import { type Static, Type } from 'typebox';
import { closed, Nullable, textLimit } from './common.ts';
import { ExperimentProfileText } from './profile.ts';

const spread = (what: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: `Relative standard deviation of ${what}: 0.1 is 10 %` }),
  );

/** What is known of the cultures; absent values are those of the simulated organism. */
export const RehearsedCulture = closed(
  {
    organism: Type.Optional(
      Type.String({ maxLength: textLimit, description: '`ecoli_glucose`, `ecoli_lb` or `yeast` (the default)' }),
    ),
    growth_rate: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 10, description: 'Maximum growth rate, 1/h' }),
    ),
    growth_rate_spread: spread('the growth rate; default 0.1'),
    temperature: Type.Optional(
      Type.Number({ minimum: 0, maximum: 90, description: 'Temperature of that growth rate, °C' }),
    ),
    initial_od: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 20, description: 'Default 0.05' })),
    initial_od_spread: spread('the initial OD; default 0.2'),
    lag_h: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Lag before growth, hours' })),
    highest_od: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 200, description: 'OD at which growth ends' }),
    ),
    half_share: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description: 'Share of the alternative medium at which growth is half as fast; absent: it does not slow growth',
      }),
    ),
    pump_spread: spread('the flow of each pump around its calibration; default 0.05'),
    from_experiment: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description:
          'A past experiment with the same strain: growth rate and its spread, temperature, initial and highest OD are fitted to it. Values given here take precedence',
      }),
    ),
  },
  { title: 'RehearsedCulture' },
);
export type RehearsedCulture = Static<typeof RehearsedCulture>;

export const SimulateProfile = closed(
  {
    ...ExperimentProfileText.properties,
    experiment: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description: 'Whose units to simulate; absent: the units that the profile names, else `unit1`',
      }),
    ),
    hours: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 2_160,
        description:
          'Simulated time; default: until the last action. Where a condition decides about it: a quarter longer, at least 7 days',
      }),
    ),
    draws: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: 'Vials from which the bands are made; default 20' }),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'The same seed gives the same result; default 1',
      }),
    ),
    interval_s: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1_000,
        description:
          'Seconds between OD readings. Default: as configured up to 12 hours, at least 60 up to 10 days, then 120',
      }),
    ),
    culture: Type.Optional(RehearsedCulture),
    volume_ml: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1_000, description: 'Volume at the start; default: as configured' }),
    ),
    bottle_ml: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100_000,
        description: 'Medium in each bottle; default: as configured, else 1,000',
      }),
    ),
    ambient: Type.Optional(Type.Number({ minimum: 0, maximum: 50, description: 'Room temperature, °C; default 22' })),
  },
  { title: 'SimulateProfile' },
);
export type SimulateProfile = Static<typeof SimulateProfile>;

const Values = Type.Array(Nullable(Type.Number()));
const share = Type.Number({ minimum: 0, maximum: 1, description: 'Of the draws' });

/** The result of the task. Bands: 10th percentile, median and 90th percentile of the draws. */
export const ProfileRehearsal = closed(
  {
    experiment_profile_name: Type.String(),
    simulated_hours: Type.Number(),
    draws: Type.Integer(),
    seed: Type.Integer(),
    interval_s: Type.Number({ description: 'Seconds between OD readings' }),
    computed_in_s: Type.Number(),
    memory_mib: Type.Number({ description: 'Largest resident memory of a process that computed it' }),
    can_finish: Type.Union([Type.Literal('yes'), Type.Literal('no'), Type.Literal('uncertain')], {
      description:
        'Whether the profile reaches its last action without an error: in all draws, in none, or in some. The findings say why',
    }),
    findings: Type.Array(
      closed({
        severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
        code: Type.String({ description: 'A stable word' }),
        reactor_unit: Nullable(Type.String()),
        message: Type.String(),
        at_h: Nullable(Type.Number({ description: 'Median of the draws, hours since the start' })),
        share,
      }),
    ),
    culture: closed({
      organism: Type.String(),
      growth_rate: Type.Number(),
      growth_rate_spread: Type.Number(),
      temperature: Type.Number(),
      initial_od: Type.Number(),
      initial_od_spread: Type.Number(),
      lag_h: Type.Number(),
      highest_od: Type.Number(),
      half_share: Nullable(Type.Number()),
      pump_spread: Type.Number(),
    }),
    units: Type.Array(
      closed({
        reactor_unit: Type.String(),
        is_od_calibrated: Type.Boolean({ description: 'Otherwise its OD is a raw signal, which depends on the unit' }),
        hours: Type.Array(Type.Number(), { description: 'Times of the values of the series' }),
        series: Type.Array(
          closed({
            name: Type.String({
              description: 'od, growth_rate, temperature, volume, media_used, alt_media_used or waste',
            }),
            unit: Type.String(),
            median: Values,
            low: Values,
            high: Values,
          }),
        ),
        conditions: Type.Array(
          closed({
            path: Type.String(),
            iteration: Type.Integer(),
            share,
            low_h: Type.Number(),
            median_h: Type.Number(),
            high_h: Type.Number(),
          }),
          { description: 'When waits ended, and loops whose condition no longer held' },
        ),
        actions: Type.Array(
          closed({
            path: Type.String(),
            iteration: Type.Integer(),
            job_name: Type.String(),
            action: Type.String(),
            at_h: Type.Number(),
            outcome: Type.String(),
            reason: Nullable(Type.String()),
          }),
          { description: 'Of one draw, at most 200' },
        ),
      }),
    ),
  },
  { title: 'ProfileRehearsal' },
);
export type ProfileRehearsal = Static<typeof ProfileRehearsal>;
