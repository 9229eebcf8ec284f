/** The drawing of a sparkline in a box of this size. */
export interface SparklineDrawing {
  readonly path: string;
  /** The height of the target line; `null`: there is no target. */
  readonly targetY: number | null;
  /** The newest value. */
  readonly end: { readonly x: number; readonly y: number } | null;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/** Free space above and below the line, for its width and its last point. */
const paddingPx = 3;
/** A line that changes less than this share of its value is drawn flat: its noise would look like growth. */
const leastShare = 0.1;

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** The line through means of equal intervals; an interval without a reading is a gap. */
export function drawSparkline(
  means: readonly (number | null)[],
  target: number | null,
  { width, height }: Box,
): SparklineDrawing {
  const values = means.filter((value) => value !== null);
  if (values.length === 0) return { path: '', targetY: null, end: null };
  const shown = target === null ? values : [...values, target];
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const range = Math.max(high - low, Math.abs(high) * leastShare, Number.MIN_VALUE);
  const bottom = (low + high - range) / 2;
  const x = (slot: number): number => rounded((slot / Math.max(1, means.length - 1)) * width);
  const y = (value: number): number =>
    rounded(height - paddingPx - ((value - bottom) / range) * (height - 2 * paddingPx));
  let path = '';
  let isGap = true;
  for (const [slot, value] of means.entries()) {
    if (value === null) {
      isGap = true;
      continue;
    }
    // A single value between two gaps is a dot: a line of no length with round ends.
    path += `${isGap ? `M${x(slot)} ${y(value)}` : ''}L${x(slot)} ${y(value)}`;
    isGap = false;
  }
  const last = means.findLastIndex((value) => value !== null);
  const newest = means[last] ?? 0;
  return { path, targetY: target === null ? null : y(target), end: { x: x(last), y: y(newest) } };
}
