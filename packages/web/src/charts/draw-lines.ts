import uPlot from 'uplot';
import { lineTrace, type Projection } from './line-trace.ts';
import { insidePlot } from './plot-marks.ts';
import { lineAlpha } from './plot-style.ts';
import type { PlotSettings } from './plot-types.ts';
import type { PreparedLine } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';

const lineWidthPx = 1.6;
const dotPx = 2;
/** How pale the area of the spread of dense readings is. */
const envelopeAlpha = 0.25;
/** The size of the mark of readings outside of the shown values. */
const outsidePx = 5;

/** The projection of a drawn plot, in pixels of its canvas. */
const projectionOf = (plot: uPlot, { fromMs, toMs }: TimeRange): Projection => ({
  fromMs,
  toMs,
  left: plot.bbox.left,
  width: plot.bbox.width,
  top: plot.bbox.top,
  height: plot.bbox.height,
  yOf: (value) => plot.valToPos(value, 'y', true),
});

function follow(context: CanvasRenderingContext2D, path: readonly number[]): void {
  context.moveTo(path[0] ?? 0, path[1] ?? 0);
  for (let at = 2; at < path.length; at += 2) context.lineTo(path[at] ?? 0, path[at + 1] ?? 0);
}

/** Triangles at an edge: readings lie beyond it. */
function drawOutside(context: CanvasRenderingContext2D, xs: readonly number[], edge: number, direction: 1 | -1): void {
  const size = outsidePx * uPlot.pxRatio;
  context.beginPath();
  for (const x of xs) {
    context.moveTo(x, edge);
    context.lineTo(x - size, edge + direction * size);
    context.lineTo(x + size, edge + direction * size);
    context.closePath();
  }
  context.fill();
}

/** Draws all lines: the spread of dense readings first, so that no area covers a line. */
export function drawLines(
  plot: uPlot,
  lines: readonly PreparedLine[],
  range: TimeRange,
  { isStepped }: Pick<PlotSettings, 'isStepped'>,
  { highlighted, isMoving }: { readonly highlighted: string | null; readonly isMoving: boolean },
): void {
  const { pxRatio } = uPlot;
  const projection = projectionOf(plot, range);
  const traces = lines.map((line) => ({
    line,
    alpha: lineAlpha(line.unit, highlighted),
    trace: lineTrace(line.points, line.breaks, projection, { isStepped, pxRatio }),
  }));
  insidePlot(plot, (context) => {
    // The processor of a small computer draws areas slowly.
    for (const { line, alpha, trace } of isMoving ? [] : traces) {
      context.fillStyle = line.style.colour;
      context.globalAlpha = alpha * envelopeAlpha;
      context.beginPath();
      for (const path of trace.envelopes) follow(context, path);
      context.fill();
    }
    context.lineWidth = lineWidthPx * pxRatio;
    context.lineJoin = 'bevel';
    for (const { line, alpha, trace } of traces) {
      context.strokeStyle = line.style.colour;
      context.fillStyle = line.style.colour;
      context.globalAlpha = alpha;
      context.setLineDash(isMoving ? [] : line.style.dash.map((length) => length * pxRatio));
      context.beginPath();
      for (const path of trace.paths) follow(context, path);
      context.stroke();
      context.beginPath();
      for (const [x, y] of trace.dots) {
        context.moveTo(x, y);
        context.arc(x, y, dotPx * pxRatio, 0, 2 * Math.PI);
      }
      context.fill();
      drawOutside(context, trace.above, projection.top, 1);
      drawOutside(context, trace.below, projection.top + projection.height, -1);
    }
  });
}
