import { type Static, Type } from 'typebox';
import { SampleFlag } from '../feed/records.ts';
import { AnyJson } from '../feed/words.ts';
import { closed, Nullable, Timestamp } from './common.ts';
import { JobStateName } from './job.ts';

/** By the age of the unit's last answer: below 20 s, below 60 s, older (or none yet). */
export const Liveness = Type.Union([Type.Literal('online'), Type.Literal('stale'), Type.Literal('offline')], {
  title: 'Liveness',
});
export type Liveness = Static<typeof Liveness>;

/** Why the leader does not read from a unit, although it may be up. */
export const UnitFault = Type.Union(
  [
    Type.Literal('foreign_leader'),
    Type.Literal('not_enrolled'),
    Type.Literal('feed_epoch_changed'),
    Type.Literal('protocol_unsupported'),
    Type.Literal('revoked'),
  ],
  { title: 'UnitFault' },
);
export type UnitFault = Static<typeof UnitFault>;

/** State of a unit on the leader: liveness, progress, address. */
export const UnitStatus = closed(
  {
    reactor_unit: Type.String(),
    liveness: Liveness,
    last_heard_at: Nullable(Timestamp),
    trouble: Nullable(UnitFault),
    desired_version: Type.Integer({ minimum: 0, description: 'Of the document the unit shall have; 0: none' }),
    applied_version: Type.Integer({ minimum: 0, description: 'Of the document that the unit has applied' }),
    backlog: Type.Integer({ minimum: 0, description: 'Records the unit holds that the leader has not stored yet' }),
    clock_offset_ms: Nullable(Type.Integer({ description: "The unit's time minus the leader's" })),
    outbox_full: Type.Boolean({ description: 'The buffer of the unit is full: it refuses new readings' }),
    app_version: Nullable(Type.String()),
    url: Nullable(Type.String({ description: 'Where the leader reaches it' })),
    is_simulated: Type.Boolean({ description: 'Its newest readings come from a simulated board' }),
  },
  { title: 'UnitStatus' },
);
export type UnitStatus = Static<typeof UnitStatus>;

const jobIdentity = {
  reactor_unit: Type.String(),
  experiment: Type.String({ description: 'The experiment, or `$experiment` for the cluster itself' }),
  job_name: Type.String(),
  job_id: Type.Integer({ minimum: 1 }),
};
const jobState = {
  ...jobIdentity,
  state: JobStateName,
  since: Timestamp,
  reason: Nullable(Type.String({ description: 'Why it is in this state, if there is a reason' })),
};

/** The state of a job of a unit in the live stream. */
export const JobStateChange = closed(jobState, { title: 'JobStateChange' });
export type JobStateChange = Static<typeof JobStateChange>;

/** A job of a unit that runs or was lost, with the settings it publishes. */
export const LiveJob = closed({ ...jobState, settings: Type.Record(Type.String(), AnyJson) }, { title: 'LiveJob' });
export type LiveJob = Static<typeof LiveJob>;

/** A job that a restart of its unit has interrupted and that stays off until a person starts or stops it. */
export const HeldJob = closed(
  {
    ...jobIdentity,
    since: Timestamp,
    was_stopped: Type.Boolean({ description: 'The unit had been stopped; false: its power failed, or it crashed' }),
  },
  { title: 'HeldJob' },
);
export type HeldJob = Static<typeof HeldJob>;

/** A setting of a job has a new value. */
export const SettingChange = closed(
  {
    ...jobIdentity,
    setting: Type.String(),
    value: AnyJson,
    at: Timestamp,
  },
  { title: 'SettingChange' },
);
export type SettingChange = Static<typeof SettingChange>;

/** A reading that was stored. */
export const Reading = closed(
  {
    experiment: Type.String(),
    reactor_unit: Type.String(),
    source: Type.String({ description: 'Which series: `od`, `temperature`, `growth_rate`, …' }),
    channel: Nullable(Type.String()),
    angle: Nullable(Type.Integer()),
    x: Timestamp,
    y: Type.Number(),
    flags: Type.Optional(Type.Array(SampleFlag, { description: 'Quality flags of the signal; absent: none' })),
    backfill: Type.Boolean({
      description: 'An old reading: the unit was away, and more readings may precede this one',
    }),
  },
  { title: 'Reading' },
);
export type Reading = Static<typeof Reading>;
