import { StoreError, silentLog, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { BusTopic } from './job-bus.ts';
import type { JobTopics } from './job-definition.ts';
import { keepRunning } from './keep-running.ts';

it('keeps no timer when it is stopped while a start fails', async () => {
  const clock = new VirtualClock();
  const start = Promise.withResolvers<never>();
  const topics: JobTopics = {
    readings: new BusTopic(),
    events: new BusTopic(),
    states: new BusTopic(),
    settings: new BusTopic(),
  };
  const kept = keepRunning('monitor', { topics, runOwn: () => start.promise }, silentLog(), clock);
  const started = kept.start(new AbortController().signal);
  await kept.stop();
  start.reject(new StoreError('busy', 'The database is locked.'));
  await started;
  expect(clock.pendingTimers).toBe(0);
});
