import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { localCaller } from '@lcs/contract';
import type { EndedRequest } from '@lcs/platform';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAuditDatabase, startTestLeader } from '../testing/test-leader.ts';
import { auditedBody, hashOf } from './audit-entry.ts';
import { AuditLog } from './audit-log.ts';
import { auditPage, failuresOf } from './audit-pages.ts';
import { verifyAudit } from './verify-audit.ts';

const never = new AbortController().signal;

async function startAudit(limits?: { readonly mostWaiting: number }) {
  const leader = await startTestLeader();
  const file = await startAuditDatabase(leader.context.dataFolder);
  onTestFinished(async () => {
    await file.stop();
    await leader[Symbol.asyncDispose]();
  });
  const context = { ...leader.context, audit: file };
  const audit = new AuditLog(context, limits);
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
    query: {},
    reason: undefined,
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

it('records that an accepted command was refused by its unit, whichever is known first', async () => {
  const { audit, request, stored, file, verify } = await startAudit();
  const refused = { kind: 'http_error', message: 'It would dilute.', code: 'dilution_not_confirmed' };
  const result = { rx01: { ok: false, unit: 'rx01', error: refused, status_code: 409, retryable: false } };
  const facts = { kind: 'command_units', locks: [], progress: null, message: null, cancelRequested: false } as const;
  const times = { startedBy: null, createdAt: 0, startedAt: 0, finishedAt: 0 };
  const ends = (taskId: string) => audit.recordTask({ ...facts, ...times, taskId, status: 'succeeded', result });
  const run = { operation: 'runWorkerJob', params: { reactor_unit: 'rx01', job: 'dosing_automation' }, status: 202 };
  await audit.record({ ...request('jobs.run'), ...run, taskId: 'a' });
  ends('a');
  ends('b');
  await audit.record({ ...request('jobs.run'), ...run, taskId: 'b' });
  await audit.record({ ...request('jobs.run'), ...run, taskId: 'c' });
  const failure = { status: 409, code: 'dilution_not_confirmed', unit: 'rx01', job: 'dosing_automation' };
  await expect.poll(stored).toMatchObject([
    { request_id: 'r1', status: 202 },
    { request_id: 'r1', ...failure },
    { request_id: 'r2', status: 202 },
    { request_id: 'r2', ...failure },
    { request_id: 'r3', status: 202 },
  ]);
  expect(await failuresOf(file, await auditPage(file, {}, 10))).toEqual(
    new Map([
      ['r1', failure.code],
      ['r2', failure.code],
    ]),
  );
  expect(await verify()).toMatchObject({ firstWrong: null, entries: 5 });
});

it('a command of a profile that failed in the task of its unit is not recorded as done', async () => {
  const { audit, stored } = await startAudit();
  const command = { unit: 'rx01', method: 'POST', path: '/unit_api/jobs/run/job_name/stirring', body: {} } as const;
  const sent = { command, experiment: 'a', job: 'stirring', account: null };
  const error = { kind: 'task_failed', message: 'It is running.', code: 'job_already_running' };
  audit.recordRunCommand({
    ...sent,
    outcome: { ok: false, unit: 'rx01', error, status_code: 202, retryable: false },
  });
  const stop = { ...command, path: '/unit_api/jobs/stop' };
  const value = { stopped: [], still_running: [] };
  audit.recordRunCommand({ ...sent, job: null, command: stop, outcome: { ok: true, unit: 'rx01', value } });
  await expect.poll(stored).toMatchObject([
    { operation: 'runJob', status: 500, code: 'job_already_running' },
    { operation: 'stopJobs', status: 200, after: '{"stopped":[]}' },
  ]);
});

it('stores a request before its response is sent', async () => {
  const { audit, request, stored } = await startAudit();
  await audit.record(request());
  expect(await stored()).toMatchObject([{ seq: 1, caller: 'ada', operation: 'createExperiment', status: 201 }]);
});

it('names the person for whom the leader sends a request to its own node', async () => {
  const { audit, request, stored } = await startAudit();
  const caller = { ...localCaller, kind: 'leader', name: 'leader' } as const;
  await audit.record({ ...request(), caller: { ...caller, actsFor: 'ada' } });
  await audit.record({ ...request(), caller });
  const entries = await stored();
  expect(entries.map(({ caller_kind, caller }) => [caller_kind, caller])).toEqual([
    ['leader', 'ada'],
    ['leader', 'leader'],
  ]);
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
  const { audit, request, stored, lock, wire, verify } = await startAudit({ mostWaiting: 300 });
  const unlock = await lock();
  await audit.record(request());
  for (let count = 0; count < 310; count += 1) void audit.record(request('jobs.stop'));
  await wire.advance(5_000);
  await unlock();
  await wire.advance(5_000);
  await expect.poll(async () => (await stored()).length).toBe(300);
  expect((await stored()).at(-1)?.request_id).toBe('r311');
  expect(await verify()).toMatchObject({ entries: 300, firstWrong: null });
});

describe('the entry of a change', () => {
  const created = (body: unknown) => ({ operation: 'updateExperiment', params: { experiment: 'mut' }, body });

  it('has what the leader held before and after, what the request names, and the reason', async () => {
    const { audit, request, stored, context } = await startAudit();
    const { database } = context;
    await database.write((transaction) =>
      transaction
        .insertInto('experiments')
        .values({ uid: 'u', name: 'mut', created_at: 0, description: 'old' })
        .execute(),
    );
    const change = created({ description: 'new' });
    const before = await audit.observe(change);
    await database.write((transaction) => transaction.updateTable('experiments').set({ description: 'new' }).execute());
    await audit.record({ ...request(), ...change, observed: { before }, reason: 'typed wrongly' });
    expect(await stored()).toMatchObject([
      {
        experiment: 'mut',
        unit: null,
        channel: 'http',
        reason: 'typed wrongly',
        before: '{"description":"old"}',
        after: '{"description":"new"}',
      },
    ]);
  });

  it('shows what was created and deleted, and nothing of a change that failed', async () => {
    const { audit, request, stored } = await startAudit();
    const change = created({});
    const observed = { before: { experiment: 'mut' } };
    await audit.record({ ...request(), ...change, observed });
    await audit.record({ ...request(), ...change, observed, status: 409, code: 'x' });
    expect(await stored()).toMatchObject([
      { before: '{"experiment":"mut"}', after: null },
      { before: null, after: null },
    ]);
  });

  it('contains no secret of a person, a token or a channel', async () => {
    const { audit, context } = await startAudit();
    await context.database.write(async (transaction) => {
      const person = { id: 'p', name: 'ada', display_name: 'Ada', role: 'viewer', password_hash: 'argon' };
      await transaction
        .insertInto('people')
        .values({ ...person, created_at: 0 })
        .execute();
      const token = { id: 't', person_id: 'p', name: 'x', secret_hash: 'argon', permissions: '[]' };
      await transaction
        .insertInto('tokens')
        .values({ ...token, created_at: 0, expires_at: 1 })
        .execute();
    });
    const states = await Promise.all([
      audit.observe({ operation: 'updatePerson', params: { person_id: 'p' }, body: {} }),
      audit.observe({ operation: 'revokeToken', params: { token_id: 't' }, body: undefined }),
    ]);
    expect(states).toMatchObject([{ name: 'ada' }, { name: 'x', made_by: 'ada' }]);
    expect(JSON.stringify(states)).not.toContain('argon');
  });
});

it('records a refused read, and no other read', async () => {
  const { audit, request, stored } = await startAudit();
  await audit.record({ ...request('people.read'), method: 'GET', status: 403, code: 'not_allowed' });
  await audit.record({ ...request('people.read'), method: 'GET', status: 404, code: 'person_not_found' });
  expect(await stored()).toMatchObject([{ method: 'GET', status: 403 }]);
});

it('records commands of the broker, refused ones too', async () => {
  const { audit, stored } = await startAudit();
  const identity = { kind: 'person', id: 's', personId: '1', name: 'ada' } as const;
  const command = { identity, address: '10.0.0.7', clientId: 'c', topic: 'reactor/rx01/mut/stirring/target_rpm/set' };
  audit.recordCommand({ ...command, payload: '500', isAllowed: true });
  audit.recordCommand({ ...command, payload: '900', isAllowed: false });
  await audit.stop();
  expect(await stored()).toMatchObject([
    { channel: 'mqtt', caller: 'ada', unit: 'rx01', experiment: 'mut', job: 'stirring', status: 200 },
    { path: command.topic, status: 403, code: 'not_allowed' },
  ]);
});

it('logs the last entry once a day and at its end', async () => {
  const { audit, request, wire, log, stored } = await startAudit();
  await audit.record(request());
  await wire.advance(24 * 3_600_000);
  await audit.record(request());
  await audit.stop();
  const anchors = log.lines.filter(({ fields }) => typeof fields.hash === 'string').map(({ fields }) => fields.hash);
  expect(anchors).toEqual((await stored()).map(({ hash }) => hash));
});

it('records the chosen units of a command to several of them, and the chain stays that of entries without any', async () => {
  const { audit, request, stored, verify, file } = await startAudit();
  const stop = { ...request('jobs.stop'), operation: 'stopWorkerJob', params: { reactor_unit: '$broadcast' } };
  await audit.record(request());
  await audit.record({ ...request(), ...stop, permission: 'jobs.run', query: { units: 'unit3, unit1,unit3' } });
  await audit.record({ ...request(), ...stop, permission: 'jobs.run' });
  await audit.record({ ...request(), query: { units: 'unit3' } });
  const many = Array.from({ length: 300 }, (_, at) => `u${at}`).join(',');
  await audit.record({ ...request(), ...stop, permission: 'jobs.run', query: { units: many } });
  const entries = await stored();
  expect(entries.map(({ unit, units }) => [unit, units]).slice(0, 4)).toEqual([
    [null, null],
    ['$broadcast', '["unit3","unit1"]'],
    ['$broadcast', null],
    [null, null],
  ]);
  expect(JSON.parse(entries[4]?.units ?? '')).toHaveLength(200);
  expect(await verify()).toMatchObject({ entries: 5, firstWrong: null });
  const ofUnit = await auditPage(file, { unit: 'unit1' }, 10);
  // The third one is to all units.
  expect(ofUnit.map(({ seq }) => seq).sort()).toEqual([2, 3]);
});

it('an entry of a version without chosen units keeps its hash', () => {
  const entry = {
    format: 2 as const,
    seq: 1,
    previous_hash: '',
    at: 1_764_000_000_000,
    caller_kind: 'person',
    caller: 'ada',
    caller_id: '1',
    address: '127.0.0.1',
    operation: 'stopWorkerJob',
    method: 'POST',
    path: '/api/workers/$broadcast/jobs/stop/job_name/stirring/experiments/ramp',
    body: null,
    status: 202,
    code: null,
    request_id: 'r1',
    channel: 'http',
    experiment: 'ramp',
    unit: '$broadcast',
    job: 'stirring',
    before: null,
    after: null,
    reason: null,
  };
  // Stored by version 26.11.
  const stored = '175e5493596534d8d8d3d1b19594ba563483cbdd70e32f185eef4be59b866bdd';
  expect(hashOf({ ...entry, units: null })).toBe(stored);
  expect(hashOf({ ...entry, units: '["unit9"]' })).not.toBe(stored);
});
