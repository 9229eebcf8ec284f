import { expect, it } from 'vitest';
import { stirring, world } from '../testing/test-jobs.ts';
import { JobRuntime } from './job-runtime.ts';

const bubbler = stirring(() => ({}), { name: 'bubbler' });

it('starts jobs that were added while it runs, and no longer when they were taken away', async () => {
  await using w = await world([stirring()]);
  await w.runtime.setAdded([bubbler]);
  expect(w.runtime.definitions().map(({ name }) => name)).toEqual(['stirring', 'bubbler']);
  expect(await w.run('bubbler')).toMatchObject({ ok: true, state: 'ready' });
  await w.runtime.setAdded([]);
  // What runs goes on as it was defined.
  expect(w.runtime.settings('bubbler')).toMatchObject({ $state: 'ready' });
  await expect(w.run('bubbler')).rejects.toMatchObject({ code: 'job_unknown' });
  expect(await w.runtime.stopJobs({})).toMatchObject({ stopped: [{ job_name: 'bubbler' }] });
});

it('keeps an interrupted job for resuming while its definition exists', async () => {
  const added = [bubbler];
  await using w = await world([]);
  await w.runtime.setAdded(added);
  await w.run('bubbler');
  await w.runtime.stop();

  const next = new JobRuntime(w.options);
  await next.setAdded(added);
  await next.start(new AbortController().signal);
  expect(next.interrupted.map(({ jobName }) => jobName)).toEqual(['bubbler']);
  await next.setAdded([]);
  expect(next.interrupted).toEqual([]);
  expect(await next.stopJobs({})).toEqual({ stopped: [], still_running: [] });
  await next.stop();

  const last = new JobRuntime(w.options);
  await last.setAdded(added);
  await last.start(new AbortController().signal);
  expect(last.interrupted).toEqual([]);
});
