import uPlot from 'uplot';
import { usualHalfBand } from './deviation-band.ts';
import { brush } from './plot-brush.ts';
import { extentOf, type PlotValue, plotData } from './plot-data.ts';
import { drawBands, drawBreaks, drawFlags } from './plot-marks.ts';
import { readingsAt } from './plot-reading.ts';
import { axesOf, lineAlpha, type PlotFrame, seriesOf } from './plot-style.ts';
import type { PlotEvents, PlotLine, PlotReading, PlotSettings, TimeRange } from './plot-types.ts';
import { logRange, yRange } from './y-scale.ts';

/** One drawn chart. */
export interface Plot {
  draw(lines: readonly PlotLine[], range: TimeRange): void;
  /** Draws the lines of other units pale; `null`: no unit is highlighted. */
  highlight(unit: string | null): void;
  resize(width: number, height: number): void;
  /** Moves the pointer by a share of the width. */
  movePointer(share: number): void;
  /** Hides the pointer. */
  releasePointer(): void;
  destroy(): void;
}

/** The state of a drawing. */
interface Canvas {
  readonly element: HTMLElement;
  /** Charts of one group share the pointer. */
  readonly group: string;
  readonly settings: PlotSettings;
  readonly events: PlotEvents;
  frame: PlotFrame;
  lines: readonly PlotLine[];
  highlighted: string | null;
  /** Whether the keyboard moves the pointer. */
  hasKeyboardPointer: boolean;
}

const positive = (value: PlotValue): PlotValue => (typeof value === 'number' && value <= 0 ? null : value);

function dataOf(lines: readonly PlotLine[], { isLogarithmic }: PlotSettings): uPlot.AlignedData {
  const { x, ys } = plotData(lines);
  return [x, ...(isLogarithmic ? ys.map((column) => column.map(positive)) : ys)];
}

function yRangeOf(lines: readonly PlotLine[], range: TimeRange, { isLogarithmic, domain }: PlotSettings) {
  const { low, high } = extentOf(lines, range.fromMs, range.toMs, isLogarithmic ? 0 : Number.NEGATIVE_INFINITY);
  if (isLogarithmic) return logRange(low, high);
  if (low === null || high === null) return yRange(low, high, domain);
  // The axis includes bands, but not so much of them that the line becomes flat.
  const room = Math.min(usualHalfBand(lines, range.fromMs, range.toMs), high - low || Math.abs(high));
  return yRange(low - room, high + room, domain);
}

function pointedAt(plot: uPlot, { lines, frame, settings }: Canvas): PlotReading | null {
  const { left } = plot.cursor;
  if (left === undefined || left === null || left < 0) return null;
  const reading = readingsAt(lines, plot.posToVal(left, 'x'), frame.range, settings);
  return { ...reading, left, width: plot.over.clientWidth };
}

/** Creates the drawing of the present lines. */
function create(canvas: Canvas, data: uPlot.AlignedData): uPlot {
  const { element, group, settings, events } = canvas;
  const plot = new uPlot(
    {
      ...canvas.frame.size,
      ms: 1,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: false, y: false, setScale: false },
        points: { show: false },
        y: false,
        sync: { key: group, setSeries: false, scales: ['x', null] },
      },
      scales: {
        x: { time: false, range: () => [canvas.frame.range.fromMs, canvas.frame.range.toMs] },
        y: { range: () => [canvas.frame.y[0], canvas.frame.y[1]], distr: settings.isLogarithmic ? 3 : 1 },
      },
      axes: axesOf(settings, () => canvas.frame),
      series: [{}, ...canvas.lines.map((line) => seriesOf(line, settings.isStepped, canvas.highlighted))],
      hooks: {
        drawAxes: [
          (self) => drawBreaks(self, canvas.lines, canvas.highlighted),
          (self) => drawBands(self, canvas.lines, settings, canvas.highlighted),
        ],
        draw: [(self) => drawFlags(self, canvas.lines, canvas.frame.range, settings)],
        // The other charts of the group follow; only the chart under the pointer shows its values.
        setCursor: [
          (self) =>
            events.onPoint(canvas.hasKeyboardPointer || self.over.matches(':hover') ? pointedAt(self, canvas) : null),
        ],
      },
    },
    data,
    element,
  );
  brush(plot, events.onZoom);
  plot.over.addEventListener('pointermove', () => {
    canvas.hasKeyboardPointer = false;
  });
  return plot;
}

/** Moves the pointer by a share of the width. */
function movePointer(plot: uPlot, share: number): void {
  const { left } = plot.cursor;
  const { clientWidth, clientHeight } = plot.over;
  const from = left === undefined || left === null || left < 0 ? clientWidth : left;
  plot.setCursor({
    left: Math.min(Math.max(from + share * clientWidth, 0), clientWidth - 1),
    top: clientHeight / 2,
  });
}

/** Creates the drawing of one chart in an element; charts of one `group` share the pointer. */
export function createPlot(element: HTMLElement, group: string, settings: PlotSettings, events: PlotEvents): Plot {
  const canvas: Canvas = {
    element,
    group,
    settings,
    events,
    frame: { size: { width: 0, height: 0 }, range: { fromMs: 0, toMs: 1 }, y: settings.domain },
    lines: [],
    highlighted: null,
    hasKeyboardPointer: false,
  };
  let shownLabels = '';
  let drawn: uPlot | null = null;

  return {
    draw: (lines, range) => {
      canvas.lines = lines;
      canvas.frame = { ...canvas.frame, range, y: yRangeOf(lines, range, settings) };
      const data = dataOf(lines, settings);
      const labels = JSON.stringify(lines.map(({ label, name, style }) => [label, name, style]));
      if (drawn !== null && labels === shownLabels) {
        drawn.setData(data, true);
        return;
      }
      shownLabels = labels;
      const replaced = drawn;
      drawn = create(canvas, data);
      replaced?.destroy();
    },
    highlight: (unit) => {
      if (unit === canvas.highlighted) return;
      canvas.highlighted = unit;
      for (const [index, line] of canvas.lines.entries()) {
        const shown = drawn?.series[index + 1];
        if (shown) shown.alpha = lineAlpha(line.unit, unit);
      }
      drawn?.redraw(false, false);
    },
    resize: (width, height) => {
      const { size } = canvas.frame;
      if (size.width === width && size.height === height) return;
      canvas.frame = { ...canvas.frame, size: { width, height } };
      drawn?.setSize({ width, height });
    },
    movePointer: (share) => {
      canvas.hasKeyboardPointer = true;
      if (drawn !== null) movePointer(drawn, share);
    },
    releasePointer: () => {
      canvas.hasKeyboardPointer = false;
      drawn?.setCursor({ left: -10, top: -10 });
    },
    destroy: () => {
      drawn?.destroy();
      drawn = null;
    },
  };
}
