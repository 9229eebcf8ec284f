import { type Static, Type } from 'typebox';
import { Nullable } from '../resources/common.ts';
import { LogLevel } from '../resources/system.ts';
import { AnyJson, ExperimentUid, Moment } from './words.ts';

/** How the values of a series were computed from others. */
const FeedDerivation = Type.Object({
  key: Type.String({ description: 'First 16 hex digits of the SHA-256 of the canonical JSON of the other three' }),
  name: Type.String(),
  version: Type.String(),
  parameters: AnyJson,
});

/** The context in which a value was measured. */
const FeedContext = Type.Object({
  calibration_name: Type.Optional(Nullable(Type.String())),
  calibration_hash: Type.Optional(Nullable(Type.String())),
  ir_led_intensity: Type.Optional(Nullable(Type.Number())),
});

/** One entry of an answer's dictionary: what a number means. */
export const FeedSeries = Type.Object(
  {
    experiment_uid: ExperimentUid,
    source: Type.String({ minLength: 1 }),
    channel: Nullable(Type.String()),
    angle: Nullable(Type.Integer()),
    derivation: Nullable(FeedDerivation),
    context: Nullable(FeedContext),
  },
  { title: 'FeedSeries' },
);
export type FeedSeries = Static<typeof FeedSeries>;

export const SampleFlag = Type.Union([
  Type.Literal('moved'),
  Type.Literal('saturated'),
  Type.Literal('outlier'),
  Type.Literal('simulated'),
  Type.Literal('corrected'),
  Type.Literal('out_of_range'),
  Type.Literal('reference_unstable'),
  Type.Literal('no_stir_bar'),
  Type.Literal('bubbles'),
  Type.Literal('vial_out'),
  Type.Literal('led_failing'),
  Type.Literal('bar_loose'),
  Type.Literal('sensor_doubtful'),
  Type.Literal('dose_unseen'),
  Type.Literal('rate_beyond_model'),
]);
export type SampleFlag = Static<typeof SampleFlag>;

const stamped = {
  seq: Type.Integer({ minimum: 1 }),
  boot: Type.Integer({ minimum: 1 }),
  mono: Type.Integer({ minimum: 0, description: 'Microseconds since the start of this boot, strictly growing' }),
  at: Moment,
  unsynced: Type.Optional(Type.Boolean()),
};
const ofExperiment = { ...stamped, experiment_uid: ExperimentUid };

export const FeedSample = Type.Object(
  {
    ...stamped,
    kind: Type.Literal('sample'),
    series: Type.Integer({ minimum: 0, description: "Position in the answer's `series`" }),
    value: Type.Number(),
    flags: Type.Optional(Type.Array(SampleFlag)),
  },
  { title: 'FeedSample' },
);
export type FeedSample = Static<typeof FeedSample>;

export const FeedEvent = Type.Object(
  {
    ...ofExperiment,
    kind: Type.Literal('event'),
    name: Type.String(),
    source: Nullable(Type.String()),
    message: Nullable(Type.String()),
    data: Type.Record(Type.String(), AnyJson),
  },
  { title: 'FeedEvent' },
);

export const FeedLog = Type.Object(
  {
    ...ofExperiment,
    kind: Type.Literal('log'),
    level: LogLevel,
    task: Type.String(),
    source: Type.String(),
    message: Type.String(),
  },
  { title: 'FeedLog' },
);

export const FeedState = Type.Object(
  {
    ...ofExperiment,
    kind: Type.Literal('state'),
    job_id: Type.Integer(),
    job_name: Type.String(),
    state: Type.Union([
      Type.Literal('init'),
      Type.Literal('ready'),
      Type.Literal('sleeping'),
      Type.Literal('disconnected'),
      Type.Literal('lost'),
    ]),
    reason: Nullable(Type.String()),
    source: Nullable(Type.String()),
  },
  { title: 'FeedState' },
);

export const FeedSetting = Type.Object(
  {
    ...ofExperiment,
    kind: Type.Literal('setting'),
    job_id: Type.Integer(),
    job_name: Type.String(),
    setting: Type.String(),
    value: AnyJson,
    by: Nullable(Type.String()),
  },
  { title: 'FeedSetting' },
);

export const GapReason = Type.Union([
  Type.Literal('thinned'),
  Type.Literal('disk_full'),
  Type.Literal('damaged'),
  Type.Literal('forgotten'),
]);
export type GapReason = Static<typeof GapReason>;

/** Records that are gone, and why. */
export const FeedGap = Type.Object(
  {
    ...ofExperiment,
    kind: Type.Literal('gap'),
    from_seq: Type.Integer({ minimum: 1 }),
    to_seq: Type.Integer({ minimum: 1, description: 'Included' }),
    from_at: Moment,
    to_at: Moment,
    dropped: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'How many by source of series, or `log:<level>`, or kind',
    }),
    reason: GapReason,
  },
  { title: 'FeedGap' },
);
export type FeedGap = Static<typeof FeedGap>;

export const FeedRecord = Type.Union([FeedSample, FeedEvent, FeedLog, FeedState, FeedSetting, FeedGap], {
  title: 'FeedRecord',
});
export type FeedRecord = Static<typeof FeedRecord>;
