import type { Migration } from '@lcs/platform';

export interface CalibrationTables {
  active_artefacts: {
    kind: 'calibrations' | 'estimators';
    device: string;
    name: string;
  };
  calibration_sessions: {
    session_id: string;
    device: string;
    status: string;
    /** Milliseconds since 1970. */
    updated_at: number;
    /** JSON of the session, its data among it. */
    session: string;
  };
}

export const calibrationMigrations: readonly Migration[] = [
  {
    set: 'calibrations',
    id: 1,
    name: 'active calibrations and estimators, calibration sessions',
    up: `
      create table active_artefacts (
        kind text not null,
        device text not null,
        name text not null,
        primary key (kind, device)
      ) strict, without rowid;

      create table calibration_sessions (
        session_id text primary key,
        device text not null,
        status text not null,
        updated_at integer not null,
        session text not null
      ) strict, without rowid;
    `,
  },
];
