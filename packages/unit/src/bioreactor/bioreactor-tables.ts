import type { Migration } from '@lcs/platform';

export interface BioreactorTables {
  /** What people had set before there was a ledger: a ledger that is not there yet begins with it. */
  bioreactor_values: {
    /** Its uid; of experiments that this unit was never in, the name after `name:`. */
    experiment: string;
    key: string;
    value: number;
  };
  /** Each change of the contents of a vial, in order. */
  dosing_entries: {
    experiment: string;
    number: number;
    /** Milliseconds since 1970. */
    at: number;
    /** JSON of a `DosingEntry`. */
    entry: string;
    /** `UI`, `dosing_automation:chemostat`, `note:17`, …. */
    source: string;
    /** The output that was driven, its percent and duration; null where no pump ran. Below 0 ms: it ran shorter than announced. */
    output: string | null;
    percent: number | null;
    ran_ms: number | null;
  };
  /** What all entries up to `number` come to. */
  dosing_balances: {
    experiment: string;
    number: number;
    /** JSON of a `LedgerState`. */
    state: string;
  };
  /** Doses that are under way; those that a start finds were cut. */
  open_doses: {
    experiment: string;
    /** Of its first entry. */
    number: number;
    event: string;
    source: string;
  };
}

export const bioreactorMigrations: readonly Migration[] = [
  {
    set: 'bioreactor',
    id: 1,
    name: 'values of the vial by experiment',
    up: `
      create table bioreactor_values (
        experiment text not null,
        key text not null,
        value real not null,
        primary key (experiment, key)
      ) strict, without rowid;
    `,
  },
  {
    set: 'bioreactor',
    id: 2,
    name: 'the ledger of doses',
    up: `
      create table dosing_entries (
        experiment text not null,
        number integer not null,
        at integer not null,
        entry text not null,
        source text not null,
        output text,
        percent real,
        ran_ms real,
        primary key (experiment, number)
      ) strict, without rowid;
      create index dosing_entries_by_time on dosing_entries (at);
      create table dosing_balances (
        experiment text primary key,
        number integer not null,
        state text not null
      ) strict, without rowid;
      create table open_doses (
        experiment text not null,
        number integer not null,
        event text not null,
        source text not null,
        primary key (experiment, number)
      ) strict, without rowid;
    `,
  },
];
