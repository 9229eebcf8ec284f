import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { memoryLog, realClock, SqliteDatabase, taskMigrations } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { LeaderSchema } from '../core/leader-context.ts';
import { leaderMigrations } from '../store/migrations.ts';
import { startAuditDatabase, startTestLeader, temporaryFolder } from '../testing/test-leader.ts';
import { chained, chainStart, type NewAuditEntry } from './audit-entry.ts';
import type { AuditDatabase } from './audit-tables.ts';
import { moveAudit } from './move-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const never = new AbortController().signal;

const entry = (number: number): NewAuditEntry => ({
  format: 1,
  at: number,
  caller_kind: 'person',
  caller: 'ada',
  caller_id: '1',
  address: '127.0.0.1',
  channel: null,
  operation: 'createExperiment',
  method: 'POST',
  path: '/api/experiments',
  experiment: null,
  unit: null,
  job: null,
  body: '{}',
  before: null,
  after: null,
  reason: null,
  status: 201,
  code: null,
  request_id: `r${number}`,
  units: null,
});

/** A data folder of the version before, with an audit in the leader's store. */
async function earlierFolder(entries: number): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'store.sqlite');
  const migrations = [...taskMigrations, ...leaderMigrations].filter(({ set, id }) => set !== 'audit' || id === 1);
  const store = new SqliteDatabase<LeaderSchema>({
    path,
    migrations,
    clock: realClock(),
    log: memoryLog(),
    writer: testWriter(),
  });
  await store.start(never);
  await store.stop();
  const links = chained(
    chainStart,
    Array.from({ length: entries }, (_, index) => entry(index)),
  );
  const file = new DatabaseSync(path);
  file.exec('begin');
  const insert =
    file.prepare(`insert into audit (seq, at, caller_kind, caller, caller_id, address, operation, method, path, body,
    status, code, request_id, previous_hash, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const link of links) {
    const { seq, at, caller_kind, caller, caller_id, address, operation, method, path: url, body, ...rest } = link;
    const { status, code, request_id, previous_hash, hash } = rest;
    insert.run(
      ...[seq, at, caller_kind, caller, caller_id, address, operation, method, url, body],
      ...[status, code, request_id, previous_hash, hash],
    );
  }
  file.exec('commit');
  file.close();
  return folder.path;
}

async function openFolder(dataFolder: string) {
  const leader = await startTestLeader({ dataFolder });
  const audit = await startAuditDatabase(dataFolder);
  onTestFinished(async () => {
    await audit.stop();
    await leader.stop();
  });
  const { database, log } = leader.context;
  const hasTable = async () =>
    new DatabaseSync(join(dataFolder, 'store.sqlite'), { readOnly: true })
      .prepare(`select 1 from sqlite_schema where name = 'moved_audit'`)
      .all().length > 0;
  return {
    database,
    log: leader.log,
    audit,
    hasTable,
    move: (target: AuditDatabase = audit) => moveAudit(database, target, log),
  };
}

it('moves the audit of the version before, once, and its chain goes on', async () => {
  const { move, audit, hasTable } = await openFolder(await earlierFolder(1_200));
  expect(await hasTable()).toBe(true);
  await move();
  await move();
  expect(await hasTable()).toBe(false);
  expect(await verifyAudit(audit.read, never)).toMatchObject({ entries: 1_200, firstWrong: null });
});

it('continues an interrupted move: nothing is lost, nothing twice', async () => {
  const { move, audit, hasTable } = await openFolder(await earlierFolder(1_200));
  let writes = 0;
  const killed: AuditDatabase = {
    read: audit.read,
    bulk: (...args) => audit.bulk(...args),
    version: 0,
    write: async (work) => {
      const result = await audit.write(work);
      writes += 1;
      if (writes === 2) throw new Error('killed');
      return result;
    },
  };
  await expect(move(killed)).rejects.toThrow('killed');
  expect(await hasTable()).toBe(true);
  expect(await verifyAudit(audit.read, never)).toMatchObject({ entries: 1_000, firstWrong: null });
  await move();
  expect(await verifyAudit(audit.read, never)).toMatchObject({ entries: 1_200, firstWrong: null });
  expect(await hasTable()).toBe(false);
});

it('keeps the entries of both when the file has others', async () => {
  const { move, audit, hasTable, log } = await openFolder(await earlierFolder(3));
  const [other] = chained(chainStart, [{ ...entry(7), caller: 'eve' }]);
  if (other) await audit.write((transaction) => transaction.insertInto('audit').values(other).execute());
  await move();
  expect(await hasTable()).toBe(true);
  expect(await verifyAudit(audit.read, never)).toMatchObject({ entries: 1, firstWrong: null });
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});
