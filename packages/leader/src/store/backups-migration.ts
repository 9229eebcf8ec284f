export interface BackupTables {
  /** The outcome of the last backup: one row, or none before the first. */
  backup_outcome: {
    id: number;
    /** Milliseconds since 1970 UTC. */
    at: number;
    /** The reason of its failure; null: it succeeded. */
    problem: string | null;
  };
}

/** The last outcome in the list of backups, also after a restart. */
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
