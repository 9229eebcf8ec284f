import uPlot from 'uplot';
import { momentPx, type Projection } from './line-trace.ts';
import type { ChartTarget, PlacedMark } from './plot-events.ts';
import { shownTargets } from './plot-events.ts';
import { lineAlpha } from './plot-style.ts';
import type { PlotSettings } from './plot-types.ts';

/** Ticks of doses are at least so high, and so much higher where there are many. */
const tickPx = { least: 5, more: 9 };
const flagPx = { width: 8, height: 6, pole: 16 };
const spanPx = 3;

type ColourOf = (unit: string | null) => string;

function drawMark(context: CanvasRenderingContext2D, mark: PlacedMark, top: number, height: number): void {
  const { shape, kind, left, width, density } = mark;
  switch (shape) {
    case 'tick': {
      const high = tickPx.least + tickPx.more * density;
      context.fillRect(left - 1, top + height - high, 2, high);
      return;
    }
    case 'flag': {
      context.fillRect(left - 0.5, top, 1, flagPx.pole);
      context.beginPath();
      context.moveTo(left, top);
      // An alarm has a pointed flag, a note a straight one: they differ without colour.
      if (kind === 'alarm') {
        context.lineTo(left + flagPx.width, top + flagPx.height / 2);
      } else {
        context.lineTo(left + flagPx.width, top);
        context.lineTo(left + flagPx.width, top + flagPx.height);
      }
      context.lineTo(left, top + flagPx.height);
      context.closePath();
      context.fill();
      return;
    }
    case 'line':
      context.fillRect(left - 0.5, top, 1, height);
      return;
    default:
      context.fillRect(left, top, width, spanPx);
  }
}

/** Draws what happened: doses at the bottom, notes and alarms at the top, steps of profiles over the whole height. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  placed: readonly PlacedMark[],
  { height }: Projection,
  { ink }: Pick<PlotSettings, 'ink'>,
  colourOf: ColourOf,
  highlighted: string | null,
): void {
  const { pxRatio } = uPlot;
  context.setTransform(pxRatio, 0, 0, pxRatio, 0, 0);
  for (const mark of placed) {
    context.globalAlpha = mark.unit === null ? 1 : lineAlpha(mark.unit, highlighted);
    context.fillStyle = mark.kind === 'alarm' ? ink.warning : colourOf(mark.unit);
    drawMark(context, mark, 0, height / pxRatio);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
}

const chosenPx = { line: 1.5, wide: 12, high: 8 };

/** Draws where the entry of the timeline is that a person has chosen: a line over the whole height with an arrow at its top. */
export function drawChosen(
  context: CanvasRenderingContext2D,
  atMs: number,
  projection: Projection,
  { ink }: Pick<PlotSettings, 'ink'>,
): void {
  if (atMs < projection.fromMs || atMs > projection.toMs) return;
  const { pxRatio } = uPlot;
  const { line, wide, high } = chosenPx;
  const left = momentPx(projection, atMs) / pxRatio;
  context.setTransform(pxRatio, 0, 0, pxRatio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = ink.text;
  context.fillRect(left - line / 2, 0, line, projection.height / pxRatio);
  context.beginPath();
  context.moveTo(left - wide / 2, 0);
  context.lineTo(left + wide / 2, 0);
  context.lineTo(left, high);
  context.closePath();
  context.fill();
  context.setTransform(1, 0, 0, 1, 0, 0);
}

/** Draws the targets of units as dashed lines in their colours. */
export function drawTargets(
  context: CanvasRenderingContext2D,
  targets: readonly ChartTarget[],
  projection: Projection,
  colourOf: ColourOf,
  highlighted: string | null,
): void {
  const { pxRatio } = uPlot;
  context.lineWidth = pxRatio;
  context.setLineDash([6 * pxRatio, 4 * pxRatio]);
  for (const { unit, fromMs, toMs, value } of shownTargets(targets, projection)) {
    const y = projection.yOf(value);
    if (!Number.isFinite(y)) continue;
    context.globalAlpha = lineAlpha(unit, highlighted);
    context.strokeStyle = colourOf(unit);
    context.beginPath();
    context.moveTo(momentPx(projection, fromMs), y);
    context.lineTo(momentPx(projection, toMs), y);
    context.stroke();
  }
  context.setLineDash([]);
}
