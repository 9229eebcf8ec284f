/** A time in milliseconds since 1970 UTC. */
type Moment = number;

/** Machines that have enrolled, with their addresses; at most one per name and one name per machine. */
interface EnrolmentsTable {
  reactor_unit: string;
  machine_id: string;
  base_url: string;
  epoch: string;
  boot: number;
  protocol: number;
  app_version: string;
  /** The model that the machine was set up with. */
  model_name: string | null;
  model_version: string | null;
  enrolled_at: Moment;
  /** When it last enrolled. */
  renewed_at: Moment;
}

/** Machines whose name was given to another one. */
interface ReplacedMachinesTable {
  machine_id: string;
  reactor_unit: string;
  replaced_at: Moment;
}

/** The required state of each unit, and its reported state. Kept for released units, too, because their numbering continues. */
interface DesiredTable {
  reactor_unit: string;
  version: number;
  /** JSON of the document without `version` and `leader_time`. */
  document: string;
  /** JSON of the unit's last report. */
  reported: string | null;
  reported_at: Moment | null;
}

export interface UnitTables {
  enrolments: EnrolmentsTable;
  replaced_machines: ReplacedMachinesTable;
  desired: DesiredTable;
}

/** The leader's registry of units. A separate set of migrations, numbered apart from the rest of the store. */
export const unitsMigration = {
  set: 'units',
  id: 1,
  name: 'enrolments, desired documents',
  up: `
    create table enrolments (
      reactor_unit text primary key,
      machine_id text not null unique,
      base_url text not null,
      epoch text not null,
      boot integer not null,
      protocol integer not null,
      app_version text not null,
      model_name text,
      model_version text,
      enrolled_at integer not null,
      renewed_at integer not null
    ) strict, without rowid;

    create table replaced_machines (
      machine_id text primary key,
      reactor_unit text not null,
      replaced_at integer not null
    ) strict, without rowid;

    create table desired (
      reactor_unit text primary key,
      version integer not null check (version >= 1),
      document text not null,
      reported text,
      reported_at integer
    ) strict, without rowid;
  `,
} as const;
