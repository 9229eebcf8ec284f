import { type Static, Type } from 'typebox';
import { Nullable } from '../resources/common.ts';
import { FeedRecord, FeedSeries } from './records.ts';
import { Moment, Uuid } from './words.ts';

/** Bounds of `GET /unit_api/feed`. */
export const feedLimits = { records: 5_000, defaultRecords: 1_000, bytes: 2 * 1024 * 1024, waitMs: 10_000 } as const;

export const FeedQuery = Type.Object({
  epoch: Type.Optional(Uuid),
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Records with a larger number; 0: from the oldest' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: feedLimits.records })),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: feedLimits.waitMs, description: 'Milliseconds to wait for a record' }),
  ),
  leader_id: Type.Optional(Uuid),
  leader_time: Type.Optional(Moment),
  leader_synced: Type.Optional(Type.Boolean({ description: "NTP keeps the leader's clock" })),
});
export type FeedQuery = Static<typeof FeedQuery>;

/** How the monotonic time of one run of a node maps to wall time. */
export const FeedBoot = Type.Object(
  {
    boot: Type.Integer({ minimum: 1 }),
    wall0: Nullable(Moment),
    guess0: Moment,
    source: Type.Union([Type.Literal('ntp'), Type.Literal('leader'), Type.Literal('none')]),
  },
  { title: 'FeedBoot' },
);
export type FeedBoot = Static<typeof FeedBoot>;

/** A running job in the heartbeat. */
export const FeedJob = Type.Object(
  {
    job_id: Type.Integer(),
    job_name: Type.String(),
    experiment: Type.String(),
    experiment_uid: Nullable(Type.String()),
    state: Type.Union([Type.Literal('init'), Type.Literal('ready'), Type.Literal('sleeping')]),
    since: Moment,
  },
  { title: 'FeedJob' },
);
export type FeedJob = Static<typeof FeedJob>;

/** A job that the end of the unit's program has interrupted and that waits for a person. */
export const FeedHeldJob = Type.Object(
  {
    job_id: Type.Integer(),
    job_name: Type.String(),
    experiment: Type.String(),
    since: Moment,
    was_stopped: Type.Boolean({ description: 'The program had been stopped; false: it crashed, or its power failed' }),
  },
  { title: 'FeedHeldJob' },
);
export type FeedHeldJob = Static<typeof FeedHeldJob>;

/** State of the unit's buffer. */
export const FeedOutbox = Type.Object(
  {
    records: Type.Integer(),
    bytes: Type.Integer(),
    oldest_at: Nullable(Moment),
    limit_bytes: Type.Integer(),
    full: Type.Boolean({ description: 'New samples are being refused' }),
  },
  { title: 'FeedOutbox' },
);
export type FeedOutbox = Static<typeof FeedOutbox>;

/** Records of a unit, and its heartbeat. */
export const FeedAnswer = Type.Object(
  {
    reactor_unit: Type.String(),
    protocol: Type.Integer(),
    epoch: Uuid,
    boot: Type.Integer({ minimum: 1 }),
    first_seq: Type.Integer({ minimum: 0 }),
    head_seq: Type.Integer({ minimum: 0 }),
    acked_seq: Type.Integer({ minimum: 0 }),
    time: Moment,
    mono: Type.Integer({ minimum: 0 }),
    synced: Type.Boolean(),
    desired_version: Type.Integer({ minimum: 0 }),
    desired_pending: Type.Array(Type.String()),
    jobs: Type.Array(FeedJob),
    held_jobs: Type.Optional(
      Type.Array(FeedHeldJob, {
        description: 'Those that a restart has interrupted and that stay off until a person starts or stops them',
      }),
    ),
    outbox: FeedOutbox,
    unrecorded: Type.Optional(
      Type.Boolean({
        description: 'Stops or other changes of jobs are effective that are not stored on the disk of the unit yet',
      }),
    ),
    boots: Type.Array(FeedBoot),
    series: Type.Array(FeedSeries),
    records: Type.Array(FeedRecord),
    more: Type.Boolean(),
  },
  { title: 'FeedAnswer' },
);
export type FeedAnswer = Static<typeof FeedAnswer>;

export const FeedAck = Type.Object(
  { leader_id: Uuid, epoch: Uuid, seq: Type.Integer({ minimum: 0 }) },
  { title: 'FeedAck' },
);
export type FeedAck = Static<typeof FeedAck>;

export const FeedAcked = Type.Object(
  { status: Type.Literal('success'), acked_seq: Type.Integer({ minimum: 0 }) },
  { title: 'FeedAcked' },
);
export type FeedAcked = Static<typeof FeedAcked>;
