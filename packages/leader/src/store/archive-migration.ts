/** A time in milliseconds since 1970 UTC. */
type Moment = number;

/**
 * `verified`: the file has everything, and its rows are being removed from the store. `sealed`: they are gone. `removing`: the file is not
 * used any more, and is being removed.
 */
export type SealedFileState = 'verified' | 'sealed' | 'removing';

export interface ArchiveTables {
  /** The readings of an experiment in a month, in a file. */
  sealed_files: {
    experiment_uid: string;
    /** Such as `2026-08`. */
    month: string;
    /** A folder, or `s3://bucket/prefix`. */
    place: string;
    /** Its name below the place. */
    file: string;
    bytes: number;
    sha256: string;
    row_count: number;
    first_at: Moment;
    last_at: Moment;
    state: SealedFileState;
    sealed_at: Moment;
  };
  /** What the file has of each series. */
  sealed_series: {
    series_id: number;
    /** The beginning of the month, and of the next one. */
    from_at: Moment;
    to_at: Moment;
    experiment_uid: string;
    month: string;
    row_count: number;
    first_at: Moment;
    last_at: Moment;
    min: number;
    max: number;
  };
}

/** The manifest of sealed months. */
export const archiveMigration = {
  set: 'archive',
  id: 1,
  name: 'sealed months',
  up: `
    create table sealed_files (
      experiment_uid text not null,
      month text not null,
      place text not null,
      file text not null,
      bytes integer not null,
      sha256 text not null,
      row_count integer not null,
      first_at integer not null,
      last_at integer not null,
      state text not null check (state in ('verified', 'sealed', 'removing')),
      sealed_at integer not null,
      primary key (experiment_uid, month)
    ) strict, without rowid;

    create table sealed_series (
      series_id integer not null,
      from_at integer not null,
      to_at integer not null,
      experiment_uid text not null,
      month text not null,
      row_count integer not null,
      first_at integer not null,
      last_at integer not null,
      min real not null,
      max real not null,
      primary key (series_id, from_at)
    ) strict, without rowid;
    create index sealed_series_by_file on sealed_series (experiment_uid, month);
  `,
} as const;
