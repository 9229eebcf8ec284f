import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FeedSeries } from '@lcs/contract';
import { type Database, type MemoryLog, memoryLog, SqliteDatabase, StoreError, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import type { NewNote, NewSample } from '../outbox/new-record.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { OutboxOptions } from '../outbox/outbox-options.ts';
import { type OutboxTables, outboxMigrations } from '../outbox/outbox-tables.ts';
import { UnitTime } from '../time/unit-time.ts';

export const testSeries = (source = 'od', experiment_uid = 'experiment-1'): FeedSeries => ({
  experiment_uid,
  source,
  channel: null,
  angle: null,
  derivation: null,
  context: null,
});

export const sample = (value: number, series = testSeries()): NewSample => ({ kind: 'sample', series, value });

export const logNote = (message: string, level: 'DEBUG' | 'WARNING' = 'WARNING'): NewNote => ({
  kind: 'log',
  experiment_uid: 'experiment-1',
  level,
  task: 'test',
  source: 'app',
  message,
});

export interface TestOutbox extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly log: MemoryLog;
  readonly database: SqliteDatabase<OutboxTables>;
  readonly outbox: Outbox;
  readonly time: UnitTime;
  /** Another outbox on the same database, as after a crash: records that the old one had not committed are lost. */
  restarted(options?: Partial<OutboxOptions>): Promise<{ readonly outbox: Outbox; readonly time: UnitTime }>;
}

/** An outbox on a real database and virtual time; deleted after the test. */
export async function testOutbox(
  options: Partial<OutboxOptions> & {
    readonly wrap?: (database: Database<OutboxTables>) => Database<OutboxTables>;
  } = {},
): Promise<TestOutbox> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-outbox-'));
  const clock = new VirtualClock();
  const log = memoryLog();
  const database = new SqliteDatabase<OutboxTables>({
    path: join(folder, 'outbox.sqlite'),
    migrations: outboxMigrations,
    clock,
    holds: clock,
    log,
    writer: testWriter(),
  });
  await database.start(new AbortController().signal);
  let boot = 0;
  const wrapped = options.wrap?.(database) ?? database;
  const restarted = async (changes: Partial<OutboxOptions> = {}) => {
    boot += 1;
    const time = new UnitTime({ clock, boot, hostSynced: () => true });
    await time.start();
    const newId = () => `00000000-0000-4000-8000-00000000000${boot}`;
    const outbox = new Outbox({
      database: wrapped,
      time,
      clock,
      wire: clock,
      log,
      newId,
      ...options,
      ...changes,
    });
    await outbox.start();
    return { outbox, time };
  };
  const first = await restarted();
  return {
    clock,
    log,
    database,
    ...first,
    restarted,
    [Symbol.asyncDispose]: async () => {
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For `wrap`: a database that is full while `isFull` returns true. */
export const fullWhile =
  (isFull: () => boolean) =>
  (database: Database<OutboxTables>): Database<OutboxTables> => ({
    read: database.read,
    get version() {
      return database.version;
    },
    write: (work) => database.write(work),
    bulk: (statements, options) =>
      isFull()
        ? Promise.reject(new StoreError('disk_full', 'database or disk is full'))
        : database.bulk(statements, options),
  });
