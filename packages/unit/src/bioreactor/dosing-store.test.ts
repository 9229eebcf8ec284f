import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBalance } from '@lcs/domain';
import { memoryLog, SqliteDatabase, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { type BioreactorTables, bioreactorMigrations } from './bioreactor-tables.ts';
import { DosingStore, type LedgerState } from './dosing-store.ts';

const stateWith = (current_volume_ml: number): LedgerState => ({
  balance: newBalance({
    current_volume_ml,
    efflux_tube_volume_ml: 15,
    alt_media_fraction: 0,
    cumulative_media_added_ml: 0,
    cumulative_alt_media_added_ml: 0,
    cumulative_waste_removed_ml: 0,
  }),
  isEffluxSet: false,
  notes: {},
});
const row = (number: number) => ({
  experiment: 'e',
  number,
  atMs: number,
  source: 'test',
  entry: { kind: 'dose' as const, event: 'add_media', volumeMl: 1 },
});

/** A store of ledgers whose disk is full for the writes that are named, counted from 1. */
async function storeWithout(...failing: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-dosing-store-'));
  const clock = new VirtualClock();
  const database = new SqliteDatabase<BioreactorTables>({
    path: join(folder, 'unit.sqlite'),
    migrations: bioreactorMigrations,
    clock,
    holds: clock,
    log: memoryLog(),
    writer: testWriter(),
  });
  await database.start(new AbortController().signal);
  let writes = 0;
  const store = new DosingStore({
    read: database.read,
    bulk: async (...statements) => {
      writes += 1;
      if (failing.includes(writes)) throw new Error('The disk is full.');
      return database.bulk(...statements);
    },
  });
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

it.each([
  ['for several entries at once', [1, 2]],
  ['for an entry, and not for the one after it', [1]],
])('keeps the newest state when the disk was full %s', async (_when, failing) => {
  await using opened = await storeWithout(...failing);
  const { store } = opened;
  const both = await Promise.allSettled([store.add(row(1), stateWith(15)), store.add(row(2), stateWith(16))]);
  expect(both.filter(({ status }) => status === 'rejected')).toHaveLength(failing.length);
  await store.close('e', 1);
  const known = (await store.states()).get('e');
  expect(known?.number).toBe(2);
  expect(known?.state.balance.values.current_volume_ml).toBe(16);
  expect(await store.entries('e')).toHaveLength(2);
});
