import type { Generated } from 'kysely';
import type { Migration } from '../store/migrations.ts';

/** The tables that the contract suite and the crash tests work on. */
export interface ContractTables {
  notes: { id: Generated<number>; name: string; body: string | null };
  samples: { series: number; at: number; value: number };
  anything: {
    id: number;
    whole: number | bigint | null;
    fraction: number | null;
    letters: string | null;
    bytes: Uint8Array | null;
  };
}

export const contractMigrations: readonly Migration[] = [
  {
    set: 'contract',
    id: 1,
    name: 'tables of the contract suite',
    up: `
      create table notes (id integer primary key, name text not null unique, body text) strict;
      create table samples (series integer not null, at integer not null, value real not null, primary key (series, at))
        strict, without rowid;
      create table anything (id integer primary key, whole integer, fraction real, letters text, bytes blob) strict;
    `,
  },
];
