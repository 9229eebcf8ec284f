import { describe, expect, it } from 'vitest';
import { actingAccount, onBehalfOf } from '../acting/acting-account.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { explain } from '../store/explain.ts';
import { RecordingLog, startedDatabase, temporaryFolder } from '../testing/test-database.ts';
import { controlled, echo, migrations, reaching, type Tables, world } from '../testing/test-tasks.ts';
import { testWriter } from '../testing/test-writer.ts';
import type { TaskKind } from './task-kind.ts';
import { TaskRunner } from './task-runner.ts';
import { TaskStore } from './task-store.ts';
import { taskMigrations } from './task-tables.ts';

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
      error: { code: 'task_interrupted' },
    });
    expect(await next.get(finished.taskId)).toMatchObject({ status: 'succeeded' });
    again.gate('a').resolve('resumed');
    expect(await reaching(next, ids[0] ?? '', 'succeeded')).toMatchObject({ result: 'resumed' });
  });

  it('lets a task act for whoever requested it', async () => {
    const seen: (string | null)[] = [];
    const kind: TaskKind = {
      kind: 'acting',
      resumable: true,
      run: async (_, { signal }) => {
        seen.push(actingAccount());
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return null;
      },
    };
    await using w = await world([kind]);
    const { taskId } = await onBehalfOf('anna', () => w.runner.submit(kind, 1));
    await reaching(w.runner, taskId, 'running');
    const next = await w.startRunner([kind]);
    expect(await reaching(next, taskId, 'running')).toMatchObject({ startedBy: 'anna' });
    expect(seen).toEqual(['anna', 'anna']);
  });

  it('opens a database of a version that did not record who requested a task', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('old.sqlite');
    const old = await startedDatabase<Tables>({ path, migrations: taskMigrations.slice(0, 1), writer: testWriter() });
    const task = { id: 'old', kind: 'echo', locks: '[]', input: '1', status: 'succeeded', result: '1' } as const;
    const times = { cancel_requested: 0, created_at_ms: 0, started_at_ms: 0, finished_at_ms: 1 };
    await old.write((transaction) =>
      transaction
        .insertInto('tasks')
        .values({ ...task, ...times })
        .execute(),
    );
    await old.stop();
    await using database = await startedDatabase<Tables>({ path, migrations: taskMigrations, writer: testWriter() });
    expect(await new TaskStore(database).find('old')).toMatchObject({ status: 'succeeded', startedBy: null });
  });

  it('does not resume what was to be cancelled', async () => {
    const resumable = controlled('resumable', { resumable: true });
    await using w = await world([resumable.definition]);
    const { taskId } = await w.runner.submit(resumable.definition, 'a');
    await w.runner.cancel(taskId);
    const next = await w.startRunner([controlled('resumable', { resumable: true }).definition]);
    expect(await next.get(taskId)).toMatchObject({ status: 'failed', error: { code: 'task_cancelled' } });
  });

  it('aborts the running tasks, waits 3 s at most, and leaves the rest to the next start', async () => {
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
    await using w = await world([echo], { retention: { maxTasks: 3 } });
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

  it('are deleted some at a time until none is left', async () => {
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

describe('progress that reaches the disk after the end', () => {
  it('changes nothing any more', async () => {
    const work = controlled('work');
    await using w = await world([]);
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const runner = new TaskRunner({
      clock: w.clock,
      log: w.log,
      database: {
        read: w.database.read,
        write: (change) => w.database.write(change),
        bulk: async (statements) => {
          asked.resolve();
          await goOn.promise;
          await w.database.bulk(statements);
        },
      },
    });
    runner.register(work.definition);
    await runner.start(new AbortController().signal);
    const { taskId } = await runner.submit(work.definition, 'a');
    await w.clock.advance(1_000);
    await asked.promise;
    work.gate('a').resolve('a result');
    await reaching(runner, taskId, 'succeeded');
    goOn.resolve();
    await runner.stop();
    expect(await runner.get(taskId)).toMatchObject({ status: 'succeeded', result: 'a result' });
  });
});
