import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Log } from '@lcs/platform';
import { sql } from 'kysely';
import type { LeaderDatabase } from '../core/leader-context.ts';
import type { AuditRecord } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { chainEnd, insertEntries } from './store-entries.ts';

/** The new fields of an entry of an earlier version. */
const absent = {
  format: 1,
  channel: null,
  experiment: null,
  unit: null,
  job: null,
  before: null,
  after: null,
  reason: null,
  units: null,
} as const;

const movedAtOnce = 500;

async function hasTable(database: LeaderDatabase): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_schema where type = 'table' and name = 'moved_audit'`.execute(
    database.read,
  );
  return rows.length > 0;
}

/** Whether the entries of the file end with an entry of the table: only then the table continues them. */
async function isContinuation(database: LeaderDatabase, audit: AuditDatabase): Promise<boolean> {
  const end = await chainEnd(audit.read);
  if (end === undefined) return true;
  const known = await database.read
    .selectFrom('moved_audit')
    .where('seq', '=', end.seq)
    .select('hash')
    .executeTakeFirst();
  return known?.hash === end.hash;
}

/**
 * Moves the audit of an earlier version from the leader's store into its own file, once, before the audit records anything. A move that
 * was interrupted continues behind the last moved entry; the table is dropped when all its entries are on disk in the file.
 */
export async function moveAudit(database: LeaderDatabase, audit: AuditDatabase, log: Log): Promise<void> {
  if (!(await hasTable(database))) return;
  const isEmpty =
    (await database.read.selectFrom('moved_audit').limit(1).select('seq').executeTakeFirst()) === undefined;
  if (!isEmpty) {
    if (!(await isContinuation(database, audit))) {
      log.error('The audit of an earlier version was not moved: the file of the audit has other entries', {
        table: 'moved_audit',
      });
      return;
    }
    await copyEntries(database, audit);
  }
  await database.write((transaction) => sql`drop table moved_audit`.execute(transaction));
}

async function copyEntries(database: LeaderDatabase, audit: AuditDatabase): Promise<void> {
  for (;;) {
    const after = (await chainEnd(audit.read))?.seq ?? 0;
    const page = await database.read
      .selectFrom('moved_audit')
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(movedAtOnce)
      .selectAll()
      .execute();
    if (page.length === 0) return;
    const links = page.map((entry): AuditRecord => ({ ...entry, ...absent }));
    await audit.write((transaction) => insertEntries(transaction, links));
    await turnOfEventLoop();
  }
}
