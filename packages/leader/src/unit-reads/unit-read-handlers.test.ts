import { expect, it } from 'vitest';
import { FleetTasks } from '../jobs/fleet-tasks.ts';
import { request, startTestLeader } from '../testing/test-leader.ts';
import { unitReadHandlers } from './unit-read-handlers.ts';

it('a caller that leaves, and a leader that stops, do not wait for a silent unit', async () => {
  await using leader = await startTestLeader();
  const fleet = { ...leader.context.fleet, read: () => new Promise<never>(() => {}) };
  const context = { ...leader.context, fleet };
  const left = new AbortController();
  const answer = unitReadHandlers(context, new FleetTasks(context)).listDistinctCapabilities({
    ...request({}, undefined),
    signal: left.signal,
  });
  left.abort(new Error('The caller has left.'));
  await expect(answer).rejects.toThrow('The caller has left.');
});
