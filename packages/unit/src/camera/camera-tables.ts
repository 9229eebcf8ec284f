import type { Migration } from '@lcs/platform';

export interface CameraTables {
  /** A still without its file does not count. */
  camera_stills: {
    image_id: string;
    experiment: string;
    experiment_uid: string;
    /** Milliseconds since 1970. */
    captured_at: number;
    capture_reason: 'scheduled' | 'manual';
    bytes: number;
    sha256: string;
  };
  camera_settings: { key: 'auto_capture_enabled'; value: string };
}

export const cameraMigrations: readonly Migration[] = [
  {
    set: 'camera',
    id: 1,
    name: 'stills and settings of the camera',
    up: `
      create table camera_stills (
        image_id text primary key,
        experiment text not null,
        experiment_uid text not null,
        captured_at integer not null,
        capture_reason text not null check (capture_reason in ('scheduled', 'manual')),
        bytes integer not null,
        sha256 text not null
      ) strict, without rowid;

      create table camera_settings (
        key text primary key,
        value text not null
      ) strict, without rowid;
    `,
  },
];
