import { type Static, Type } from 'typebox';
import { closed, Flag, Nullable, Timestamp, textLimit } from './common.ts';

/** Every state a job can show. A job never reports `lost` itself: its node or its unit has ended without stopping it. */
export const JobStateName = Type.Union(
  [
    Type.Literal('init'),
    Type.Literal('ready'),
    Type.Literal('sleeping'),
    Type.Literal('disconnected'),
    Type.Literal('lost'),
  ],
  { title: 'JobState' },
);
export type JobStateName = Static<typeof JobStateName>;

/** Of a start or a change of a job that holds a density. */
const confirmation = {
  confirm_dilution: Type.Optional(
    Type.Boolean({
      description:
        'What to do when pumps dilute the culture at once because it is at or above the target, when that is not known, when one exchange removes more than half of the culture, or when the dilution rate washes it out. false: refuse with `dilution_not_confirmed`. true: a person has confirmed it. Absent: continue, and report it in `warnings`',
    }),
  ),
};

/** An immediate and perhaps unexpected consequence of a start or a change. */
export const JobWarning = Type.Union(
  [
    closed({
      code: Type.Union([Type.Literal('dilutes_at_once'), Type.Literal('density_unknown')]),
      message: Type.String(),
      biomass_signal: Type.String(),
      value: Nullable(Type.Number({ description: 'Of that signal now' })),
      target: Type.Number(),
    }),
    closed({
      code: Type.Union([
        Type.Literal('exchanges_most', { description: 'One exchange removes more than half of the culture' }),
        Type.Literal('washes_out', { description: 'The dilution rate is above the growth rate' }),
      ]),
      message: Type.String(),
      value: Type.Number({ description: 'The exchanged share of the culture; the dilution rate, per hour' }),
      limit: Type.Number({ description: 'Above it a person must confirm the value' }),
    }),
  ],
  { title: 'JobWarning' },
);
export type JobWarning = Static<typeof JobWarning>;

const warnings = { warnings: Type.Optional(Type.Array(JobWarning, { description: 'Absent: there are none' })) };

/** Which of the units that `$broadcast` addresses. */
export const ChosenUnits = Type.Object({
  units: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: textLimit,
      description:
        'With `$broadcast`: only these units, separated by commas; each must be one that the request may address',
    }),
  ),
});
export type ChosenUnits = Static<typeof ChosenUnits>;

/** How to start a job. Unknown keys are ignored. */
export const RunJob = Type.Object(
  {
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          '`-` and `_` in names are equal; null switches a flag on; a list only where several values are taken',
      }),
    ),
    args: Type.Optional(Type.Array(Type.String({ maxLength: textLimit }))),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: textLimit }), {
        description: 'Read: EXPERIMENT, JOB_SOURCE, ACTIVE, MODEL_NAME, MODEL_VERSION. The rest is ignored',
      }),
    ),
    config_overrides: Type.Optional(
      Type.Array(Type.Array(Type.String({ maxLength: textLimit }), { minItems: 3, maxItems: 3 }), {
        description: '[section, key, value], for this run only; later ones win',
      }),
    ),
    /** The node ends the job at this time by itself; the setting `$ends_at` changes it later. */
    ends_at: Type.Optional(Timestamp),
    ...confirmation,
  },
  { title: 'RunJob' },
);
export type RunJob = Static<typeof RunJob>;

/** Which jobs to stop: all given filters must hold. Null, 0 and the empty text filter nothing. */
export const StopJobs = closed(
  {
    job_name: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    experiment: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    job_source: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    job_id: Type.Optional(Nullable(Type.Integer())),
    stop_group: Type.Optional(
      Nullable(
        Type.Literal('pumps', { description: 'Jobs that run pumps: dosing automations, single doses, calibrations' }),
      ),
    ),
  },
  { title: 'StopJobs' },
);
export type StopJobs = Static<typeof StopJobs>;

/** What stops on all units at once. */
export const StopEverywhere = closed(
  {
    what: Type.Union([Type.Literal('pumps'), Type.Literal('everything')], {
      description:
        '`pumps`: all jobs that run pumps; `everything`: all jobs except those that serve the node itself, and the running profiles, which would start jobs again',
    }),
  },
  { title: 'StopEverywhere' },
);
export type StopEverywhere = Static<typeof StopEverywhere>;

/** Effective, but not on disk: the disk is full, or another process has locked the database. */
const NotRecorded = Type.Literal(false, {
  description:
    'The change is effective and not stored yet: the disk is full or locked. The node retries until it is stored.',
});

/** Result of a task that stops jobs; the task fails when something survives. */
export const StoppedJobs = closed(
  {
    stopped: Type.Array(closed({ job_name: Type.String(), job_id: Type.Integer() })),
    still_running: Type.Array(closed({ job_name: Type.String(), job_id: Type.Integer() })),
    recorded: Type.Optional(NotRecorded),
  },
  { title: 'StoppedJobs' },
);
export type StoppedJobs = Static<typeof StoppedJobs>;

/** Result of a task that starts a job. */
export const StartedJob = closed(
  { ok: Type.Literal(true), job_id: Type.Integer(), state: JobStateName, ...warnings },
  { title: 'StartedJob' },
);
export type StartedJob = Static<typeof StartedJob>;

/** What a start or a change would do; nothing is done. */
export const CheckedJobRequest = closed({ job_name: Type.String(), ...warnings }, { title: 'CheckedJobRequest' });
export type CheckedJobRequest = Static<typeof CheckedJobRequest>;

const identity = {
  job_id: Type.Integer({ minimum: 1 }),
  job_name: Type.String(),
  experiment: Type.String(),
  job_source: Type.String({
    description:
      'Who started it: `user`, `mcp`, `experiment_profile/<job_id>`, `resume`, `node` (with the unit), `demo`',
  }),
  started_by: Type.Optional(
    Type.String({ description: 'Person or program that started it; absent: a node, or nobody has an account' }),
  ),
  unit: Type.String({ description: 'As `reactor_unit`' }),
  reactor_unit: Type.String(),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
};

/** A job that runs. */
export const RunningJob = closed(
  {
    ...identity,
    is_running: Flag,
    leader: Type.String(),
    pid: Type.Integer({ description: 'The process of the node: jobs live inside it' }),
    is_long_running_job: Flag,
    state: JobStateName,
    since: Timestamp,
    reason: Nullable(Type.String({ description: 'Why it is in this state, if there is a reason' })),
    ends_at: Type.Optional(Timestamp),
  },
  { title: 'RunningJob' },
);
export type RunningJob = Static<typeof RunningJob>;

/** A job of the past or the present. */
export const JobHistoryEntry = closed(identity, { title: 'JobHistoryEntry' });
export type JobHistoryEntry = Static<typeof JobHistoryEntry>;

/** A published value as lists show it: booleans as 0 and 1, anything structured as JSON text. */
export const PublishedValue = Type.Union([Type.Number(), Type.String()]);
export type PublishedValue = Static<typeof PublishedValue>;

export const JobSettings = closed(
  {
    settings: Type.Record(Type.String(), PublishedValue),
    job_id: Type.Integer({ minimum: 1, description: 'The newest running job of the name' }),
  },
  { title: 'JobSettings', description: 'What a running job publishes, `$state` included' },
);

export const JobSetting = Type.Record(Type.String(), PublishedValue, { title: 'JobSetting' });

/** A requested value. */
const wantedValue = Type.Union([Type.Number(), Type.String({ maxLength: textLimit }), Type.Boolean(), Type.Null()]);

const settingName = '^\\$?[A-Za-z][A-Za-z0-9_]*$';

/** New values for settings of a running job: all of them are applied, or none. */
export const UpdateJobSettings = closed(
  {
    settings: Type.Record(Type.String({ pattern: settingName }), wantedValue, {
      minProperties: 1,
      additionalProperties: false,
    }),
    experiment: Type.Optional(
      Type.String({ maxLength: textLimit, description: 'Only when the job runs in this experiment' }),
    ),
    ...confirmation,
  },
  { title: 'UpdateJobSettings' },
);
export type UpdateJobSettings = Static<typeof UpdateJobSettings>;

/** New values for settings of a running job on units, through the leader; without values nothing changes. */
export const UpdateRunningJob = closed(
  {
    settings: Type.Record(Type.String({ pattern: settingName }), wantedValue, { additionalProperties: false }),
    ...confirmation,
  },
  { title: 'UpdateRunningJob' },
);
export type UpdateRunningJob = Static<typeof UpdateRunningJob>;

/** The effective values after an update: clamped ones differ from the requested ones. */
export const UpdatedJobSettings = closed(
  {
    status: Type.Literal('accepted'),
    settings: Type.Record(Type.String(), PublishedValue),
    recorded: Type.Optional(NotRecorded),
    ...warnings,
  },
  { title: 'UpdatedJobSettings' },
);
