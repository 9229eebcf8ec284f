import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { RunTime } from './run-time.ts';

const fresh = (clock: VirtualClock) =>
  new RunTime(clock, { startedAt: clock.now(), pausedForMs: 0, pausedAfterMs: undefined });
const never = new AbortController().signal;

/** Whether it has been reached, once things have come to rest. */
function watched<Outcome>(promise: Promise<Outcome>) {
  const seen: { outcome?: Outcome } = {};
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
    expect([time.elapsedMs, seen.outcome]).toEqual([1_000, 'reached']);
  });

  it('does not advance during a pause, and later steps move by the pause', async () => {
    const clock = new VirtualClock();
    const time = fresh(clock);
    const seen = watched(time.reached(1_000, never));
    await clock.advance(400);
    time.pause();
    expect(time.position).toEqual({ pausedForMs: 0, pausedAfterMs: 400 });
    await clock.advance(5_000);
    expect([time.elapsedMs, seen.outcome]).toEqual([400, undefined]);
    time.resume();
    expect(time.position).toEqual({ pausedForMs: 5_000, pausedAfterMs: undefined });
    expect(time.dueAt(1_000)).toBe(clock.now() + 600);
    await clock.advance(1);
    expect(seen.outcome).toBe('changed');
    const again = watched(time.reached(1_000, never));
    await clock.advance(598);
    expect(again.outcome).toBeUndefined();
    await clock.advance(1);
    expect(again.outcome).toBe('reached');
  });

  it('jumps forward, running or paused, also over a restart, and never back', async () => {
    const clock = new VirtualClock();
    const startedAt = clock.now();
    const time = fresh(clock);
    const seen = watched(time.reached(60_000, never));
    await clock.advance(1_000);
    const stored = time.positionAt(60_000);
    time.jump(60_000);
    await clock.advance(1_000);
    expect([seen.outcome, time.elapsedMs]).toEqual(['changed', 61_000]);
    expect(new RunTime(clock, { startedAt, ...stored }).elapsedMs).toBe(61_000);
    time.jump(5);
    expect(time.elapsedMs).toBe(61_000);
    time.pause();
    time.jump(90_000);
    expect(time.position.pausedAfterMs).toBe(90_000);
    time.resume();
    await clock.advance(1_000);
    expect(time.elapsedMs).toBe(91_000);
    expect(new RunTime(clock, { startedAt, ...time.position }).elapsedMs).toBe(91_000);
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
    expect([running.outcome, waiting.outcome]).toEqual(['ended', 'ended']);
    expect(await time.reached(0, ending.signal)).toBe('ended');
    expect(clock.pendingTimers).toBe(0);
  });
});
