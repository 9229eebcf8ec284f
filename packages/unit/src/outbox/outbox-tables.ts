import type { Migration } from '@lcs/platform';

export interface OutboxTables {
  outbox_state: { id: number; epoch: string; head_seq: number; acked_seq: number; records: number; bytes: number };
  outbox_boots: { boot: number; wall0: number | null; guess0: number; source: string };
  outbox_series: { id: number; key: string };
  outbox_records: {
    seq: number;
    boot: number;
    mono: number;
    at: number;
    /** Place in the order of thinning; 0: never. */
    rank: number;
    series_id: number | null;
    value: number | null;
    /** The further fields as JSON. */
    body: string | null;
  };
}

/** The outbox has a database file of its own, so that it can be set aside alone. */
export const outboxMigrations: readonly Migration[] = [
  {
    set: 'outbox',
    id: 1,
    name: 'numbered records',
    up: `
      create table outbox_state (
        id integer primary key check (id = 1),
        epoch text not null,
        head_seq integer not null,
        acked_seq integer not null,
        records integer not null,
        bytes integer not null
      ) strict;

      create table outbox_boots (
        boot integer primary key,
        wall0 integer,
        guess0 integer not null,
        source text not null
      ) strict;

      create table outbox_series (
        id integer primary key,
        key text not null unique
      ) strict;

      create table outbox_records (
        seq integer primary key,
        boot integer not null,
        mono integer not null,
        at integer not null,
        rank integer not null,
        series_id integer,
        value real,
        body text
      ) strict;
    `,
  },
];
