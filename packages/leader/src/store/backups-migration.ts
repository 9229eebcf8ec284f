export interface BackupTables {
  /** How the last backup ended: one row, or none before the first. */
  backup_outcome: {
    id: number;
    /** Milliseconds since 1970 UTC. */
    at: number;
    /** Why it was not made; null: it was. */
    problem: string | null;
  };
}

/** What the list of backups says of the last one, after a restart too. */
export const backupsMigration = {
  set: 'backups',
  id: 1,
  name: 'how the last backup ended',
  up: `
    create table backup_outcome (
      id integer primary key check (id = 1),
      at integer not null,
      problem text
    ) strict;
  `,
} as const;
