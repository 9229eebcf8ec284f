import type { Generated } from 'kysely';

/** A time in milliseconds since 1970 UTC. */
type Moment = number;

/** `machine_id`, `boot` and `mono` identify a record of a unit for ever, in any numbering. */
interface RecordIdentity {
  machine_id: string;
  boot: number;
  mono: number;
}

interface EventsTable extends RecordIdentity {
  id: Generated<number>;
  experiment_uid: string;
  reactor_unit: string;
  at: Moment;
  name: string;
  source: string | null;
  message: string | null;
  /** JSON object. */
  data: string;
  /** Bits of `sampleFlags`. */
  flags: Generated<number>;
}

/** Missing records of a unit, with the reason. */
interface GapsTable {
  id: Generated<number>;
  reactor_unit: string;
  epoch: string;
  from_seq: number;
  to_seq: number;
  /** Null where the time of the missing records is unknown. */
  from_at: Moment | null;
  to_at: Moment | null;
  /** JSON: the number of each kind. */
  dropped: string;
  /** A reason of the unit, or `unexplained`. */
  reason: string;
  /** Null for gaps that the leader has detected itself. */
  machine_id: string | null;
  boot: number | null;
  mono: number | null;
}

/** Missing numbers that a gap record may still explain: until the mark passes `head_seq`. */
interface FeedHolesTable {
  reactor_unit: string;
  epoch: string;
  from_seq: number;
  to_seq: number;
  head_seq: number;
  /** The time of the record after the hole. */
  to_at: Moment;
}

/** The newest value of each setting, `$state` included. */
interface LastKnownTable extends RecordIdentity {
  reactor_unit: string;
  experiment_uid: string;
  job_name: string;
  setting: string;
  job_id: number;
  /** JSON; null when it was cleared. */
  value: string;
  at: Moment;
}

/** Kept for ever, so that late records do not count as those of an unknown experiment. */
interface DeletedExperimentsTable {
  uid: string;
  name: string;
  deleted_at: Moment;
  /** Records that arrived after the deletion. */
  dropped: Generated<number>;
}

/** Experiments that units use and this leader does not know. */
interface UnknownExperimentsTable {
  uid: string;
  reactor_unit: string;
  seen_at: Moment;
}

export interface FeedTables {
  events: EventsTable;
  gaps: GapsTable;
  feed_holes: FeedHolesTable;
  last_known: LastKnownTable;
  deleted_experiments: DeletedExperimentsTable;
  unknown_experiments: UnknownExperimentsTable;
}

/** The records of units besides readings. */
export const feedMigration = {
  set: 'leader',
  id: 3,
  name: 'events, gaps, last known values',
  up: `
    create table events (
      id integer primary key autoincrement,
      experiment_uid text not null,
      reactor_unit text not null,
      at integer not null,
      name text not null,
      source text,
      message text,
      data text not null,
      machine_id text not null,
      boot integer not null,
      mono integer not null,
      flags integer not null default 0
    ) strict;
    create unique index events_by_record on events (machine_id, boot, mono);
    create index events_by_experiment on events (experiment_uid, name, reactor_unit, at);

    create table gaps (
      id integer primary key autoincrement,
      reactor_unit text not null,
      epoch text not null,
      from_seq integer not null,
      to_seq integer not null,
      from_at integer,
      to_at integer,
      dropped text not null,
      reason text not null,
      machine_id text,
      boot integer,
      mono integer
    ) strict;
    create unique index gaps_by_record on gaps (machine_id, boot, mono) where machine_id is not null;
    create unique index gaps_by_range on gaps (reactor_unit, epoch, from_seq, to_seq, reason) where machine_id is null;
    create index gaps_by_unit on gaps (reactor_unit, to_at);

    create table feed_holes (
      reactor_unit text not null,
      epoch text not null,
      from_seq integer not null,
      to_seq integer not null,
      head_seq integer not null,
      to_at integer not null,
      primary key (reactor_unit, epoch, from_seq)
    ) strict, without rowid;

    create table last_known (
      reactor_unit text not null,
      experiment_uid text not null,
      job_name text not null,
      setting text not null,
      job_id integer not null,
      value text not null,
      at integer not null,
      machine_id text not null,
      boot integer not null,
      mono integer not null,
      primary key (reactor_unit, experiment_uid, job_name, setting)
    ) strict, without rowid;
    create index last_known_by_experiment on last_known (experiment_uid);

    create table deleted_experiments (
      uid text primary key,
      name text not null,
      deleted_at integer not null,
      dropped integer not null default 0
    ) strict, without rowid;

    create table unknown_experiments (
      uid text primary key,
      reactor_unit text not null,
      seen_at integer not null
    ) strict, without rowid;

    alter table logs add column machine_id text;
    alter table logs add column boot integer;
    alter table logs add column mono integer;
    create unique index logs_by_record on logs (machine_id, boot, mono) where machine_id is not null;

    alter table feed_marks add column generation integer not null default 0;
  `,
} as const;
