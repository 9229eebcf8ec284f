import { actingAccount, onBehalfOf } from '@lcs/platform';
import { expect, it } from 'vitest';
import { contexts, stirring, world } from '../testing/test-jobs.ts';

it('a job names who started it, also after a restart; what it does later, it does by itself', async () => {
  const acting: (string | null)[] = [];
  const job = contexts(() => {
    acting.push(actingAccount());
    return {
      apply: () => void acting.push(actingAccount()),
      sleep: () => void acting.push(actingAccount()),
    };
  });
  await using w = await world([stirring(job.start)]);
  await onBehalfOf('anna', () => w.run('stirring'));
  expect(job.last().startedBy).toBe('anna');
  await onBehalfOf('ben', () => w.runtime.update({ jobName: 'stirring' }, { target_rpm: 300 }, 'http'));
  await onBehalfOf('ben', () => w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http'));
  expect(acting).toEqual([null, null, null]);
  expect(w.said).toContain('stirring INFO ben has set target_rpm = 300.');
  await w.runtime.stop();

  const next = await w.startRuntime();
  const [cut] = next.interrupted;
  if (cut === undefined) throw new Error('The job is not known.');
  await onBehalfOf('ben', () => next.resume(cut));
  expect(job.last().startedBy).toBe('anna');
  expect((await next.history(10)).map(({ startedBy }) => startedBy)).toEqual(['anna', 'anna']);
});

it('a job that nobody with an account started names nobody', async () => {
  const job = contexts();
  await using w = await world([stirring(job.start)]);
  await w.run('stirring');
  expect(job.last()).not.toHaveProperty('startedBy');
});
