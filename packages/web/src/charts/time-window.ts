import type { TimeRange } from './time-range.ts';

/** A narrower window would show less than two readings of the fastest jobs. */
const leastWindowMs = 10_000;

const widthOf = ({ fromMs, toMs }: TimeRange): number => toMs - fromMs;

/** The window within the times that have readings: moved, and made narrower where it is wider than they are. */
export function clampedWindow(window: TimeRange, bounds: TimeRange): TimeRange {
  const most = Math.max(leastWindowMs, widthOf(bounds));
  const width = Math.min(most, Math.max(leastWindowMs, widthOf(window)));
  const fromMs = Math.round(Math.max(bounds.fromMs, Math.min(window.fromMs, bounds.toMs - width)));
  // A moved window keeps its width.
  return { fromMs, toMs: fromMs + Math.round(width) };
}

/** A window `factor` times as wide, in which the moment `atMs` stays where it is; without `atMs`: the middle. */
export function zoomedAround(window: TimeRange, factor: number, atMs = (window.fromMs + window.toMs) / 2): TimeRange {
  const width = Math.max(leastWindowMs, widthOf(window) * factor);
  const share = (atMs - window.fromMs) / Math.max(1, widthOf(window));
  const fromMs = atMs - share * width;
  return { fromMs, toMs: fromMs + width };
}

/** A window moved by a share of its width. */
export function pannedBy(window: TimeRange, share: number): TimeRange {
  const move = widthOf(window) * share;
  return { fromMs: window.fromMs + move, toMs: window.toMs + move };
}

/** The window that two fingers hold: each keeps the moment it has touched. `places`: shares of the width. */
export function pinchedWindow(
  moments: readonly [oneMs: number, otherMs: number],
  places: readonly [one: number, other: number],
): TimeRange {
  // Fingers close to each other would give a window of any width.
  const apart = places[1] - places[0] || 1e-3;
  const width = Math.max(leastWindowMs, Math.abs((moments[1] - moments[0]) / apart));
  const middleMs = (moments[0] + moments[1]) / 2;
  const fromMs = middleMs - ((places[0] + places[1]) / 2) * width;
  return { fromMs, toMs: fromMs + width };
}

/**
 * The readings to request for a zoomed window: more than it shows on both sides, at round times, so that a small move needs
 * no request.
 */
export function detailWindow(window: TimeRange): TimeRange {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1000, widthOf(window) / 4)));
  const margin = widthOf(window) / 4;
  return {
    fromMs: Math.floor((window.fromMs - margin) / step) * step,
    toMs: Math.ceil((window.toMs + margin) / step) * step,
  };
}

/** A window that grows with an experiment has room at its end for so large a share of its width. */
const growingShare = 1 / 64;

/**
 * The window of the last `hours` until now, not before the first reading. While an experiment is younger than that, its
 * window grows in steps: charts are not stretched with each reading.
 */
export function latestWindow(firstMs: number, nowMs: number, spanMs: number): TimeRange {
  if (firstMs <= nowMs - spanMs) return { fromMs: nowMs - spanMs, toMs: nowMs };
  const step = 2 ** Math.ceil(Math.log2(Math.max(1000, (nowMs - firstMs) * growingShare)));
  return { fromMs: firstMs, toMs: firstMs + Math.ceil((nowMs - firstMs) / step) * step };
}
