import type { TimeRange } from './time-range.ts';

/** How the picture of a window becomes that of another one. */
export type BitmapMove =
  /** Its pixels are moved by a whole number; what is uncovered (pixels from the left) is drawn. */
  | { readonly is: 'shift'; readonly byPx: number; readonly shows: TimeRange; readonly uncovered: readonly PixelSpan[] }
  /** It is stretched: pixel 0 is drawn at `leftPx`, and each pixel is so many wide. */
  | { readonly is: 'stretch'; readonly leftPx: number; readonly factor: number }
  | { readonly is: 'redraw' };

/** Pixels from the left, the last one excluded. */
interface PixelSpan {
  readonly fromPx: number;
  readonly toPx: number;
}

/** Widths of windows that differ by less than this share of a pixel over the whole picture are the same. */
const sameWidthPx = 0.5;
/**
 * A stretched picture is drawn anew when it is magnified more than this, or covers less than this share of the window. Only a fast
 * movement comes so far: after a pause of 0.2 s all is drawn anew. To draw many lines takes longer than a frame.
 */
const mostMagnified = 8;
const leastCovered = 0.2;

const widthOf = ({ fromMs, toMs }: TimeRange): number => toMs - fromMs;

/**
 * How to show `wanted` with a picture, `widthPx` wide, of the window `shown`. `changedFromMs`: what is later has changed since
 * it was drawn, and is drawn again.
 */
export function bitmapMove(
  shown: TimeRange,
  wanted: TimeRange,
  widthPx: number,
  changedFromMs = Number.POSITIVE_INFINITY,
): BitmapMove {
  const pxPerMs = widthPx / widthOf(wanted);
  if (Math.abs(widthOf(shown) - widthOf(wanted)) * pxPerMs >= sameWidthPx) {
    const factor = widthOf(shown) / widthOf(wanted);
    const leftPx = (shown.fromMs - wanted.fromMs) * pxPerMs;
    const coveredPx = Math.min(widthPx, leftPx + factor * widthPx) - Math.max(0, leftPx);
    return factor > mostMagnified || coveredPx < leastCovered * widthPx || Number.isFinite(changedFromMs)
      ? { is: 'redraw' }
      : { is: 'stretch', leftPx, factor };
  }
  // Zero without a sign.
  const byPx = Math.round((shown.fromMs - wanted.fromMs) * pxPerMs) || 0;
  if (Math.abs(byPx) >= widthPx) return { is: 'redraw' };
  const fromMs = shown.fromMs - byPx / pxPerMs;
  const changedPx = Math.floor((changedFromMs - fromMs) * pxPerMs);
  const fromPx = Math.max(0, Math.min(byPx < 0 ? widthPx + byPx : widthPx, changedPx));
  return {
    is: 'shift',
    byPx,
    shows: { fromMs, toMs: fromMs + widthOf(wanted) },
    uncovered: [
      ...(byPx > 0 ? [{ fromPx: 0, toPx: byPx }] : []),
      ...(fromPx < widthPx ? [{ fromPx, toPx: widthPx }] : []),
    ],
  };
}
