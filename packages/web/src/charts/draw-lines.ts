import uPlot from 'uplot';
import { lineTrace, type Projection } from './line-trace.ts';
import type { PlotSettings } from './plot-types.ts';
import type { PreparedLine } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';

const lineWidthPx = 1.6;
const dotPx = 2;
/** How pale the area of the spread of dense readings is. */
const envelopeAlpha = 0.25;
/** The size of the mark of readings outside of the shown values. */
const outsidePx = 5;

function follow(context: CanvasRenderingContext2D, path: readonly number[], restarts: readonly number[] = []): void {
  context.moveTo(path[0] ?? 0, path[1] ?? 0);
  let next = restarts[0] === 0 ? 1 : 0;
  for (let at = 2; at < path.length; at += 2) {
    if (restarts[next] === at) {
      context.moveTo(path[at - 2] ?? 0, path[at - 1] ?? 0);
      next += 1;
    }
    context.lineTo(path[at] ?? 0, path[at + 1] ?? 0);
  }
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

/** Draws a part of the lines: the spread of dense readings first, so that no area covers a line. */
export function drawLines(
  context: CanvasRenderingContext2D,
  lines: readonly PreparedLine[],
  projection: Projection,
  part: TimeRange,
  { isStepped }: Pick<PlotSettings, 'isStepped'>,
): void {
  const { pxRatio } = uPlot;
  const traces = lines.map((line) => ({
    line,
    trace: lineTrace(line.points, line.breaks, projection, { isStepped, pxRatio, part }),
  }));
  context.globalAlpha = envelopeAlpha;
  for (const { line, trace } of traces) {
    if (trace.envelopes.length === 0) continue;
    context.fillStyle = line.style.colour;
    context.beginPath();
    for (const path of trace.envelopes) follow(context, path);
    context.fill();
  }
  context.globalAlpha = 1;
  context.lineWidth = lineWidthPx * pxRatio;
  context.lineJoin = 'bevel';
  for (const { line, trace } of traces) {
    context.strokeStyle = line.style.colour;
    context.fillStyle = line.style.colour;
    context.setLineDash(line.style.dash.map((length) => length * pxRatio));
    context.beginPath();
    for (const [at, path] of trace.paths.entries()) follow(context, path, trace.restarts[at]);
    context.stroke();
    if (trace.dots.length > 0) {
      context.beginPath();
      for (const [x, y] of trace.dots) {
        context.moveTo(x, y);
        context.arc(x, y, dotPx * pxRatio, 0, 2 * Math.PI);
      }
      context.fill();
    }
    if (trace.above.length > 0) drawOutside(context, trace.above, projection.top, 1);
    if (trace.below.length > 0) drawOutside(context, trace.below, projection.top + projection.height, -1);
  }
}
