import uPlot from 'uplot';
import type { BandPoint } from './deviation-band.ts';
import { flagGlyphs } from './flag-glyphs.ts';
import { flagMarks } from './flag-spans.ts';
import { momentPx, type Projection } from './line-trace.ts';
import type { PlotLine, PlotSettings } from './plot-types.ts';
import type { PreparedLine } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';

const bandAlpha = 0.16;
const breakAlpha = 0.12;
/** The least width of a break, so that a short one is visible. */
const leastBreakPx = 2;
const breakStripePx = 3;
/** The least distance of marks of one flag on one line. */
const leastGapPx = 16;

/** The outline of a piece of a band; a stepped line has a stepped band. */
function outline(projection: Projection, piece: readonly BandPoint[], isStepped: boolean): Path2D {
  const path = new Path2D();
  const at = (x: number): number => momentPx(projection, x);
  // A value that a logarithmic axis cannot show is drawn below the plot.
  const up = (y: number): number => {
    const pixel = projection.yOf(y);
    return Number.isFinite(pixel) ? pixel : projection.top + 2 * projection.height;
  };
  for (const [index, { x, high }] of piece.entries()) {
    if (index === 0) path.moveTo(at(x), up(high));
    else if (isStepped) path.lineTo(at(x), up(piece[index - 1]?.high ?? high));
    path.lineTo(at(x), up(high));
  }
  for (const [index, { x, low }] of [...piece.entries()].reverse()) {
    path.lineTo(at(x), up(low));
    const before = piece[index - 1];
    if (isStepped && before) path.lineTo(at(x), up(before.low));
  }
  path.closePath();
  return path;
}

/** Shades the times when units were off, behind all else; a stripe at the top for each unit distinguishes them. */
export function drawBreaks(
  context: CanvasRenderingContext2D,
  lines: readonly PlotLine[],
  projection: Projection,
  isShown: (unit: string) => boolean,
): void {
  const units = new Map(lines.map((line) => [line.unit, line]));
  const stripe = breakStripePx * uPlot.pxRatio;
  for (const [index, { unit, off, style }] of [...units.values()].entries()) {
    if (!isShown(unit)) continue;
    context.fillStyle = style.colour;
    for (const { fromMs, toMs } of off) {
      const from = Math.max(0, momentPx(projection, fromMs));
      const to = Math.min(projection.width, momentPx(projection, toMs));
      if (to < 0 || from > projection.width) continue;
      const width = Math.max(leastBreakPx * uPlot.pxRatio, to - from);
      context.globalAlpha = breakAlpha;
      context.fillRect(from, 0, width, projection.height);
      context.globalAlpha = 1;
      context.fillRect(from, index * stripe, width, stripe);
    }
  }
}

/** Draws how uncertain estimated lines are, behind them. */
export function drawBands(
  context: CanvasRenderingContext2D,
  lines: readonly PreparedLine[],
  projection: Projection,
  { fromMs, toMs }: TimeRange,
  { isStepped }: Pick<PlotSettings, 'isStepped'>,
): void {
  context.globalAlpha = bandAlpha;
  for (const { band, style } of lines) {
    context.fillStyle = style.colour;
    for (const piece of band) {
      // One point beyond each edge: the band goes on to it.
      const visible = piece.filter(
        (_, at) =>
          (piece[at + 1]?.x ?? Number.POSITIVE_INFINITY) >= fromMs &&
          (piece[at - 1]?.x ?? Number.NEGATIVE_INFINITY) <= toMs,
      );
      if (visible.length > 0) context.fill(outline(projection, visible, isStepped));
    }
  }
}

/** Draws the marks of flagged readings, above all lines. */
export function drawFlags(
  context: CanvasRenderingContext2D,
  lines: readonly PlotLine[],
  projection: Projection,
  { ink }: Pick<PlotSettings, 'ink'>,
): void {
  const { pxRatio } = uPlot;
  const leastGapMs = ((projection.toMs - projection.fromMs) * leastGapPx * pxRatio) / Math.max(1, projection.width);
  context.globalAlpha = 1;
  context.strokeStyle = ink.warning;
  context.fillStyle = ink.surface;
  for (const { points, flags } of lines) {
    for (const { flag, x, y } of flagMarks(points, flags, leastGapMs)) {
      const top = projection.yOf(y);
      if (!Number.isFinite(top)) continue;
      context.setTransform(pxRatio, 0, 0, pxRatio, momentPx(projection, x), top);
      const glyph = new Path2D(flagGlyphs[flag]);
      context.lineWidth = 1.6;
      context.fill(glyph);
      context.stroke(glyph);
    }
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
}
