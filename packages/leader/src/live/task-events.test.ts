import { type TaskRecord, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { TaskEvents } from './task-events.ts';

const pending: TaskRecord = {
  taskId: 'a',
  kind: 'export',
  locks: [],
  status: 'pending',
  progress: null,
  message: null,
  cancelRequested: false,
  startedBy: null,
  createdAt: 0,
  startedAt: null,
  finishedAt: null,
};
const running = (progress: number, taskId = 'a'): TaskRecord => ({
  ...pending,
  taskId,
  status: 'running',
  startedAt: 1,
  progress,
});
const succeeded: TaskRecord = { ...pending, status: 'succeeded', startedAt: 1, result: true, finishedAt: 2 };

function startEvents() {
  const wire = new VirtualClock();
  const listeners = new Set<(record: TaskRecord) => void>();
  const published: (number | string | null)[] = [];
  const events = new TaskEvents({
    wire,
    tasks: {
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    live: {
      publish: (_name, _key, data) => {
        if ('progress' in data) published.push(data.progress);
        else if ('status' in data) published.push(String(data.status));
      },
    },
  });
  const change = (record: TaskRecord) => {
    for (const listener of listeners) listener(record);
  };
  return { wire, events, published, change, listeners };
}

it('publishes progress of a task at most four times a second, and always the last report', async () => {
  const { wire, events, published, change } = startEvents();
  await events.start();
  for (let report = 0; report <= 1_000; report += 1) {
    change(running(report / 1_000));
    await wire.advance(1);
  }
  expect(published.length).toBeLessThanOrEqual(5);
  await wire.advance(250);
  expect(published.at(-1)).toBe(1);
});

it('publishes a new status at once, and nothing older after it', async () => {
  const { wire, events, published, change } = startEvents();
  await events.start();
  change(pending);
  change(running(0));
  change(running(0.5));
  change(succeeded);
  expect(published).toEqual([null, 0, 'succeeded']);
  await wire.advance(1_000);
  expect(published).toHaveLength(3);
});

it('limits each task by itself', async () => {
  const { events, published, change } = startEvents();
  await events.start();
  change(running(0.1));
  change(running(0.2, 'b'));
  expect(published).toEqual([0.1, 0.2]);
});

it('publishes nothing after its stop', async () => {
  const { wire, events, published, change, listeners } = startEvents();
  await events.start();
  change(running(0.1));
  change(running(0.2));
  await events.stop();
  await wire.advance(1_000);
  expect(published).toEqual([0.1]);
  expect(listeners.size).toBe(0);
});
