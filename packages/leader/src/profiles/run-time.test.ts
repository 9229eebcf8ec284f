import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { RunTime } from './run-time.ts';

const fresh = (clock: VirtualClock) =>
  new RunTime(clock, { startedAt: clock.now(), pausedForMs: 0, pausedAfterMs: undefined });
const never = new AbortController().signal;

/** Whether it has been reached, once things have come to rest. */
function watched(promise: Promise<boolean>) {
  const seen: { outcome?: boolean } = {};
  void promise.then((outcome) => {
    seen.outcome = outcome;
  });
  return seen;
}

describe('the own time of a run', () => {
  it('goes with the clock, whatever happens to the wall clock', async () => {
    const clock = new VirtualClock();
    const time = fresh(clock);
    const seen = watched(time.reached(1_000, never));
    clock.stepWallClock(-86_400_000);
    await clock.advance(999);
    expect([time.elapsedMs, seen.outcome]).toEqual([999, undefined]);
    await clock.advance(1);
    expect([time.elapsedMs, seen.outcome]).toEqual([1_000, true]);
  });

  it('does not advance during a pause, and later steps move by the pause', async () => {
    const clock = new VirtualClock();
    const time = fresh(clock);
    const seen = watched(time.reached(1_000, never));
    await clock.advance(400);
    expect(time.pause()).toEqual({ pausedForMs: 0, pausedAfterMs: 400 });
    await clock.advance(5_000);
    expect([time.elapsedMs, seen.outcome]).toEqual([400, undefined]);
    expect(time.resume()).toEqual({ pausedForMs: 5_000, pausedAfterMs: undefined });
    expect(time.dueAt(1_000)).toBe(clock.now() + 600);
    await clock.advance(599);
    expect(seen.outcome).toBeUndefined();
    await clock.advance(1);
    expect(seen.outcome).toBe(true);
  });

  it('is what it was after a restart: later by the time away, or still paused', async () => {
    const clock = new VirtualClock();
    const startedAt = clock.now();
    await clock.advance(10_000);
    expect(new RunTime(clock, { startedAt, pausedForMs: 4_000, pausedAfterMs: undefined }).elapsedMs).toBe(6_000);
    const paused = new RunTime(clock, { startedAt, pausedForMs: 0, pausedAfterMs: 2_000 });
    expect(paused.elapsedMs).toBe(2_000);
    paused.resume();
    await clock.advance(500);
    expect(paused.elapsedMs).toBe(2_500);
  });

  it('is waited for no longer than its signal allows, paused or not', async () => {
    const clock = new VirtualClock();
    const time = fresh(clock);
    const ending = new AbortController();
    const [running, paused] = [watched(time.reached(1_000, ending.signal)), fresh(clock)];
    paused.pause();
    const waiting = watched(paused.reached(1_000, ending.signal));
    await clock.advance(1);
    ending.abort();
    await clock.advance(1);
    expect([running.outcome, waiting.outcome]).toEqual([false, false]);
    expect(await time.reached(0, ending.signal)).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});
