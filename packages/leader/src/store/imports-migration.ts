/** A time in milliseconds since 1970 UTC. */
type Moment = number;

export interface ImportTables {
  /** Experiments that came from another system. */
  imported_experiments: {
    experiment_id: number;
    /** SHA-256 of its name and creation there. */
    identity: string;
    imported_at: Moment;
  };
  /** Up to which row of a table of readings an experiment is stored; moved in the transaction of the readings. */
  import_marks: {
    experiment_id: number;
    table_name: string;
    row_id: number;
    row_count: number;
  };
}

/** Imports can be repeated and continued. The rows go with their experiment, so that it can be imported again. */
export const importsMigration = {
  set: 'imports',
  id: 1,
  name: 'experiments from other systems',
  up: `
    create table imported_experiments (
      experiment_id integer primary key references experiments (id) on delete cascade,
      identity text not null unique,
      imported_at integer not null
    ) strict;

    create table import_marks (
      experiment_id integer not null references experiments (id) on delete cascade,
      table_name text not null,
      row_id integer not null,
      row_count integer not null,
      primary key (experiment_id, table_name)
    ) strict, without rowid;
  `,
} as const;
