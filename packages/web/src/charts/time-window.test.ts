import { describe, expect, it } from 'vitest';
import { clampedWindow, detailWindow, latestWindow, pannedBy, pinchedWindow, zoomedAround } from './time-window.ts';

const hour = 3_600_000;
const bounds = { fromMs: 0, toMs: 100 * hour };
const window = { fromMs: 20 * hour, toMs: 30 * hour };

describe('a window of time', () => {
  it('keeps the moment under the pointer when it is zoomed', () => {
    expect(zoomedAround(window, 0.5, 22 * hour)).toEqual({ fromMs: 21 * hour, toMs: 26 * hour });
    expect(zoomedAround(window, 2)).toEqual({ fromMs: 15 * hour, toMs: 35 * hour });
  });

  it('keeps its width at the ends of the data, and is never wider than they are', () => {
    expect(clampedWindow(pannedBy(window, -9), bounds)).toEqual({ fromMs: 0, toMs: 10 * hour });
    expect(clampedWindow(pannedBy(window, 9), bounds)).toEqual({ fromMs: 90 * hour, toMs: 100 * hour });
    expect(clampedWindow(zoomedAround(window, 99), bounds)).toEqual(bounds);
    expect(clampedWindow({ fromMs: 5, toMs: 6 }, bounds).toMs).toBe(10_005);
  });

  it('keeps its width to the millisecond when it is moved', () => {
    const odd = { fromMs: 1001, toMs: 3_601_004 };
    for (const share of [0.1234567, 0.7, 0.33333]) {
      const { fromMs, toMs } = clampedWindow(pannedBy(odd, share), bounds);
      expect(toMs - fromMs).toBe(3_600_003);
    }
  });

  it('of a young experiment grows in steps, and then moves on', () => {
    expect(latestWindow(0, 100 * hour, 24 * hour)).toEqual({ fromMs: 76 * hour, toMs: 100 * hour });
    const young = latestWindow(1000, hour, 24 * hour);
    expect(young.fromMs).toBe(1000);
    expect(young.toMs).toBeGreaterThanOrEqual(hour);
    expect(young.toMs).toBeLessThan(1.04 * hour);
    expect(latestWindow(1000, young.toMs - 1, 24 * hour)).toEqual(young);
  });

  it('follows two fingers: each keeps the moment it has touched', () => {
    const moments = [22 * hour, 26 * hour] as const;
    expect(pinchedWindow(moments, [0.2, 0.6])).toEqual(window);
    expect(pinchedWindow(moments, [0.3, 0.7]).fromMs).toBeCloseTo(19 * hour, 3);
    expect(pinchedWindow(moments, [0, 0.8])).toEqual({ fromMs: 22 * hour, toMs: 27 * hour });
    expect(Number.isFinite(pinchedWindow(moments, [0.5, 0.5]).fromMs)).toBe(true);
  });

  it('requests more than it shows, and nothing else for a small move', () => {
    const detail = detailWindow(window);
    expect(detail.fromMs).toBeLessThanOrEqual(18 * hour);
    expect(detail.toMs).toBeGreaterThanOrEqual(32 * hour);
    expect(detail.toMs - detail.fromMs).toBeLessThan(22 * hour);
    expect(detailWindow(pannedBy(window, 0.001))).toEqual(detail);
  });
});
