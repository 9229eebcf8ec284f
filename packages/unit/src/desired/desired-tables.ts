import type { Migration } from '@lcs/platform';
import type { Generated } from 'kysely';

export interface DesiredTables {
  desired_document: {
    id: number;
    /** The received document, JSON. */
    document: string;
    sha256: string;
    applied_at_ms: number | null;
    /** The outcomes of its parts, JSON; null while it is being applied. */
    parts: string | null;
  };
  /** The effective parts, JSON: a part that could not be applied has its earlier value. */
  desired_in_force: { id: number; value: string };
  desired_stops: {
    position: Generated<number>;
    stop_id: string;
    /** Version of its document. */
    version: number;
    /** The order, JSON. */
    stop_order: string;
    /** The jobs that it ended, JSON; null until it is executed. */
    outcome: string | null;
  };
}

export const desiredMigrations: readonly Migration[] = [
  {
    set: 'desired',
    id: 1,
    name: 'desired document',
    up: `
      create table desired_document (
        id integer primary key check (id = 1),
        document text not null,
        sha256 text not null,
        applied_at_ms integer,
        parts text,
        check ((applied_at_ms is null) = (parts is null))
      ) strict;
      create table desired_in_force (
        id integer primary key check (id = 1),
        value text not null
      ) strict;
      create table desired_stops (
        position integer primary key autoincrement,
        stop_id text not null unique,
        version integer not null,
        stop_order text not null,
        outcome text
      ) strict;
    `,
  },
];
