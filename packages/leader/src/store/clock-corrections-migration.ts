import type { Generated } from 'kysely';

/** Milliseconds since 1970 UTC. */
type Moment = number;

/**
 * The part of a boot of a unit in which its records have times of one mapping from monotonic to wall time. A correction of the unit's clock
 * ends an era and moves its samples into the next one; the row of that era contains the offset and the progress.
 */
interface BootErasTable {
  id: Generated<number>;
  reactor_unit: string;
  machine_id: string;
  boot: number;
  /** Records with a smaller `mono` had a time that this era has corrected. 0: the boot's first era. */
  since_mono: number;
  /** The offset of the samples of the era before, in milliseconds. */
  offset_ms: Generated<number>;
  /** First and last time of its samples. */
  first_at: Generated<Moment | null>;
  last_at: Generated<Moment | null>;
  /** Number of moved samples, events and log entries of the eras before. */
  moved_samples: Generated<number>;
  moved_notes: Generated<number>;
  /** Null: samples of the era before remain to be moved. */
  moved_at: Moment | null;
}

export interface ClockCorrectionTables {
  boot_eras: BootErasTable;
}

export const clockCorrectionsMigration = {
  set: 'clock_corrections',
  id: 1,
  name: 'eras of the boots of units, corrections of their clocks',
  up: `
    create table boot_eras (
      id integer primary key,
      reactor_unit text not null,
      machine_id text not null,
      boot integer not null,
      since_mono integer not null,
      offset_ms integer not null default 0,
      first_at integer,
      last_at integer,
      moved_samples integer not null default 0,
      moved_notes integer not null default 0,
      moved_at integer
    ) strict;
    create unique index boot_eras_by_record on boot_eras (machine_id, boot, since_mono);
    create index boot_eras_to_move on boot_eras (id) where moved_at is null;

    alter table samples add column era integer;
  `,
} as const;
