import { ApiError, PreparedJson } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import {
  endedTask,
  failureOf,
  isFinished,
  startedTask,
  successOf,
  type TaskRecord,
  type TaskStatus,
  taskTransitions,
  type UnfinishedTaskRecord,
} from './task-record.ts';

const pending: UnfinishedTaskRecord = {
  taskId: 't',
  kind: 'k',
  locks: [],
  status: 'pending',
  progress: null,
  message: null,
  cancelRequested: false,
  startedBy: null,
  createdAt: 1,
  startedAt: null,
  finishedAt: null,
};
const running = startedTask(pending, 2);
const failure = failureOf(new ApiError('task_cancelled', { taskId: 't' }));
const inStatus: { [Status in TaskStatus]: TaskRecord } = {
  pending,
  running,
  succeeded: endedTask(running, successOf(1), 3),
  failed: endedTask(pending, failure, 3),
};
const statuses: readonly TaskStatus[] = ['pending', 'running', 'succeeded', 'failed'];

describe('the life of a task', () => {
  const ways = statuses.flatMap((from) =>
    statuses.map((to) => ({ from, to, allowed: taskTransitions[from].includes(to) })),
  );

  it.each(ways.filter(({ to }) => to === 'succeeded' || to === 'failed'))(
    'ends from $from as $to: $allowed',
    ({ from, to, allowed }) => {
      const end = () => endedTask(inStatus[from], to === 'succeeded' ? successOf(1) : failure, 9);
      if (allowed) expect(end()).toMatchObject({ status: to, finishedAt: 9 });
      else expect(end).toThrow();
    },
  );

  it('starts from pending only, and never goes back', () => {
    expect(running).toMatchObject({ status: 'running', startedAt: 2 });
    expect(() => startedTask(running, 3)).toThrow();
    expect(ways.filter(({ to, allowed }) => to === 'pending' && allowed)).toEqual([]);
  });

  it('is over once it succeeded or failed', () => {
    expect(statuses.filter(isFinished)).toEqual(['succeeded', 'failed']);
  });

  it('takes any result that JSON can carry, nothing as null, and no other', () => {
    expect(successOf({ a: [1, null] })).toEqual({ status: 'succeeded', result: { a: [1, null] } });
    expect(successOf(undefined)).toEqual({ status: 'succeeded', result: null });
    expect(successOf(PreparedJson.of({ a: 1 }))).toEqual({ status: 'succeeded', result: { a: 1 } });
    expect(() => successOf(() => {})).toThrow(TypeError);
    expect(() => successOf(1n)).toThrow(TypeError);
  });
});
