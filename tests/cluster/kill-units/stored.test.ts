import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import type { LedgerRecord } from './ledger.ts';
import { type Committed, StoredRecords } from './stored.ts';

const machineId = 'a machine';

const log = (seq: number): LedgerRecord => ({
  seq,
  boot: 1,
  mono: seq,
  at: seq,
  series: null,
  value: null,
  more: { kind: 'log' },
});

const gap = (seq: number, from_seq: number, to_seq: number): LedgerRecord => ({
  ...log(seq),
  more: { kind: 'gap', from_seq, to_seq },
});

/** A leader that has the log entries and gaps with these numbers. */
async function compared(records: readonly LedgerRecord[], logs: readonly number[], gaps: readonly number[]) {
  await using folder = await temporaryFolder('stored');
  mkdirSync(path.join(folder.path, 'storage'));
  using database = new DatabaseSync(path.join(folder.path, 'storage', 'leader.sqlite'));
  database.exec(`
    create table series (id, experiment_uid, unit, source, channel, angle, derivation_id);
    create table samples (series_id, at, value);
    create table sample_flags (series_id, at, flags, moved_from);
    create table derivations (id, key);`);
  for (const [table, numbers] of Object.entries({ logs, events: [], gaps })) {
    database.exec(`create table ${table} (machine_id, boot, mono)`);
    for (const mono of numbers) database.prepare(`insert into ${table} values (?, 1, ?)`).run(machineId, mono);
  }
  const committed: Committed = { unit: 'unit1', records, series: () => new Map() };
  using stored = new StoredRecords(folder.path);
  return stored.compare(committed, machineId, records.at(-1)?.seq ?? 0);
}

it('reports records that are not stored, not committed, or stored twice', async () => {
  const { lost, invented, doubled } = await compared([log(1), log(2), log(3)], [1, 3, 3, 9], []);
  expect({ lost, invented, doubled }).toEqual({ lost: ['2: log 1 2'], invented: ['log 1 9'], doubled: ['log 1 3'] });
});

it('counts a stored record as committed if the unit thinned it out before the test read it', async () => {
  const { unseen, invented } = await compared([log(1), log(3), gap(4, 1, 3)], [1, 2, 3], [4]);
  expect({ unseen, invented }).toEqual({ unseen: 1, invented: [] });
});

it('accepts no more such records than were thinned out, and none without a gap', async () => {
  const more = await compared([log(1), log(3), gap(4, 1, 3)], [1, 2, 3, 9], [4]);
  expect(more.invented).toEqual(['log 1 2', 'log 1 9']);
  const without = await compared([log(1), log(3)], [1, 2, 3], []);
  expect(without).toMatchObject({ unseen: 0, invented: ['log 1 2'] });
});
