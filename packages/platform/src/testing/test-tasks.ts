import type { Json } from '@lcs/contract';
import type { Generated } from 'kysely';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { TaskKind } from '../tasks/task-kind.ts';
import type { TaskRecord } from '../tasks/task-record.ts';
import { TaskRunner } from '../tasks/task-runner.ts';
import type { TaskRunnerOptions } from '../tasks/task-runner-options.ts';
import { type TaskTables, taskMigrations } from '../tasks/task-tables.ts';
import { RecordingLog, startedDatabase, temporaryFolder } from './test-database.ts';
import { testWriter } from './test-writer.ts';

export interface Tables extends TaskTables {
  birds: { id: Generated<number>; name: string };
}

export const migrations = [
  ...taskMigrations,
  {
    set: 'birds',
    id: 1,
    name: 'birds',
    up: 'create table birds (id integer primary key, name text not null unique) strict',
  },
];

/** A runner on a real database; `restart` is the view of a new process. */
export const world = async (kinds: readonly TaskKind[], options: Partial<TaskRunnerOptions> = {}) => {
  const folder = await temporaryFolder();
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const writer = testWriter();
  const database = await startedDatabase<Tables>({
    path: folder.file('node.sqlite'),
    migrations,
    holds: clock,
    writer,
  });
  const runners: TaskRunner[] = [];
  const startRunner = async (registered = kinds) => {
    const runner = new TaskRunner({ database, clock, log, ...options });
    for (const kind of registered) runner.register(kind);
    runners.push(runner);
    await runner.start(new AbortController().signal);
    return runner;
  };
  return {
    database,
    clock,
    log,
    runner: await startRunner(),
    startRunner,
    [Symbol.asyncDispose]: async () => {
      for (const runner of runners) {
        const stopped = runner.stop();
        await clock.advance(3_000);
        await stopped;
      }
      await database.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
};

/** Resolves with the record of the task when it has this status. */
export const reaching = async (runner: TaskRunner, taskId: string, status: TaskRecord['status']) => {
  const reached = Promise.withResolvers<TaskRecord>();
  const unsubscribe = runner.onChange((record) => {
    if (record.taskId === taskId && record.status === status) reached.resolve(record);
  });
  const now = await runner.get(taskId);
  if (now?.status === status) reached.resolve(now);
  const record = await reached.promise;
  unsubscribe();
  return record;
};

/** A kind whose tasks end when the test calls for it. */
export const controlled = (kind: string, settings: Partial<TaskKind> = {}) => {
  const started: Json[] = [];
  const gates = new Map<Json, PromiseWithResolvers<Json>>();
  const gate = (input: Json) => {
    const known = gates.get(input) ?? Promise.withResolvers<Json>();
    gates.set(input, known);
    return known;
  };
  const signals = new Map<Json, AbortSignal>();
  const definition: TaskKind = {
    kind,
    ...settings,
    run: (input, { signal }) => {
      started.push(input);
      signals.set(input, signal);
      return gate(input).promise;
    },
  };
  return { definition, started, gate, signals };
};

export const echo: TaskKind = { kind: 'echo', run: (input) => Promise.resolve({ echo: input }) };
