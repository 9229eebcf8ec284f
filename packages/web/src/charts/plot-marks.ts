import uPlot from 'uplot';
import { areBandsCrowded, type BandPoint } from './deviation-band.ts';
import { flagGlyphs } from './flag-glyphs.ts';
import { flagMarks } from './flag-spans.ts';
import type { PlotLine, PlotSettings } from './plot-types.ts';
import type { PreparedLine } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';

const bandAlpha = 0.16;
const paleBandAlpha = 0.04;
const breakAlpha = 0.12;
/** The least width of a break, so that a short one is visible. */
const leastBreakPx = 2;
const breakStripePx = 3;
/** The least distance of marks of one flag on one line. */
const leastGapPx = 16;

/** Runs `draw` on the plot's own area, and leaves the canvas as it was. */
export function insidePlot({ ctx, bbox }: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

/** The outline of a piece of a band; a stepped line has a stepped band. */
function outline(plot: uPlot, piece: readonly BandPoint[], isStepped: boolean): Path2D {
  const path = new Path2D();
  const at = (x: number): number => plot.valToPos(x, 'x', true);
  // A value that a logarithmic axis cannot show is drawn below the plot.
  const up = (y: number): number => {
    const pixel = plot.valToPos(y, 'y', true);
    return Number.isFinite(pixel) ? pixel : plot.bbox.top + 2 * plot.bbox.height;
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
export function drawBreaks(plot: uPlot, lines: readonly PlotLine[], highlighted: string | null): void {
  const units = new Map(lines.map((line) => [line.unit, line]));
  insidePlot(plot, (context) => {
    const { left, top, height } = plot.bbox;
    const stripe = breakStripePx * uPlot.pxRatio;
    for (const [index, { unit, off, style }] of [...units.values()].entries()) {
      context.fillStyle = style.colour;
      for (const { fromMs, toMs } of off) {
        const from = plot.valToPos(fromMs, 'x', true);
        const to = plot.valToPos(toMs, 'x', true);
        if (to < left || !Number.isFinite(from) || !Number.isFinite(to)) continue;
        const width = Math.max(leastBreakPx * uPlot.pxRatio, to - from);
        const isPale = highlighted !== null && highlighted !== unit;
        context.globalAlpha = isPale ? paleBandAlpha : breakAlpha;
        context.fillRect(from, top, width, height);
        context.globalAlpha = isPale ? bandAlpha : 1;
        context.fillRect(from, top + index * stripe, width, stripe);
      }
    }
  });
}

/** Draws how uncertain estimated lines are, behind them. */
export function drawBands(
  plot: uPlot,
  lines: readonly PreparedLine[],
  { fromMs, toMs }: TimeRange,
  { isStepped }: Pick<PlotSettings, 'isStepped'>,
  highlighted: string | null,
): void {
  insidePlot(plot, (context) => {
    const isCrowded = areBandsCrowded(lines);
    for (const { band, style, unit } of lines) {
      if (isCrowded && unit !== highlighted) continue;
      context.fillStyle = style.colour;
      context.globalAlpha = highlighted === null || highlighted === unit ? bandAlpha : paleBandAlpha;
      for (const piece of band) {
        // One point beyond each edge: the band goes on to it.
        const visible = piece.filter(
          (_, at) =>
            (piece[at + 1]?.x ?? Number.POSITIVE_INFINITY) >= fromMs &&
            (piece[at - 1]?.x ?? Number.NEGATIVE_INFINITY) <= toMs,
        );
        if (visible.length > 0) context.fill(outline(plot, visible, isStepped));
      }
    }
  });
}

/** Draws the marks of flagged readings, above all lines. */
export function drawFlags(
  plot: uPlot,
  lines: readonly PlotLine[],
  range: TimeRange,
  { ink }: Pick<PlotSettings, 'ink'>,
): void {
  const { pxRatio } = uPlot;
  const leastGapMs = ((range.toMs - range.fromMs) * leastGapPx * pxRatio) / Math.max(1, plot.bbox.width);
  insidePlot(plot, (context) => {
    context.strokeStyle = ink.warning;
    context.fillStyle = ink.surface;
    for (const { points, flags } of lines) {
      for (const { flag, x, y } of flagMarks(points, flags, leastGapMs)) {
        const top = plot.valToPos(y, 'y', true);
        if (!Number.isFinite(top)) continue;
        context.setTransform(pxRatio, 0, 0, pxRatio, plot.valToPos(x, 'x', true), top);
        const glyph = new Path2D(flagGlyphs[flag]);
        context.lineWidth = 1.6;
        context.fill(glyph);
        context.stroke(glyph);
      }
    }
  });
}
