import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { localCaller } from '@lcs/contract';
import type { EndedRequest } from '@lcs/platform';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startAuditDatabase, startTestLeader } from '../testing/test-leader.ts';
import { auditedBody } from './audit-entry.ts';
import { AuditLog } from './audit-log.ts';
import { verifyAudit } from './verify-audit.ts';

const never = new AbortController().signal;

async function startAudit() {
  const leader = await startTestLeader();
  const file = await startAuditDatabase(leader.context.dataFolder);
  onTestFinished(async () => {
    await file.stop();
    await leader[Symbol.asyncDispose]();
  });
  const context = { ...leader.context, audit: file };
  const audit = new AuditLog(context);
  await audit.start();
  let requests = 0;
  const request = (
    permission: EndedRequest['permission'] = 'experiments.write',
    body: unknown = null,
  ): EndedRequest => ({
    operation: 'createExperiment',
    permission,
    caller: { ...localCaller, kind: 'person', name: 'ada', personId: '1' },
    address: '127.0.0.1',
    method: 'POST',
    path: '/api/experiments',
    params: {},
    body,
    requestId: `r${++requests}`,
    status: 201,
    code: undefined,
  });
  const stored = () => file.read.selectFrom('audit').selectAll().orderBy('seq').execute();
  /** While the returned function was not called, the disk takes no entry. */
  const lock = async () => {
    await file.write((transaction) =>
      sql`create trigger full before insert on audit begin select raise(abort, 'full'); end`.execute(transaction),
    );
    return () => file.write((transaction) => sql`drop trigger full`.execute(transaction));
  };
  return { ...leader, context, audit, file, request, stored, lock, verify: () => verifyAudit(file.read, never) };
}

it('stores a request before its response is sent', async () => {
  const { audit, request, stored } = await startAudit();
  await audit.record(request());
  expect(await stored()).toMatchObject([{ seq: 1, caller: 'ada', operation: 'createExperiment', status: 201 }]);
});

it('does not delay a stop, and stores it all the same', async () => {
  const { audit, request, stored } = await startAudit();
  expect(audit.record(request('jobs.stop'))).toBeUndefined();
  await audit.stop();
  expect(await stored()).toHaveLength(1);
});

it('records no reads', async () => {
  const { audit, request, stored } = await startAudit();
  await audit.record(request('exports.read'));
  await audit.stop();
  expect(await stored()).toEqual([]);
});

it('chains many requests of one moment, and goes on after a restart', async () => {
  const { audit, request, context, verify } = await startAudit();
  await Promise.all(Array.from({ length: 50 }, () => audit.record(request())));
  const again = new AuditLog(context);
  await again.start();
  await Promise.all(Array.from({ length: 600 }, () => again.record(request())));
  expect(await verify()).toMatchObject({ entries: 650, firstWrong: null });
});

it.each([
  ['changed', `update audit set caller = 'eve' where seq = 3`],
  ['removed', 'delete from audit where seq = 3'],
  ['renumbered', 'update audit set seq = 100 where seq = 3'],
])('refuses that an entry is %s, and detects it where somebody has forced it', async (_, statement) => {
  const { audit, request, file, verify } = await startAudit();
  for (let count = 0; count < 5; count += 1) await audit.record(request());
  const change = () => file.write((transaction) => sql.raw(statement).execute(transaction));
  await expect(change()).rejects.toThrow();
  expect(await verify()).toMatchObject({ firstWrong: null });
  await file.write(async (transaction) => {
    for (const trigger of ['audit_is_not_changed', 'audit_is_not_removed'])
      await sql.raw(`drop trigger ${trigger}`).execute(transaction);
  });
  await change();
  expect(await verify()).toMatchObject({ entries: 2, firstWrong: expect.any(Number) });
});

it('keeps entries that the disk refuses, answers all the same, and stores them in their order', async () => {
  const { audit, request, stored, lock, wire, verify, log } = await startAudit();
  await audit.record(request());
  const unlock = await lock();
  await audit.record(request());
  await audit.record(request());
  expect(await stored()).toHaveLength(1);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  await unlock();
  await wire.advance(5_000);
  await expect.poll(async () => (await stored()).map((entry) => entry.request_id)).toEqual(['r1', 'r2', 'r3']);
  await audit.record(request());
  expect(await verify()).toMatchObject({ entries: 4, firstWrong: null });
});

it('delays one request for a second while the file is locked, and no stop', async () => {
  const { audit, request, context, wire, stored, verify } = await startAudit();
  const other = new DatabaseSync(join(context.dataFolder, 'audit.sqlite'));
  other.exec('begin immediate');
  let isAnswered = false;
  const answered = audit.record(request())?.then(() => {
    isAnswered = true;
  });
  expect(audit.record(request('jobs.stop'))).toBeUndefined();
  await wire.advance(900);
  expect(isAnswered).toBe(false);
  await wire.advance(200);
  await answered;
  expect(audit.record(request())).toBeUndefined();
  other.exec('rollback');
  other.close();
  await expect.poll(async () => (await stored()).length).toBe(3);
  expect(await verify()).toMatchObject({ entries: 3, firstWrong: null });
});

it('stores no secrets and no files', () => {
  const body = {
    name: 'ada',
    password: 'three brown horses',
    nested: { api_token: 'abc' },
    text: 'x'.repeat(300),
    code: 'a=1\nb=2',
  };
  const text = auditedBody(body) ?? '';
  expect(JSON.parse(text)).toMatchObject({ name: 'ada', password: '(secret)', nested: { api_token: '(secret)' } });
  for (const secret of ['horses', 'abc', 'xxx', 'a=1']) expect(text).not.toContain(secret);
});

it('records a limited number of refusals a minute', async () => {
  const { audit, request, stored, wire, log } = await startAudit();
  const refused = {
    ...request(),
    caller: { ...localCaller, kind: 'anonymous' as const },
    status: 401,
    code: 'not_signed_in',
  };
  await Promise.all(Array.from({ length: 300 }, () => audit.record(refused)));
  await audit.record(request());
  expect(await stored()).toHaveLength(121);
  await wire.advance(60_000);
  await audit.record(refused);
  expect(await stored()).toHaveLength(122);
  expect(log.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({ skipped: 180 });
});

it('loses the oldest entries when a disk refuses too many, and stores the others', async () => {
  const { audit, request, lock, wire, verify } = await startAudit();
  const unlock = await lock();
  await audit.record(request());
  for (let count = 0; count < 20_010; count += 1) void audit.record(request('jobs.stop'));
  await wire.advance(5_000);
  await expect.poll(async () => (await verify()).entries).toBe(0);
  await unlock();
  await wire.advance(5_000);
  await expect.poll(async () => (await verify()).entries, { timeout: 15_000 }).toBe(20_000);
  expect(await verify()).toMatchObject({ entries: 20_000, firstWrong: null });
});
