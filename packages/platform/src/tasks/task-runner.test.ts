import { ApiError, type Json } from '@lcs/contract';
import type { Generated } from 'kysely';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { explain } from '../store/explain.ts';
import { RecordingLog, startedDatabase, temporaryFolder } from '../store/test-database.ts';
import type { TaskKind } from './task-kind.ts';
import type { TaskRecord } from './task-record.ts';
import { TaskRunner } from './task-runner.ts';
import type { TaskRunnerOptions } from './task-runner-options.ts';
import { type TaskTables, taskMigrations } from './task-tables.ts';

interface Tables extends TaskTables {
  birds: { id: Generated<number>; name: string };
}

const migrations = [
  ...taskMigrations,
  {
    set: 'birds',
    id: 1,
    name: 'birds',
    up: 'create table birds (id integer primary key, name text not null unique) strict',
  },
];

/** A runner on a real database; `restart` is what a new process would see. */
const world = async (kinds: readonly TaskKind[], options: Partial<TaskRunnerOptions> = {}) => {
  const folder = await temporaryFolder();
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const database = await startedDatabase<Tables>({ path: folder.file('node.sqlite'), migrations, holds: clock });
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

/** Resolves with the record of the task once it has this status. */
const reaching = async (runner: TaskRunner, taskId: string, status: TaskRecord['status']) => {
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

/** A kind whose tasks end when the test says so. */
const controlled = (kind: string, settings: Partial<TaskKind> = {}) => {
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

const echo: TaskKind = { kind: 'echo', run: (input) => Promise.resolve({ echo: input }) };

describe('a task', () => {
  it('is pending or running until its result is kept, with its times', async () => {
    const work = controlled('work');
    await using w = await world([work.definition]);
    const { taskId } = await w.runner.submit(work.definition, 'a');
    expect(taskId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const createdAt = w.clock.now();
    expect(await w.runner.get(taskId)).toMatchObject({
      status: 'running',
      createdAt,
      startedAt: createdAt,
      finishedAt: null,
    });
    await w.clock.advance(500);
    work.gate('a').resolve({ done: true });
    await reaching(w.runner, taskId, 'succeeded');
    expect(await w.runner.get(taskId)).toMatchObject({
      status: 'succeeded',
      result: { done: true },
      finishedAt: createdAt + 500,
    });
  });

  it('is not known under an id that was never issued', async () => {
    await using w = await world([echo]);
    expect(await w.runner.get('11111111-1111-4111-8111-111111111111')).toBeUndefined();
    expect(await w.runner.get("no id' at all")).toBeUndefined();
  });

  it('fails with the error, cause, remediation and code of an ApiError', async () => {
    const failing: TaskKind = {
      kind: 'failing',
      run: () => Promise.reject(new ApiError('worker_unknown', { unit: 'u9' })),
    };
    await using w = await world([failing]);
    const { taskId } = await w.runner.submit(failing, null);
    const { error, cause, remediation, code } = new ApiError('worker_unknown', { unit: 'u9' }).body;
    expect(await reaching(w.runner, taskId, 'failed')).toMatchObject({ error: { error, cause, remediation, code } });
  });

  it.each<[string, () => Promise<Json>]>([
    ['rejects', () => Promise.reject(new Error('secret detail'))],
    [
      'throws at once',
      () => {
        throw new Error('secret detail');
      },
    ],
    ['throws what is no error', () => Promise.reject('secret detail')],
    ['returns what JSON cannot carry', () => Promise.resolve(JSON.parse('{}', () => 1n))],
  ])('whose code %s fails with a sentence that tells no internals, and its id is in the log', async (_, run) => {
    const crashing: TaskKind = { kind: 'crashing', run };
    await using w = await world([crashing]);
    const { taskId } = await w.runner.submit(crashing, null);
    const record = await reaching(w.runner, taskId, 'failed');
    expect(record).toMatchObject({ error: { code: 'task_crashed', cause: expect.stringContaining(taskId) } });
    expect(JSON.stringify(record)).not.toContain('secret');
    expect(w.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ taskId, kind: 'crashing' }) }),
    );
  });

  it('is recorded with the changes it belongs to, or not at all', async () => {
    const work = controlled('work');
    await using w = await world([work.definition]);
    const together = (name: string) => {
      const task = w.runner.prepare(work.definition, name);
      const written = w.database.write(async (transaction) => {
        await task.insert(transaction);
        await transaction.insertInto('birds').values({ name }).execute();
        expect(work.started).not.toContain(name);
      });
      return { task, written };
    };
    const first = together('wren');
    await first.written;
    expect(work.started).toEqual([]);
    first.task.begin();
    expect(work.started).toEqual(['wren']);
    await w.database.write((transaction) => transaction.insertInto('birds').values({ name: 'owl' }).execute());
    const second = together('owl');
    await expect(second.written).rejects.toMatchObject({ code: 'unique_violation' });
    second.task.abandon();
    expect(await w.runner.get(second.task.taskId)).toBeUndefined();
    expect(work.started).toEqual(['wren']);
  });

  it('tells how far it is at once, and the disk at most once a second', async () => {
    const tell = Promise.withResolvers<(fraction: number | null, message?: string) => void>();
    const working: TaskKind = {
      kind: 'working',
      run: (_, context) => {
        tell.resolve((fraction, message) => context.progress(fraction, message));
        return new Promise(() => {});
      },
    };
    await using w = await world([working]);
    const { taskId } = await w.runner.submit(working, null);
    const heard: (number | null)[] = [];
    w.runner.onChange(({ progress }) => heard.push(progress));
    const progress = await tell.promise;
    const stored = () =>
      w.database.read
        .selectFrom('tasks')
        .select(['progress', 'message', 'status'])
        .where('id', '=', taskId)
        .executeTakeFirst();
    for (let step = 1; step <= 5; step += 1) progress(step / 10, `step ${step}`);
    progress(7);
    expect(heard).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 1]);
    expect(await w.runner.get(taskId)).toMatchObject({ progress: 1, message: 'step 5' });
    expect(await stored()).toEqual({ progress: null, message: null, status: 'pending' });
    const version = w.database.version;
    await w.clock.advance(1_000);
    expect(await stored()).toEqual({ progress: 1, message: 'step 5', status: 'running' });
    await w.clock.advance(60_000);
    expect(w.database.version).toBe(version + 1);
    progress(null);
    expect(await w.runner.get(taskId)).toMatchObject({ progress: null, message: 'step 5' });
  });
});

describe('locks', () => {
  it('let tasks of one name wait as pending, in the order they came', async () => {
    const usb = controlled('usb', { lock: 'usb' });
    await using w = await world([usb.definition, echo]);
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((input) => w.runner.submit(usb.definition, input)));
    expect(usb.started).toEqual(['a']);
    expect(await w.runner.get(b?.taskId ?? '')).toMatchObject({ status: 'pending', startedAt: null });
    const free = await w.runner.submit(echo, 1);
    await reaching(w.runner, free.taskId, 'succeeded');
    for (const [input, task] of [
      ['a', a],
      ['b', b],
      ['c', c],
    ] as const) {
      usb.gate(input).resolve(null);
      await reaching(w.runner, task?.taskId ?? '', 'succeeded');
    }
    expect(usb.started).toEqual(['a', 'b', 'c']);
    expect(w.runner.isBusy('usb')).toBe(false);
  });

  it('that refuse are taken when the request is made: of two at once, one hears that it is busy', async () => {
    const power = controlled('power', { lock: 'power', whenBusy: 'refuse' });
    await using w = await world([power.definition]);
    const [first, second] = await Promise.allSettled([
      w.runner.submit(power.definition, 'a'),
      w.runner.submit(power.definition, 'b'),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'lock_busy' } });
    expect(w.runner.tryHold('power')).toBeUndefined();
    power.gate('a').resolve(null);
    if (first.status === 'fulfilled') await reaching(w.runner, first.value.taskId, 'succeeded');
    const release = w.runner.tryHold('power');
    expect(release).toBeTypeOf('function');
    await expect(w.runner.submit(power.definition, 'c')).rejects.toMatchObject({ code: 'lock_busy' });
    release?.();
    const prepared = w.runner.prepare(power.definition, 'd');
    expect(w.runner.isBusy('power')).toBe(true);
    prepared.abandon();
    expect(w.runner.isBusy('power')).toBe(false);
  });

  it('may depend on the input', async () => {
    const copy = controlled('copy', { locks: (input) => (input === 'to usb' ? ['export', 'usb'] : ['export']) });
    await using w = await world([copy.definition]);
    await w.runner.submit(copy.definition, 'to usb');
    expect([w.runner.isBusy('usb'), w.runner.isBusy('export')]).toEqual([true, true]);
  });

  it('leave the stops alone: they run at once when all places are taken', async () => {
    const work = controlled('work');
    const stop = controlled('stop', { lane: 'stop' });
    await using w = await world([work.definition, stop.definition], { concurrency: 2 });
    for (const input of ['a', 'b', 'c']) await w.runner.submit(work.definition, input);
    await w.runner.submit(stop.definition, 'now');
    expect(work.started).toEqual(['a', 'b']);
    expect(stop.started).toEqual(['now']);
  });
});

describe('cancelling', () => {
  it('ends a waiting task at once, and it never runs', async () => {
    const usb = controlled('usb', { lock: 'usb' });
    await using w = await world([usb.definition]);
    await w.runner.submit(usb.definition, 'a');
    const { taskId } = await w.runner.submit(usb.definition, 'b');
    expect(await w.runner.cancel(taskId)).toMatchObject({ status: 'failed', error: { code: 'task_cancelled' } });
    usb.gate('a').resolve(null);
    await w.clock.advance(0);
    expect(usb.started).toEqual(['a']);
    expect(w.runner.isBusy('usb')).toBe(false);
  });

  it('ends a running task as soon as its code obeys', async () => {
    const obedient: TaskKind = {
      kind: 'obedient',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    await using w = await world([obedient]);
    const { taskId } = await w.runner.submit(obedient, null);
    expect(await w.runner.cancel(taskId)).toMatchObject({ cancelRequested: true });
    expect(await reaching(w.runner, taskId, 'failed')).toMatchObject({ error: { code: 'task_cancelled' } });
    expect(w.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('ends the record of a task that does not obey after 10 s, and keeps its lock until its code has ended', async () => {
    const deaf = controlled('deaf', { lock: 'usb' });
    await using w = await world([deaf.definition]);
    const { taskId } = await w.runner.submit(deaf.definition, 'a');
    await w.runner.submit(deaf.definition, 'b');
    await w.runner.cancel(taskId);
    await w.clock.advance(9_999);
    expect(await w.runner.get(taskId)).toMatchObject({ status: 'running', cancelRequested: true });
    await w.clock.advance(1);
    expect(await reaching(w.runner, taskId, 'failed')).toMatchObject({ error: { code: 'task_cancelled' } });
    expect(deaf.started).toEqual(['a']);
    deaf.gate('a').resolve('too late');
    await w.clock.advance(0);
    expect(deaf.started).toEqual(['a', 'b']);
    expect(await w.runner.get(taskId)).toMatchObject({ status: 'failed' });
  });

  it('ends failed although its code went on to a result', async () => {
    const deaf = controlled('deaf');
    await using w = await world([deaf.definition]);
    const { taskId } = await w.runner.submit(deaf.definition, 'a');
    await w.runner.cancel(taskId);
    deaf.gate('a').resolve('done all the same');
    expect(await reaching(w.runner, taskId, 'failed')).toMatchObject({ error: { code: 'task_cancelled' } });
  });

  it('is refused for a task that has ended, or never was', async () => {
    await using w = await world([echo]);
    const { taskId } = await w.runner.submit(echo, 1);
    await reaching(w.runner, taskId, 'succeeded');
    await expect(w.runner.cancel(taskId)).rejects.toMatchObject({ code: 'task_finished' });
    await expect(w.runner.cancel('nobody')).rejects.toMatchObject({ code: 'task_not_found' });
  });
});

describe('a restart', () => {
  it('runs what can be resumed again, in order, and fails the rest with that cause', async () => {
    const resumable = controlled('resumable', { resumable: true, lock: 'update' });
    const fragile = controlled('fragile', { lock: 'usb' });
    await using w = await world([resumable.definition, fragile.definition, echo]);
    const ids: string[] = [];
    for (const { definition } of [resumable, fragile]) {
      for (const input of ['a', 'b']) ids.push((await w.runner.submit(definition, input)).taskId);
    }
    const finished = await w.runner.submit(echo, 1);
    await reaching(w.runner, finished.taskId, 'succeeded');
    // The runner of a process that was killed says nothing more; a second one stands for the next process.
    const again = controlled('resumable', { resumable: true, lock: 'update' });
    const next = await w.startRunner([again.definition, fragile.definition]);
    expect(again.started).toEqual(['a']);
    const records = await Promise.all(ids.map((id) => next.get(id)));
    expect(records.map((record) => record?.status)).toEqual(['running', 'pending', 'failed', 'failed']);
    expect(records[2]).toMatchObject({
      error: { code: 'task_interrupted', cause: expect.stringContaining('cut by a restart') },
    });
    expect(await next.get(finished.taskId)).toMatchObject({ status: 'succeeded' });
    again.gate('a').resolve('resumed');
    expect(await reaching(next, ids[0] ?? '', 'succeeded')).toMatchObject({ result: 'resumed' });
  });

  it('does not resume what was to be cancelled', async () => {
    const resumable = controlled('resumable', { resumable: true });
    await using w = await world([resumable.definition]);
    const { taskId } = await w.runner.submit(resumable.definition, 'a');
    await w.runner.cancel(taskId);
    const next = await w.startRunner([controlled('resumable', { resumable: true }).definition]);
    expect(await next.get(taskId)).toMatchObject({ status: 'failed', error: { code: 'task_cancelled' } });
  });

  it('in good order asks the tasks to end, waits 3 s at most, and leaves the rest to the next start', async () => {
    const obedient: TaskKind = {
      kind: 'obedient',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    const deaf = controlled('deaf');
    await using w = await world([obedient, { ...obedient, kind: 'resumable', resumable: true }, deaf.definition]);
    const cut = await w.runner.submit(obedient, null);
    const resumed = await w.runner.submit({ ...obedient, kind: 'resumable' }, null);
    const left = await w.runner.submit(deaf.definition, 'a');
    const stopped = w.runner.stop();
    await expect(w.runner.submit(obedient, null)).rejects.toMatchObject({ code: 'shutting_down' });
    await w.clock.advance(3_000);
    await stopped;
    expect(w.clock.pendingTimers).toBe(0);
    const status = async (taskId: string) =>
      (await w.database.read.selectFrom('tasks').select('status').where('id', '=', taskId).executeTakeFirst())?.status;
    expect(await status(cut.taskId)).toBe('failed');
    expect(await status(resumed.taskId)).toBe('running');
    expect(await status(left.taskId)).toBe('running');
    const next = await w.startRunner([{ ...obedient, kind: 'resumable', resumable: true }]);
    expect(await next.get(resumed.taskId)).toMatchObject({ status: 'running' });
    expect(await next.get(left.taskId)).toMatchObject({ error: { code: 'task_interrupted' } });
  });
});

describe('finished tasks', () => {
  it('are forgotten 24 hours after their end, to the minute, and deleted soon after', async () => {
    await using w = await world([echo]);
    const { taskId } = await w.runner.submit(echo, 1);
    await reaching(w.runner, taskId, 'succeeded');
    await w.clock.advance(24 * 3_600_000 - 1);
    expect(await w.runner.get(taskId)).toMatchObject({ status: 'succeeded' });
    await w.clock.advance(1);
    expect(await w.runner.get(taskId)).toBeUndefined();
    expect(await w.runner.list()).toEqual([]);
    await w.clock.advance(600_000);
    expect(await w.database.read.selectFrom('tasks').select('id').execute()).toEqual([]);
  });

  it('are kept up to a number, the oldest deleted first', async () => {
    await using w = await world([echo], { retention: { most: 3 } });
    const ids: string[] = [];
    for (let input = 1; input <= 5; input += 1) {
      const { taskId } = await w.runner.submit(echo, input);
      await reaching(w.runner, taskId, 'succeeded');
      await w.clock.advance(1);
      ids.unshift(taskId);
    }
    await w.clock.advance(600_000);
    expect((await w.runner.list()).map(({ taskId }) => taskId)).toEqual(ids.slice(0, 3));
  });

  it('are deleted some at a time until all are gone', async () => {
    await using w = await world([echo]);
    await w.database.write(async (transaction) => {
      const rows = Array.from({ length: 950 }, (_, index) => ({
        id: `old ${index}`,
        kind: 'echo',
        locks: '[]',
        input: '1',
        status: 'succeeded' as const,
        result: '1',
        cancel_requested: 0,
        created_at_ms: 0,
        finished_at_ms: index,
      }));
      await transaction.insertInto('tasks').values(rows).execute();
    });
    await w.clock.advance(600_000);
    expect(await w.database.read.selectFrom('tasks').select('id').execute()).toEqual([]);
  });

  it('are listed after the unfinished ones, newest first, by kind and status', async () => {
    const work = controlled('work');
    await using w = await world([work.definition, echo]);
    const done = await w.runner.submit(echo, 1);
    await reaching(w.runner, done.taskId, 'succeeded');
    const a = await w.runner.submit(work.definition, 'a');
    const b = await w.runner.submit(work.definition, 'b');
    const ids = async (filter = {}) => (await w.runner.list(filter)).map(({ taskId }) => taskId);
    expect(await ids()).toEqual([b.taskId, a.taskId, done.taskId]);
    expect(await ids({ status: 'succeeded' })).toEqual([done.taskId]);
    expect(await ids({ kind: 'work' })).toEqual([b.taskId, a.taskId]);
    expect(await ids({ limit: 1 })).toEqual([b.taskId]);
  });

  it('are found, listed and cleaned up by way of indexes', async () => {
    await using w = await world([echo]);
    const tasks = w.database.read.selectFrom('tasks').selectAll();
    const byFinish = tasks
      .where('finished_at_ms', '>', 1)
      .orderBy('finished_at_ms', 'desc')
      .orderBy('seq', 'desc')
      .limit(9);
    for (const query of [
      tasks.where('id', '=', 'a'),
      byFinish,
      tasks.where('finished_at_ms', 'is', null).orderBy('seq'),
    ]) {
      const plan = await explain(w.database.read, query);
      expect(plan).toHaveLength(1);
      expect(plan[0]).toContain('INDEX');
    }
  });
});

describe('a disk that takes no end of a task', () => {
  it('does not keep the result from those who ask, and is tried again', async () => {
    const work = controlled('work');
    const folder = await temporaryFolder();
    const clock = new VirtualClock();
    const database = await startedDatabase<Tables>({ path: folder.file('node.sqlite'), migrations, holds: clock });
    let isFull = false;
    const runner = new TaskRunner({
      clock,
      log: new RecordingLog(),
      database: {
        read: database.read,
        bulk: (statements) => database.bulk(statements),
        write: (change) => (isFull ? Promise.reject(new Error('disk full')) : database.write(change)),
      },
    });
    runner.register(work.definition);
    await runner.start(new AbortController().signal);
    const { taskId } = await runner.submit(work.definition, 'a');
    isFull = true;
    work.gate('a').resolve('a result');
    await reaching(runner, taskId, 'succeeded');
    expect(await runner.get(taskId)).toMatchObject({ result: 'a result' });
    await clock.advance(5_000);
    isFull = false;
    await clock.advance(5_000);
    const stored = await database.read.selectFrom('tasks').select('result').where('id', '=', taskId).execute();
    expect(stored).toEqual([{ result: '"a result"' }]);
    await runner.stop();
    expect(clock.pendingTimers).toBe(0);
    await database.stop();
    await folder[Symbol.asyncDispose]();
  });
});
