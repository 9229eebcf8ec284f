import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiError,
  type ErrorCode,
  type LiveEventName,
  localCaller,
  PreparedJson,
  StreamBody,
  type UnitOutcome,
} from '@lcs/contract';
import { memoryLog, realClock, SqliteDatabase, TaskRunner, taskMigrations, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import type { ScopeCheck } from '../access/experiment-scopes.ts';
import { type AuditTables, auditMigrations } from '../audit/audit-tables.ts';
import { createChangeRunner } from '../core/change.ts';
import type { Fleet, LeaderContext, LeaderSchema, StopRequest } from '../core/leader-context.ts';
import { openAssignment } from '../queries/assignments.ts';
import { leaderMigrations } from '../store/migrations.ts';

/** A live event or a broker message, in the order in which they were sent. */
export type Announcement =
  | { readonly live: LiveEventName; readonly key: string; readonly data: unknown }
  | { readonly topic: string; readonly payload: unknown; readonly retain: boolean };

export interface TestLeaderOptions {
  /** A folder that outlives this leader, for restarts. */
  readonly dataFolder?: string;
  readonly clock?: VirtualClock;
  /** How units answer a request to stop; by default all do at once. */
  readonly stopJobs?: Fleet['stopJobs'];
}

const allStopped = (units: readonly string[]): Record<string, UnitOutcome> =>
  Object.fromEntries(units.map((unit) => [unit, { ok: true, unit, value: { stopped: [], still_running: [] } }]));

/** A folder that is gone after the test: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'lcs-leader-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/**
 * What a leader's features are built from, on a real store and virtual time, with all that is announced on record. Tasks are
 * not started: features register their kinds before.
 */
export async function startTestLeader(options: TestLeaderOptions = {}) {
  const folder = options.dataFolder === undefined ? await temporaryFolder() : undefined;
  const dataFolder = options.dataFolder ?? folder?.path ?? '';
  const clock = options.clock ?? new VirtualClock({ startMs: Date.UTC(2026, 4, 2, 9, 14, 3, 120) });
  const wire = new VirtualClock();
  const log = memoryLog();
  const announced: Announcement[] = [];
  const stops: { readonly units: readonly string[]; readonly request: StopRequest }[] = [];
  const database = new SqliteDatabase<LeaderSchema>({
    path: join(dataFolder, 'store.sqlite'),
    migrations: [...taskMigrations, ...leaderMigrations],
    clock: realClock(),
    log,
    writer: testWriter(),
  });
  await database.start(new AbortController().signal);
  const tasks = new TaskRunner({ database, clock, log });
  const change = createChangeRunner({
    leader: 'lead',
    database,
    live: { publish: (live, key, data) => announced.push({ live, key, data }) },
    mqtt: {
      publish: (topic, payload, { retain = false } = {}) =>
        announced.push({ topic, payload: JSON.parse(payload), retain }),
    },
    now: () => clock.now(),
  });
  const fleet: Fleet = {
    stopJobs: async (units, request) => {
      stops.push({ units, request });
      return options.stopJobs ? options.stopJobs(units, request) : allStopped(units);
    },
    checkHardware: async (unit) => ({ ok: true, unit, value: null }),
    command: async (commands) =>
      Object.fromEntries(commands.map(({ unit }) => [unit, { ok: true, unit, value: null }])),
    read: async (units) => Object.fromEntries(units.map((unit) => [unit, { ok: true, unit, value: null }])),
    forget: () => {},
    passOn: async () => ({ status: 200, body: null }),
  };
  const refreshed: string[] = [];
  const context: LeaderContext = {
    leader: 'lead',
    clock,
    wire,
    log,
    database,
    change,
    tasks,
    fleet,
    units: { statusOf: () => undefined, all: () => [], addressOf: () => undefined },
    desired: {
      refresh: (units) => refreshed.push(...units),
      deliverNow: async (units) => units.filter((unit) => unit !== 'lead'),
      orderStops: async () => new Set(),
      orderStopsIn: async () => {},
      beforeStart: async () => {},
    },
    nodeHeaders: () => ({}),
    nodeAgent: async () => undefined,
    dataFolder,
    newId: randomUUID,
  };
  /** Ends without cleaning up. */
  const stop = async () => {
    await tasks.stop();
    await database.stop();
  };
  return {
    context,
    clock,
    wire,
    log,
    announced,
    stops,
    refreshed,
    stop,
    addWorker: async (unit: string, isActive: 0 | 1 = 1) => {
      const worker = {
        reactor_unit: unit,
        added_at: clock.now(),
        is_active: isActive,
        model_name: null,
        model_version: null,
      };
      await database.write((transaction) => transaction.insertInto('workers').values(worker).execute());
    },
    assign: async (unit: string, experiment: string) => {
      await database.write(async (transaction) => {
        const { id, name } = await transaction
          .selectFrom('experiments')
          .where('name', '=', experiment)
          .where('deleting_at', 'is', null)
          .select(['id', 'name'])
          .executeTakeFirstOrThrow();
        await openAssignment(transaction, unit, { id, name }, clock.now());
      });
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await folder?.[Symbol.asyncDispose]();
    },
  };
}

/** The file of the audit in a data folder. */
export async function startAuditDatabase(dataFolder: string): Promise<SqliteDatabase<AuditTables>> {
  const audit = new SqliteDatabase<AuditTables>({
    path: join(dataFolder, 'audit.sqlite'),
    migrations: auditMigrations,
    clock: realClock(),
    log: memoryLog(),
    writer: testWriter(),
  });
  await audit.start(new AbortController().signal);
  return audit;
}

/** A request as the HTTP shell hands it to a handler. */
export const request = <Params extends object, Body>(params: Params, body: Body) => ({
  params,
  query: {},
  body,
  caller: localCaller,
  requestId: 'test',
  signal: new AbortController().signal,
  headers: {},
});

/** The body of an answer as a client parses it. */
export const bodyOf = ({ body }: { readonly body: unknown }): unknown =>
  JSON.parse(body instanceof PreparedJson ? body.text : JSON.stringify(body));

/** The same of an answer that is written piece by piece. */
export async function streamedBodyOf({ body }: { readonly body: unknown }): Promise<unknown> {
  if (!(body instanceof StreamBody)) return bodyOf({ body });
  let json = '';
  for await (const chunk of body.chunks) json += chunk;
  return JSON.parse(json);
}

/** The status and code of the error that a promise rejects with. */
export async function errorOf(
  answer: Promise<unknown> | unknown,
): Promise<{ readonly status: number; readonly code: ErrorCode; readonly cause: string }> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, code: error.code, cause: error.body.cause };
    throw error;
  }
  throw new Error('It was expected to fail and did not.');
}

/** Admits everybody to every experiment. */
export const openScopes: ScopeCheck = { expect: () => {} };
