import type { Generated } from 'kysely';
import type { AlarmTables } from './alarms-migration.ts';
import type { ArchiveTables } from './archive-migration.ts';
import type { BackupTables } from './backups-migration.ts';
import type { CalibrationTables } from './calibrations-migration.ts';
import type { CameraTables } from './cameras-migration.ts';
import type { ClockCorrectionTables } from './clock-corrections-migration.ts';
import type { ExperimentAccessTables } from './experiment-access-migration.ts';
import type { ExperimentLifeTables } from './experiment-life-migration.ts';
import type { FeedTables } from './feed-migration.ts';
import type { ImportTables } from './imports-migration.ts';
import type { LogSearchTables } from './log-search-migration.ts';
import type { MachineTables } from './machines-migration.ts';
import type { NotePhotosTables } from './note-photos-migration.ts';
import type { OidcAccountsTable } from './oidc-migration.ts';
import type { ProfileTables } from './profiles-migration.ts';
import type { UnitTables } from './units-migration.ts';

/** Times are integer milliseconds since 1970 UTC; the border converts them to ISO-8601 text. */
type Moment = number;

interface ExperimentsTable {
  /** Grows with each creation: the latest experiment has the highest. */
  id: Generated<number>;
  /** Identity, also when the name is reused. */
  uid: string;
  name: string;
  created_at: Moment;
  description: string | null;
  /** Set when deletion begins: from then on the experiment does not exist, and its rows are being removed. */
  deleting_at: Moment | null;
  ended_at: Generated<Moment | null>;
  archived_at: Generated<Moment | null>;
}

interface ExperimentTagsTable {
  experiment_id: number;
  position: number;
  tag: string;
}

interface WorkersTable {
  reactor_unit: string;
  added_at: Moment;
  is_active: number;
  model_name: string | null;
  model_version: string | null;
}

interface AssignmentsTable {
  reactor_unit: string;
  experiment_id: number;
  assigned_at: Moment;
}

/** Kept for ever, also after the end of experiment and worker: therefore the name beside the ID, and no foreign key. */
interface AssignmentHistoryTable {
  id: Generated<number>;
  reactor_unit: string;
  experiment_id: number;
  experiment: string;
  assigned_at: Moment;
  unassigned_at: Moment | null;
}

interface UnitLabelsTable {
  experiment_id: number;
  reactor_unit: string;
  label: string;
  created_at: Moment;
}

interface ChartPreferencesTable {
  experiment_id: number;
  /** JSON array of chart keys, or null for the configured default. */
  overview_chart_keys: string | null;
  reactor_chart_keys: string | null;
  updated_at: Moment;
}

interface LogsTable {
  id: Generated<number>;
  /** Null for entries of the cluster itself (`$experiment`). */
  experiment_id: number | null;
  experiment: string;
  reactor_unit: string;
  at: Moment;
  level: string;
  message: string;
  source: string;
  task: string;
  /** For entries of a unit: identifies the record, so that it is stored once. */
  machine_id: Generated<string | null>;
  boot: Generated<number | null>;
  mono: Generated<number | null>;
}

interface PeopleTable {
  id: string;
  name: string;
  display_name: string;
  role: string;
  password_hash: string;
  created_at: Moment;
  disabled_at: Moment | null;
  last_seen_at: Moment | null;
  pin_hash: string | null;
}

interface SessionsTable {
  id: string;
  person_id: string;
  secret_hash: string;
  created_at: Moment;
  last_seen_at: Moment;
  address: string;
  user_agent: string;
  /** Name of a shared tablet; null: the session of a person. */
  tablet: string | null;
}

interface PasskeysTable {
  id: string;
  person_id: string;
  credential_id: string;
  public_key: Uint8Array<ArrayBuffer>;
  counter: number;
  host: string;
  name: string;
  created_at: Moment;
  last_used_at: Moment | null;
}

/** Entries of earlier versions, until they are in the audit's own file; the table exists no longer than that. */
interface MovedAuditTable {
  seq: number;
  at: Moment;
  caller_kind: string;
  caller: string;
  caller_id: string;
  address: string;
  operation: string;
  method: string;
  path: string;
  /** JSON. */
  body: string | null;
  status: number;
  code: string | null;
  request_id: string;
  previous_hash: string;
  hash: string;
}

interface TokensTable {
  id: string;
  person_id: string;
  name: string;
  secret_hash: string;
  /** As Mosquitto writes it; null: of an earlier version. */
  mosquitto_hash: string | null;
  /** JSON array of names. */
  permissions: string;
  /** JSON array of names; null: no limit. */
  experiments: Generated<string | null>;
  units: Generated<string | null>;
  created_at: Moment;
  expires_at: Moment;
  last_used_at: Moment | null;
}

interface ConfigHistoriesTable {
  id: Generated<number>;
  at: Moment;
  filename: string;
  data: string;
  author: Generated<string | null>;
}

/** The computation of a derived series. Of several for one source, responses use the active one. */
interface DerivationsTable {
  id: Generated<number>;
  key: string;
  name: string;
  version: string;
  /** JSON. */
  parameters: string;
  created_at: Moment;
  active: Generated<number>;
}

/** One line of readings; never changed or used for another meaning. */
interface SeriesTable {
  id: Generated<number>;
  experiment_uid: string;
  unit: string;
  source: string;
  channel: string | null;
  angle: number | null;
  derivation_id: number | null;
  /** 1: another computation of the same source is active. */
  hidden: Generated<number>;
  /** 0: it is being written. Its own number: it is closed, and later values are another part. */
  part: Generated<number>;
}

interface SamplesTable {
  series_id: number;
  at: Moment;
  value: number;
  /** Of `boot_eras`; null for samples that no unit sent, and for those stored before there were eras. */
  era: Generated<number | null>;
}

/** Only of samples that have a flag. */
interface SampleFlagsTable {
  series_id: number;
  at: Moment;
  /** Bits, see `sampleFlags`. */
  flags: number;
  /** The sample's time if its millisecond had been free. */
  moved_from: Moment | null;
}

/** Effective from `since` to the next row of the series. */
interface SeriesContextTable {
  series_id: number;
  since: Moment;
  calibration_name: string | null;
  calibration_hash: string | null;
  angle: number | null;
  ir_led_intensity: number | null;
}

interface RollupTable {
  series_id: number;
  /** Its beginning, a multiple of the width. */
  bucket: Moment;
  n: number;
  sum: number;
  min: number;
  at_min: Moment;
  max: number;
  at_max: Moment;
  first_at: Moment;
  first: number;
  last_at: Moment;
  last: number;
}

/** The position up to which a unit's feed is stored; moved in the transaction of the rows. */
interface FeedMarksTable {
  reactor_unit: string;
  epoch: string;
  seq: number;
  updated_at: Moment;
  /** Grows with each new epoch of a unit. */
  generation: Generated<number>;
}

export interface LeaderTables
  extends AlarmTables,
    ArchiveTables,
    CalibrationTables,
    BackupTables,
    CameraTables,
    ClockCorrectionTables,
    ExperimentAccessTables,
    ExperimentLifeTables,
    NotePhotosTables,
    FeedTables,
    ImportTables,
    LogSearchTables,
    MachineTables,
    UnitTables,
    ProfileTables {
  experiments: ExperimentsTable;
  experiment_tags: ExperimentTagsTable;
  workers: WorkersTable;
  assignments: AssignmentsTable;
  assignment_history: AssignmentHistoryTable;
  unit_labels: UnitLabelsTable;
  chart_preferences: ChartPreferencesTable;
  logs: LogsTable;
  people: PeopleTable;
  sessions: SessionsTable;
  passkeys: PasskeysTable;
  oidc_accounts: OidcAccountsTable;
  tokens: TokensTable;
  moved_audit: MovedAuditTable;
  config_histories: ConfigHistoriesTable;
  derivations: DerivationsTable;
  series: SeriesTable;
  samples: SamplesTable;
  sample_flags: SampleFlagsTable;
  series_context: SeriesContextTable;
  rollup_1m: RollupTable;
  rollup_10m: RollupTable;
  rollup_1h: RollupTable;
  feed_marks: FeedMarksTable;
}
