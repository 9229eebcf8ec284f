import { join } from 'node:path';
import { accessMigration, mosquittoHashMigration } from './access-migration.ts';
import { actuationsMigration } from './actuations-migration.ts';
import { alarmsMigration, signalEventsMigration } from './alarms-migration.ts';
import { archiveMigration } from './archive-migration.ts';
import { auditMigration, auditMoveMigration } from './audit-migration.ts';
import { backupsMigration } from './backups-migration.ts';
import { calibrationAgesMigration, calibrationsMigration } from './calibrations-migration.ts';
import { camerasMigration } from './cameras-migration.ts';
import { clockCorrectionsMigration } from './clock-corrections-migration.ts';
import { derivationsMigration, seriesPartsMigration } from './derivations-migration.ts';
import { experimentAccessMigration } from './experiment-access-migration.ts';
import { experimentLifeMigration, noteVersionsMigration } from './experiment-life-migration.ts';
import { feedMigration } from './feed-migration.ts';
import { importsMigration } from './imports-migration.ts';
import {
  logSearchMigration,
  movedEntriesSearchMigration,
  searchRowIndexMigration,
  sharedSearchRowMigration,
} from './log-search-migration.ts';
import { machinesMigration } from './machines-migration.ts';
import { notePhotosMigration } from './note-photos-migration.ts';
import { oidcMigration, oidcRoleMigration } from './oidc-migration.ts';
import { partitionsMigration } from './partitions-migration.ts';
import { passkeysMigration } from './passkeys-migration.ts';
import {
  profileAccountsMigration,
  profileControlsMigration,
  profileItemsMigration,
  profileItemTimesMigration,
  profilePreflightMigration,
  profilesMigration,
} from './profiles-migration.ts';
import { readingFlagsMigration } from './reading-flags-migration.ts';
import { tabletsMigration } from './tablets-migration.ts';
import { unitsMigration } from './units-migration.ts';
import { conversionsViewMigration, dosingCorrectionsMigration, viewsMigration } from './views-migration.ts';

/** The leader's tables, step by step. A step that has been released is never edited: a new one is added. */
export const leaderMigrations = [
  {
    set: 'leader',
    id: 1,
    name: 'experiments, inventory, logs, configuration history',
    up: `
      create table experiments (
        id integer primary key autoincrement,
        uid text not null unique,
        name text not null,
        created_at integer not null,
        description text,
        deleting_at integer
      ) strict;
      create unique index experiments_by_name on experiments (name) where deleting_at is null;
      create index experiments_by_creation on experiments (created_at desc, id desc) where deleting_at is null;

      create table experiment_tags (
        experiment_id integer not null references experiments (id) on delete cascade,
        position integer not null,
        tag text not null,
        primary key (experiment_id, position)
      ) strict, without rowid;

      create table workers (
        reactor_unit text primary key,
        added_at integer not null,
        is_active integer not null default 1 check (is_active in (0, 1)),
        model_name text,
        model_version text
      ) strict, without rowid;

      create table assignments (
        reactor_unit text primary key references workers (reactor_unit) on delete restrict,
        experiment_id integer not null references experiments (id) on delete restrict,
        assigned_at integer not null
      ) strict, without rowid;
      create index assignments_by_experiment on assignments (experiment_id);

      create table assignment_history (
        id integer primary key autoincrement,
        reactor_unit text not null,
        experiment_id integer not null,
        experiment text not null,
        assigned_at integer not null,
        unassigned_at integer
      ) strict;
      create index assignment_history_by_experiment on assignment_history (experiment_id, reactor_unit);
      create index assignment_history_by_name on assignment_history (experiment, reactor_unit);
      create unique index assignment_history_open on assignment_history (reactor_unit) where unassigned_at is null;

      create table unit_labels (
        experiment_id integer not null references experiments (id) on delete cascade,
        reactor_unit text not null,
        label text not null,
        created_at integer not null,
        primary key (experiment_id, reactor_unit),
        unique (experiment_id, label)
      ) strict, without rowid;

      create table chart_preferences (
        experiment_id integer primary key references experiments (id) on delete cascade,
        overview_chart_keys text,
        reactor_chart_keys text,
        updated_at integer not null
      ) strict;

      create table logs (
        id integer primary key autoincrement,
        experiment_id integer,
        experiment text not null,
        reactor_unit text not null,
        at integer not null,
        level text not null,
        message text not null,
        source text not null,
        task text not null
      ) strict;
      create index logs_by_experiment on logs (experiment_id, at desc, id desc);
      create index logs_by_unit on logs (reactor_unit, at desc, id desc);
      create index logs_by_time on logs (at desc, id desc);

      create table config_histories (
        id integer primary key autoincrement,
        at integer not null,
        filename text not null,
        data text not null
      ) strict;
      create index config_histories_by_file on config_histories (filename, at desc, id desc);
    `,
  },
  {
    set: 'leader',
    id: 2,
    name: 'time series',
    up: `
      create table derivations (
        id integer primary key,
        key text not null unique,
        name text not null,
        version text not null,
        parameters text not null,
        created_at integer not null,
        active integer not null default 1 check (active in (0, 1))
      ) strict;

      create table series (
        id integer primary key,
        experiment_uid text not null,
        unit text not null,
        source text not null,
        channel text,
        angle integer,
        derivation_id integer references derivations (id)
      ) strict;
      create unique index series_by_meaning
        on series (experiment_uid, source, unit, ifnull(channel, ''), ifnull(angle, 0), ifnull(derivation_id, 0));

      create table samples (
        series_id integer not null,
        at integer not null,
        value real not null,
        primary key (series_id, at)
      ) strict, without rowid;

      create table sample_flags (
        series_id integer not null,
        at integer not null,
        flags integer not null check (flags >= 1),
        moved_from integer,
        primary key (series_id, at)
      ) strict, without rowid;

      create table series_context (
        series_id integer not null,
        since integer not null,
        calibration_name text,
        calibration_hash text,
        angle integer,
        ir_led_intensity real,
        primary key (series_id, since)
      ) strict, without rowid;

      create table rollup_1m (
        series_id integer not null,
        bucket integer not null,
        n integer not null,
        sum real not null,
        min real not null,
        at_min integer not null,
        max real not null,
        at_max integer not null,
        first_at integer not null,
        first real not null,
        last_at integer not null,
        last real not null,
        primary key (series_id, bucket)
      ) strict, without rowid;

      create table rollup_10m (
        series_id integer not null,
        bucket integer not null,
        n integer not null,
        sum real not null,
        min real not null,
        at_min integer not null,
        max real not null,
        at_max integer not null,
        first_at integer not null,
        first real not null,
        last_at integer not null,
        last real not null,
        primary key (series_id, bucket)
      ) strict, without rowid;

      create table rollup_1h (
        series_id integer not null,
        bucket integer not null,
        n integer not null,
        sum real not null,
        min real not null,
        at_min integer not null,
        max real not null,
        at_max integer not null,
        first_at integer not null,
        first real not null,
        last_at integer not null,
        last real not null,
        primary key (series_id, bucket)
      ) strict, without rowid;

      create table feed_marks (
        reactor_unit text not null,
        epoch text not null,
        seq integer not null,
        updated_at integer not null,
        primary key (reactor_unit, epoch)
      ) strict, without rowid;
    `,
  },
  feedMigration,
  viewsMigration,
  unitsMigration,
  logSearchMigration,
  sharedSearchRowMigration,
  searchRowIndexMigration,
  experimentLifeMigration,
  profilesMigration,
  profileAccountsMigration,
  profileItemsMigration,
  profileControlsMigration,
  profilePreflightMigration,
  profileItemTimesMigration,
  calibrationsMigration,
  camerasMigration,
  alarmsMigration,
  derivationsMigration,
  actuationsMigration,
  signalEventsMigration,
  calibrationAgesMigration,
  backupsMigration,
  seriesPartsMigration,
  readingFlagsMigration,
  movedEntriesSearchMigration,
  clockCorrectionsMigration,
  accessMigration,
  auditMigration,
  machinesMigration,
  auditMoveMigration,
  experimentAccessMigration,
  passkeysMigration,
  mosquittoHashMigration,
  tabletsMigration,
  oidcMigration,
  oidcRoleMigration,
  dosingCorrectionsMigration,
  conversionsViewMigration,
  notePhotosMigration,
  importsMigration,
  partitionsMigration,
  archiveMigration,
  noteVersionsMigration,
] as const;

/** The leader's database, below its data folder. */
export const leaderDatabaseFile = join('storage', 'leader.sqlite');
