import { ApiError, type Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { controlled, echo, reaching, world } from '../testing/test-tasks.ts';
import type { TaskKind } from './task-kind.ts';

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

  it('fails with the error, cause, remediation, code and field of an ApiError', async () => {
    const refused = new ApiError('job_setting_invalid', { job: 'stirring', setting: 'target_rpm', cause: 'c' });
    const failing: TaskKind = {
      kind: 'failing',
      run: () => Promise.reject(refused),
    };
    await using w = await world([failing]);
    const { taskId } = await w.runner.submit(failing, null);
    const { status: _, ...reason } = refused.body;
    expect(await reaching(w.runner, taskId, 'failed')).toMatchObject({ error: reason });
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
  ])('whose code %s fails with a sentence without internals, and its ID is in the log', async (_, run) => {
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

  it('publishes its progress at once, and stores it at most once a second', async () => {
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

  it('that refuse are taken when the request is made: of two at once, one is refused as busy', async () => {
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

  it('ends a running task as soon as its code reacts to the signal', async () => {
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

  it('ends the record of a task that ignores the signal after 10 s, and keeps its lock until its code has ended', async () => {
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
