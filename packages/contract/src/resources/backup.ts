import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** One whole backup of the leader. */
export const Backup = closed(
  {
    backup_name: Type.String({ description: 'Its folder below `place`; the argument of `lcs restore`' }),
    created_at: Timestamp,
    app_version: Type.String(),
    bytes: Type.Integer({ minimum: 0 }),
  },
  { title: 'Backup' },
);
export type Backup = Static<typeof Backup>;

/** Result of a task that makes a backup. */
export const MadeBackup = closed(
  {
    backup_name: Type.String(),
    place: Type.String(),
    bytes: Type.Integer(),
    removed: Type.Array(Type.String(), { description: 'Names of the older backups that were removed' }),
  },
  { title: 'MadeBackup' },
);
export type MadeBackup = Static<typeof MadeBackup>;

/** Folder, schedule and list of the backups. */
export const Backups = closed(
  {
    place: Type.String({ description: 'Their folder' }),
    is_second_place: Type.Boolean({
      description: '`false`: on the disk of the leader itself, which may be lost with it',
    }),
    interval_hours: Type.Number({ minimum: 0, description: '0: only on request' }),
    next_at: Nullable(Timestamp),
    keep_daily: Type.Integer({
      minimum: 0,
      description: 'Number of days whose newest backup is kept here; of the newest day also the first',
    }),
    keep_weekly: Type.Integer({ minimum: 0, description: 'Number of weeks whose newest backup is kept here' }),
    has_keys: Nullable(
      Type.Boolean({
        description:
          'Whether backups contain the keys of the leader, encrypted with `[backup] passphrase`; null: `leader.ini` cannot be read',
      }),
    ),
    problem: Nullable(Type.String({ description: 'Why the last one was not made, or none can be' })),
    backups: Type.Array(Backup, { description: 'Newest first' }),
  },
  { title: 'Backups' },
);
export type Backups = Static<typeof Backups>;
