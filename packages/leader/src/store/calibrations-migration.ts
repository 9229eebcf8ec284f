import type { Generated } from 'kysely';

/** A time in milliseconds since 1970 UTC. */
type Moment = number;

export interface CalibrationTables {
  /** Copies of the calibrations of units, so that they survive the loss of a unit. */
  calibrations: {
    reactor_unit: string;
    device: string;
    name: string;
    /** Kind of the calibration. */
    type: string;
    created_at: Moment;
    /** JSON, which a unit accepts as YAML. */
    data: string;
    is_current: Generated<number>;
    /** When this leader first found it active. */
    set_to_current_at: Moment | null;
    /** When the unit last reported it; null in older rows. */
    copied_at: Moment | null;
  };
  /** Units whose calibrations have changed since they were copied. */
  calibrations_due: { reactor_unit: string; since: Moment };
}

/** The copies of units' calibrations. */
export const calibrationsMigration = {
  set: 'calibration_copies',
  id: 1,
  name: 'copies of the calibrations of units',
  up: `
    create table calibrations (
      reactor_unit text not null,
      device text not null,
      name text not null,
      type text not null,
      created_at integer not null,
      data text not null,
      is_current integer not null default 0 check (is_current in (0, 1)),
      set_to_current_at integer,
      primary key (reactor_unit, device, name)
    ) strict, without rowid;

    create table calibrations_due (
      reactor_unit text primary key,
      since integer not null
    ) strict, without rowid;
  `,
} as const;

/** The age of a copy. */
export const calibrationAgesMigration = {
  set: 'calibration_copies',
  id: 2,
  name: 'when calibrations were copied',
  up: 'alter table calibrations add column copied_at integer;',
} as const;
