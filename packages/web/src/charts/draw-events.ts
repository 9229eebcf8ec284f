import uPlot from 'uplot';
import type { ChartTarget, PlacedMark } from './plot-events.ts';
import { shownTargets } from './plot-events.ts';
import { insidePlot } from './plot-marks.ts';
import { lineAlpha } from './plot-style.ts';
import type { PlotSettings } from './plot-types.ts';
import type { TimeRange } from './time-range.ts';

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
  plot: uPlot,
  placed: readonly PlacedMark[],
  { ink }: Pick<PlotSettings, 'ink'>,
  colourOf: ColourOf,
  highlighted: string | null,
): void {
  const { pxRatio } = uPlot;
  const { left, top, height } = plot.bbox;
  insidePlot(plot, (context) => {
    context.setTransform(pxRatio, 0, 0, pxRatio, left, top);
    for (const mark of placed) {
      context.globalAlpha = mark.unit === null ? 1 : lineAlpha(mark.unit, highlighted);
      context.fillStyle = mark.kind === 'alarm' ? ink.warning : colourOf(mark.unit);
      drawMark(context, mark, 0, height / pxRatio);
    }
  });
}

/** Draws the targets of units as dashed lines in their colours. */
export function drawTargets(
  plot: uPlot,
  targets: readonly ChartTarget[],
  range: TimeRange,
  colourOf: ColourOf,
  highlighted: string | null,
): void {
  const { pxRatio } = uPlot;
  insidePlot(plot, (context) => {
    context.lineWidth = pxRatio;
    context.setLineDash([6 * pxRatio, 4 * pxRatio]);
    for (const { unit, fromMs, toMs, value } of shownTargets(targets, range)) {
      const y = plot.valToPos(value, 'y', true);
      if (!Number.isFinite(y)) continue;
      context.globalAlpha = lineAlpha(unit, highlighted);
      context.strokeStyle = colourOf(unit);
      context.beginPath();
      context.moveTo(plot.valToPos(fromMs, 'x', true), y);
      context.lineTo(plot.valToPos(toMs, 'x', true), y);
      context.stroke();
    }
  });
}
