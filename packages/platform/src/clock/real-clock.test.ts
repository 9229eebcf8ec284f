import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realClock } from './real-clock.ts';

describe('the real clock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fires once, and not before the time has come', () => {
    const fired = vi.fn();
    realClock().after(1000, fired);
    vi.advanceTimersByTime(999);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5000);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('waits for delays longer than a 32-bit timer can hold', () => {
    const fired = vi.fn();
    const fortyDaysMs = 40 * 24 * 3600 * 1000;
    realClock().after(fortyDaysMs, fired);
    vi.advanceTimersByTime(fortyDaysMs - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('repeats on its grid until it is cancelled', () => {
    const fired = vi.fn();
    const cancel = realClock().every(100, fired);
    vi.advanceTimersByTime(1050);
    expect(fired).toHaveBeenCalledTimes(10);
    cancel();
    cancel();
    vi.advanceTimersByTime(1000);
    expect(fired).toHaveBeenCalledTimes(10);
  });

  it('allows an action to cancel its own repetition', () => {
    const cancel = realClock().every(100, () => {
      times += 1;
      cancel();
    });
    let times = 0;
    vi.advanceTimersByTime(1000);
    expect(times).toBe(1);
  });

  it('leaves out the ticks missed in a stall instead of running them in a burst', () => {
    const clock = realClock();
    const startMs = clock.monotonic();
    const firedAtMs: number[] = [];
    const cancel = clock.every(100, () => firedAtMs.push(clock.monotonic() - startMs));
    vi.advanceTimersByTime(100);
    const fakeNow = performance.now.bind(performance);
    const stalledForMs = 350;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => fakeNow() + stalledForMs);
    vi.advanceTimersByTime(250);
    expect(firedAtMs).toEqual([100, 550, 600, 700]);
    now.mockRestore();
    cancel();
  });

  it('sleeps, and wakes with the reason of the signal when it is aborted', async () => {
    const clock = realClock();
    const slept = clock.sleep(50);
    vi.advanceTimersByTime(50);
    await slept;
    const stop = new AbortController();
    const cut = clock.sleep(50, stop.signal);
    stop.abort(new Error('the node stops'));
    await expect(cut).rejects.toThrow('the node stops');
    await expect(clock.sleep(50, stop.signal)).rejects.toThrow('the node stops');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses delays and intervals that mean nothing', () => {
    const clock = realClock();
    expect(() => clock.after(Number.NaN, () => {})).toThrow(RangeError);
    expect(() => clock.every(0, () => {})).toThrow(RangeError);
    expect(() => clock.every(-1, () => {})).toThrow(RangeError);
  });

  it('returns the wall time and ignores holds', () => {
    vi.setSystemTime(Date.UTC(2026, 4, 2));
    const clock = realClock();
    expect(clock.now()).toBe(Date.UTC(2026, 4, 2));
    expect(() => clock.hold('a call')()).not.toThrow();
  });
});
