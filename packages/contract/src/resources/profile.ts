import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';
import { PublishedValue } from './job.ts';
import { ProfileItemKey, ProfileRunChanges } from './profile-controls.ts';
import { profileJobName } from './profile-job.ts';
import { PreflightReport } from './profile-preflight.ts';

/** True, false, or an expression. */
const Condition = Type.Union([Type.Boolean(), Type.String()]);

const Time = Nullable(
  Type.Union([Type.Number(), Type.String()], {
    description: 'A number of hours, or a number with its unit: `10s`, `15m`, `1.5h`, `2d`',
  }),
);

const Values = Type.Record(Type.String(), Type.Unknown());

const moment = { hours_elapsed: Nullable(Type.Number()), t: Time, if: Condition };

const nested = Type.Array(Type.Unknown(), { description: 'Actions of the same shapes' });

/** One action of a profile; every field is there, with its default. */
export const ProfileAction = Type.Union(
  [
    closed({
      type: Type.Literal('log'),
      ...moment,
      options: closed({
        message: Type.String(),
        level: Type.String({ description: 'DEBUG, INFO, NOTICE, WARNING or ERROR, in upper or lower case' }),
      }),
    }),
    closed({
      type: Type.Literal('start'),
      ...moment,
      options: Values,
      args: Type.Array(Type.String()),
      config_overrides: Values,
    }),
    closed({ type: Type.Literal('update'), ...moment, options: Values }),
    closed({ type: Type.Union([Type.Literal('pause'), Type.Literal('resume'), Type.Literal('stop')]), ...moment }),
    closed({
      type: Type.Literal('repeat'),
      ...moment,
      repeat_every_hours: Nullable(Type.Number()),
      every: Time,
      while: Condition,
      max_hours: Nullable(Type.Number()),
      max_time: Time,
      actions: nested,
    }),
    closed({
      type: Type.Literal('when'),
      ...moment,
      condition: Nullable(Condition),
      wait_until: Nullable(Condition),
      actions: nested,
    }),
  ],
  { title: 'ProfileAction' },
);

const jobs = Type.Record(
  Type.String(),
  closed({ actions: Type.Array(ProfileAction), description: Nullable(Type.String()) }),
  { description: 'By job name' },
);

/** A parsed profile. */
export const ExperimentProfile = closed(
  {
    version: Type.String(),
    experiment_profile_name: Type.String(),
    metadata: closed({ author: Nullable(Type.String()), description: Nullable(Type.String()) }),
    plugins: Type.Array(closed({ name: Type.String(), version: Type.String() })),
    common: closed({ jobs }),
    reactors: Type.Record(Type.String(), closed({ label: Nullable(Type.String()), jobs }), {
      description: 'By unit name',
    }),
    inputs: Values,
    late_actions: Type.Optional(
      Type.Union([Type.Literal('run'), Type.Literal('skip'), Type.Literal('ask')], {
        description:
          'What becomes of actions that were missed while the leader was off. Absent when the file does not state it',
      }),
    ),
  },
  { title: 'ExperimentProfile' },
);
export type ExperimentProfile = Static<typeof ExperimentProfile>;

/** A file of the folder of profiles. */
export const ExperimentProfileEntry = closed(
  {
    experimentProfile: ExperimentProfile,
    file: Type.String(),
    fullpath: Type.String({ description: 'Path on the leader; accepted by the start of a run' }),
    parse_error: Type.Optional(
      Type.String({ description: 'Why the file cannot be used; `experimentProfile` is then a placeholder' }),
    ),
  },
  { title: 'ExperimentProfileEntry' },
);
export type ExperimentProfileEntry = Static<typeof ExperimentProfileEntry>;

/** A profile of the library. */
export const LibraryProfile = closed(
  {
    filename: Type.String({ description: 'A name for the copy' }),
    experiment_profile_name: Type.String(),
    description: Type.String({ description: 'What it does, in one sentence' }),
    text: Type.String({
      description: 'The whole file as YAML; it begins with what to adapt and what the profile needs',
    }),
  },
  { title: 'LibraryProfile' },
);
export type LibraryProfile = Static<typeof LibraryProfile>;

/** A finding in the text of a profile. */
export const ProfileDiagnostic = closed(
  {
    severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    code: Type.String({ description: 'A stable word, such as `time.invalid`' }),
    message: Type.String(),
    path: Type.String({ description: 'Like `common.jobs.stirring.actions[1].t`; empty: the whole file' }),
    hint: Type.Optional(Type.String()),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
  },
  { title: 'ProfileDiagnostic' },
);
export type ProfileDiagnostic = Static<typeof ProfileDiagnostic>;

const yaml = Type.String({ description: 'The whole file as YAML, at most 262,144 characters' });

export const NewExperimentProfile = closed(
  {
    filename: Type.String({
      maxLength: textLimit,
      description: 'Ends in `.yaml` or `.yml`; of a path only the last part counts',
    }),
    body: yaml,
  },
  { title: 'NewExperimentProfile' },
);

export const ExperimentProfileText = closed({ body: yaml }, { title: 'ExperimentProfileText' });

export const ProfileSaved = closed(
  {
    status: Type.Literal('success'),
    diagnostics: Type.Optional(Type.Array(ProfileDiagnostic, { description: 'Warnings; absent when there are none' })),
  },
  { title: 'ProfileSaved' },
);

export const ProfileChecked = closed(
  {
    valid: Type.Boolean({ description: 'Whether it could be saved' }),
    runnable: Type.Boolean({ description: 'Whether this version supports all of it, too' }),
    diagnostics: Type.Array(ProfileDiagnostic, { description: 'In the order of the text' }),
    not_runnable_because: Type.Array(Type.String(), { description: 'The parts that this version does not support' }),
  },
  { title: 'ProfileChecked' },
);
export type ProfileChecked = Static<typeof ProfileChecked>;

/** A run of a profile, past or present. */
const profileRun = {
  run_id: Type.String({ description: 'Identifies the run for ever' }),
  started_at: Timestamp,
  experiment_profile_name: Type.String(),
  experiment: Type.String(),
  profile_filename: Type.String(),
  dry_run: Type.Boolean({ description: 'Nothing was started, stopped or changed' }),
  ended_at: Nullable(Timestamp),
  outcome: Nullable(
    Type.Union([Type.Literal('finished'), Type.Literal('stopped'), Type.Literal('failed')], {
      description: 'Null while it runs',
    }),
  ),
  started_by: Nullable(Type.String({ description: 'Person or program that began it; null: nobody had an account' })),
  failed_actions: Type.Integer({
    minimum: 0,
    description: 'Actions that failed so far; the run continues after each, so that a finished run may have failures',
  }),
};
export const ProfileRun = closed(profileRun, { title: 'ProfileRun' });
export type ProfileRun = Static<typeof ProfileRun>;

/** What identifies an action, loop or wait of a run. */
const profileItem = {
  reactor_unit: Type.String(),
  job_name: Type.String(),
  path: Type.String({ description: 'In the profile, like `common.jobs.stirring.actions[0]`' }),
  iteration: Type.Integer({ minimum: 0, description: 'Of the loop that it is, or that encloses it' }),
  action: Type.String({ description: 'start, update, pause, resume, stop, log, repeat or when' }),
  /** Null: the run is paused. */
  planned_at: Nullable(Timestamp),
};

/** The missed action about which the run asks; it is paused until it is resumed, or the action is skipped. */
const asksAbout = Nullable(ProfileItemKey);

const isEvaluated = Type.Optional(
  Type.Literal(true, {
    description:
      'A wait whose time has come: its condition is evaluated, and a skip to it ends it. Absent: a skip moves the run to it',
  }),
);

/** A run of a profile with its text and with what is next. */
export const ProfileRunDetails = closed(
  {
    ...profileRun,
    profile_text: Type.String({ description: 'As it was at the start of the run' }),
    common_units: Type.Array(Type.String(), { description: 'Units of the common jobs' }),
    own_units: Type.Array(Type.String(), { description: 'Units with jobs of their own' }),
    is_paused: Type.Boolean(),
    /** Null: the run began before there was a check. */
    preflight: Nullable(PreflightReport),
    changes: Type.Optional(ProfileRunChanges),
    asks_about: asksAbout,
    waiting: Type.Array(closed({ ...profileItem, is_evaluated: isEvaluated }), {
      description:
        'The next actions, by time, or those of them that the query asks for; a wait is evaluated at this time. Empty: the run has ended',
    }),
    waiting_count: Type.Integer({ minimum: 0, description: 'All that wait, those that the query leaves out, too' }),
  },
  { title: 'ProfileRunDetails' },
);
export type ProfileRunDetails = Static<typeof ProfileRunDetails>;

/** Which waiting actions of a run are read: a run may have tens of thousands of them. */
export const WaitingQuery = Type.Object({
  waiting_per_unit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'The first so many of each unit; absent: all' }),
  ),
  waiting_limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'The first so many of these; absent: all' }),
  ),
});
export type WaitingQuery = Static<typeof WaitingQuery>;

/** What became of an action, loop or wait of a run. */
export const ProfileRunAction = closed(
  {
    ...profileItem,
    planned_at: Timestamp,
    settled_at: Timestamp,
    outcome: Type.String({
      description:
        'done, failed, skipped, missed; of a loop also entered, ended (its condition no longer holds); of a wait held',
    }),
    reason: Nullable(Type.String()),
  },
  { title: 'ProfileRunAction' },
);
export type ProfileRunAction = Static<typeof ProfileRunAction>;

/** A profile that is being carried out. */
export const RunningProfile = closed(
  {
    job_name: Type.Literal(profileJobName),
    experiment: Type.String(),
    job_id: Type.Integer(),
    run_id: Nullable(Type.String({ description: 'Null: it begins' })),
    dry_run: Type.Boolean(),
    asks_about: asksAbout,
    failed_actions: Type.Integer({ minimum: 0, description: 'Actions that failed so far' }),
    settings: Type.Record(Type.String(), PublishedValue, {
      description: '`$state`, `experiment_profile_name`, `start_time_utc`, `profile_filename`, `action_count`',
    }),
  },
  { title: 'RunningProfile' },
);
export type RunningProfile = Static<typeof RunningProfile>;
