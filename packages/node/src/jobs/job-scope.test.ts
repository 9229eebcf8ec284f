import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { JobEnded, JobScope } from './job-scope.ts';

describe('the clock of a job', () => {
  it('sleeps for the given time', async () => {
    const clock = new VirtualClock();
    const scope = new JobScope(clock, () => {});
    let wokeAtMs: number | undefined;
    void scope.clock.sleep(1_000).then(() => {
      wokeAtMs = clock.monotonic();
    });
    await clock.advance(5_000);
    expect(wokeAtMs).toBe(1_000);
    scope.close();
  });

  it('wakes all who sleep when the job ends, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const scope = new JobScope(clock, () => {});
    const sleeps = [scope.clock.sleep(1_000), scope.clock.sleep(1_000, new AbortController().signal)];
    scope.close();
    for (const sleep of sleeps) await expect(sleep).rejects.toThrow(JobEnded);
    await expect(scope.clock.sleep(1_000)).rejects.toThrow(JobEnded);
    expect(clock.pendingTimers).toBe(0);
  });
});
