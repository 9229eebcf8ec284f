import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { UnitTime } from '../time/unit-time.ts';
import { Outbox } from './outbox.ts';
import { type OutboxTables, outboxMigrations } from './outbox-tables.ts';

/** The start parameters of the process of a kill test, as JSON in the first argument. */
export interface KillPlan {
  readonly path: string;
  readonly boot: number;
  readonly firstValue: number;
  /** Where the process ends itself, and at which passage. */
  readonly point: 'outbox.before_commit' | 'outbox.after_commit' | 'after_append';
  readonly occurrence: number;
}

const series = { experiment_uid: 'e', source: 'od', channel: null, angle: null, derivation: null, context: null };

/** The process that a kill test ends: appends numbers, a few at a time, and prints each committed one. */
const main = async ({ path, boot, firstValue, point, occurrence }: KillPlan) => {
  // A process that is killed leaves none of its compiled code to the next one.
  flushCompileCache();
  const clock = realClock();
  const log = silentLog();
  let occurrences = 0;
  const pass = (at: string) => {
    if (at !== point) return;
    occurrences += 1;
    if (occurrences === occurrence) process.kill(process.pid, 'SIGKILL');
  };
  const database = new SqliteDatabase<OutboxTables>({ path, migrations: outboxMigrations, clock, log });
  await database.start(new AbortController().signal);
  const time = new UnitTime({ clock, boot, hostSynced: () => true });
  await time.start();
  const newId = () => '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
  const outbox = new Outbox({ database, time, clock, wire: clock, log, newId, probe: pass });
  await outbox.start();
  for (let value = firstValue; ; value += 1) {
    void outbox.append({ kind: 'sample', series, value }).flushed.then(() => writeSync(1, `${value}\n`));
    pass('after_append');
    if (value % 7 === 0) await outbox.flush();
  }
};

await main(JSON.parse(process.argv[2] ?? ''));
