import uPlot from 'uplot';
import type { Line } from './line-book.ts';
import { numeral } from './numeral.ts';
import { extentOf, lonelyRows, type PlotValue, plotData } from './plot-data.ts';
import { nearestPlace } from './points.ts';
import { momentLabel, type TimeDisplay, timeLabels, timeTicks } from './time-ticks.ts';
import type { UnitStyle } from './unit-colours.ts';
import { logRange, logTicks, type Range, tickLabels, yRange, yTicks } from './y-scale.ts';

/** A window of time. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PlotLine extends Line {
  readonly style: UnitStyle;
  /** As people call it. */
  readonly name: string;
}

export interface PlotSettings {
  readonly display: TimeDisplay;
  /** When the experiment began. */
  readonly originMs: number;
  readonly domain: Range;
  readonly decimals: number;
  readonly isStepped: boolean;
  /** Whether equal ratios are equally high; what is not positive is left out then. */
  readonly isLogarithmic: boolean;
  readonly ink: { readonly text: string; readonly grid: string };
}

/** The value of each line at the moment the reader points at. */
export interface PlotReading {
  readonly moment: string;
  readonly values: readonly { readonly name: string; readonly value: string; readonly colour: string }[];
  /** Where it is, in pixels from the left of the plot; `width` of the plot. */
  readonly left: number;
  readonly width: number;
}

export interface PlotEvents {
  onZoom(range: TimeRange): void;
  onPoint(reading: PlotReading | null): void;
}

/** One drawn chart. */
export interface Plot {
  draw(lines: readonly PlotLine[], range: TimeRange): void;
  /** Lets the lines of one unit stand out; `null`: all alike. */
  highlight(unit: string | null): void;
  resize(width: number, height: number): void;
  /** Moves what is pointed at by a share of the width, and keeps it there. */
  movePointer(share: number): void;
  /** Points at nothing any more. */
  releasePointer(): void;
  destroy(): void;
}

const paleAlpha = 0.15;
const yAxisWidth = 46;
/** The day stands below the time of the day. */
const xAxisHeights: { readonly [Display in TimeDisplay]: number } = { clock: 38, elapsed: 24 };
const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
/** A brush narrower than this was a click. */
const leastBrushPx = 8;

const offsetMinutesAt = (ms: number): number => -new Date(ms).getTimezoneOffset();

/** Draws a brush with mouse, pen or one finger; up and down a finger still scrolls the page. */
function brush(plot: uPlot, onZoom: (range: TimeRange) => void): void {
  const { over } = plot;
  let startPx: number | null = null;
  const placeOf = (event: PointerEvent): number =>
    Math.min(Math.max(event.clientX - over.getBoundingClientRect().left, 0), over.clientWidth);
  const select = (left: number, width: number): void =>
    plot.setSelect({ left, width, top: 0, height: width > 0 ? over.clientHeight : 0 }, false);
  over.style.touchAction = 'pan-y';
  over.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    startPx = placeOf(event);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener('pointermove', (event) => {
    if (startPx === null) return;
    const now = placeOf(event);
    select(Math.min(startPx, now), Math.abs(now - startPx));
  });
  const end = (event: PointerEvent, isMeant: boolean): void => {
    if (startPx === null) return;
    const ends = [startPx, placeOf(event)].sort((left, right) => left - right);
    startPx = null;
    select(0, 0);
    const [left = 0, right = 0] = ends;
    if (isMeant && right - left >= leastBrushPx) {
      onZoom({ fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(right, 'x') });
    }
  };
  over.addEventListener('pointerup', (event) => end(event, true));
  over.addEventListener('pointercancel', (event) => end(event, false));
}

/** Creates the drawing of one chart in an element; charts of one `group` share what is pointed at. */
export function createPlot(element: HTMLElement, group: string, settings: PlotSettings, events: PlotEvents): Plot {
  let size = { width: 0, height: 0 };
  let lines: readonly PlotLine[] = [];
  let range: TimeRange = { fromMs: 0, toMs: 1 };
  let y: Range = settings.domain;
  let highlighted: string | null = null;
  let shownLabels = '';
  let drawn: uPlot | null = null;
  /** Whether keys say what is pointed at. */
  let isSteered = false;

  const readingAt = (plot: uPlot): PlotReading | null => {
    const { left } = plot.cursor;
    if (left === undefined || left === null || left < 0) return null;
    const moment = plot.posToVal(left, 'x');
    const near = (range.toMs - range.fromMs) * 0.03;
    const values = lines.flatMap(({ points, name, style }) => {
      const place = nearestPlace(points.x, moment);
      const x = points.x[place];
      const value = points.y[place];
      if (x === undefined || value === undefined) return [];
      // A slow series is read off between its readings too, but not in a pause.
      const interval = Math.min(
        x - (points.x[place - 1] ?? x - near),
        (points.x[place + 1] ?? Number.POSITIVE_INFINITY) - x,
      );
      if (Math.abs(x - moment) > Math.max(near, 3 * interval)) return [];
      return [{ name, value: numeral(value, settings.decimals), colour: style.colour, y: value }];
    });
    return {
      moment: momentLabel(moment, settings.display, settings.originMs),
      values: values.sort((one, other) => other.y - one.y),
      left,
      width: plot.over.clientWidth,
    };
  };

  const series = (line: PlotLine): uPlot.Series => ({
    label: line.name,
    stroke: line.style.colour,
    width: 1.6,
    dash: [...line.style.dash],
    spanGaps: false,
    alpha: highlighted === null || highlighted === line.unit ? 1 : paleAlpha,
    ...(settings.isStepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
    // A reading with a pause on both sides is no line; it is a dot.
    points: {
      size: 4,
      fill: line.style.colour,
      show: true,
      filter: (plot, index) => [...lonelyRows(plot.data[index] ?? [])],
    },
  });

  const axes = (): uPlot.Axis[] => {
    const common = {
      stroke: settings.ink.text,
      font,
      grid: { stroke: settings.ink.grid, width: 1 },
      ticks: { show: false },
    };
    return [
      {
        ...common,
        size: xAxisHeights[settings.display],
        gap: 6,
        splits: () => [
          ...timeTicks({
            ...range,
            most: Math.max(2, Math.floor((size.width - yAxisWidth) / 70)),
            display: settings.display,
            originMs: settings.originMs,
            offsetMinutesAt,
          }),
        ],
        values: (_, ticks) => [...timeLabels(ticks, settings.display, settings.originMs)],
      },
      {
        ...common,
        size: yAxisWidth,
        gap: 6,
        splits: () => {
          const room = size.height - xAxisHeights[settings.display];
          return [...(settings.isLogarithmic ? logTicks(y, room) : yTicks(y, room))];
        },
        values: (_, ticks) => (settings.isLogarithmic ? ticks.map(String) : [...tickLabels(ticks)]),
        // The drawing library leaves out ticks of logarithmic axes by rules of its own.
        filter: (_, ticks) => ticks,
      },
    ];
  };

  const create = (data: uPlot.AlignedData): uPlot => {
    const plot = new uPlot(
      {
        ...size,
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
          x: { time: false, range: () => [range.fromMs, range.toMs] },
          y: { range: () => [y[0], y[1]], distr: settings.isLogarithmic ? 3 : 1 },
        },
        axes: axes(),
        series: [{}, ...lines.map(series)],
        hooks: {
          // Charts of the group follow; only the one that is pointed at speaks.
          setCursor: [(self) => events.onPoint(isSteered || self.over.matches(':hover') ? readingAt(self) : null)],
        },
      },
      data,
      element,
    );
    brush(plot, events.onZoom);
    plot.over.addEventListener('pointermove', () => {
      isSteered = false;
    });
    return plot;
  };

  return {
    draw: (next, nextRange) => {
      lines = next;
      range = nextRange;
      const floor = settings.isLogarithmic ? 0 : Number.NEGATIVE_INFINITY;
      const { low, high } = extentOf(lines, range.fromMs, range.toMs, floor);
      y = settings.isLogarithmic ? logRange(low, high) : yRange(low, high, settings.domain);
      const { x, ys } = plotData(lines);
      const positive = (value: PlotValue): PlotValue => (typeof value === 'number' && value <= 0 ? null : value);
      const data: uPlot.AlignedData = [x, ...(settings.isLogarithmic ? ys.map((column) => column.map(positive)) : ys)];
      const labels = JSON.stringify(lines.map(({ label, name, style }) => [label, name, style]));
      if (drawn !== null && labels === shownLabels) {
        drawn.setData(data, true);
        return;
      }
      shownLabels = labels;
      const replaced = drawn;
      drawn = create(data);
      replaced?.destroy();
    },
    highlight: (unit) => {
      if (unit === highlighted) return;
      highlighted = unit;
      for (const [index, line] of lines.entries()) {
        const shown = drawn?.series[index + 1];
        if (shown) shown.alpha = unit === null || unit === line.unit ? 1 : paleAlpha;
      }
      drawn?.redraw(false, false);
    },
    resize: (width, height) => {
      if (size.width === width && size.height === height) return;
      size = { width, height };
      drawn?.setSize(size);
    },
    movePointer: (share) => {
      if (drawn === null) return;
      const { left } = drawn.cursor;
      const { clientWidth, clientHeight } = drawn.over;
      const from = left === undefined || left === null || left < 0 ? clientWidth : left;
      isSteered = true;
      drawn.setCursor({
        left: Math.min(Math.max(from + share * clientWidth, 0), clientWidth - 1),
        top: clientHeight / 2,
      });
    },
    releasePointer: () => {
      isSteered = false;
      drawn?.setCursor({ left: -10, top: -10 });
    },
    destroy: () => {
      drawn?.destroy();
      drawn = null;
    },
  };
}
