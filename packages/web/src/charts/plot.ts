import uPlot from 'uplot';
import { usualHalfBand } from './deviation-band.ts';
import { marksAt, targetsOnAxis } from './plot-events.ts';
import { plotGestures } from './plot-gestures.ts';
import { createPlotLayers, type LayerContent, type PlotLayers } from './plot-layers.ts';
import { readingsAt } from './plot-reading.ts';
import { axesOf, type PlotFrame } from './plot-style.ts';
import type { PlotEvents, PlotReading, PlotScene, PlotSettings } from './plot-types.ts';
import { type PreparedLine, preparedLines } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';
import { extentOf } from './y-choice.ts';
import { leastSpanOf, logRange, type Range, steadyRange, yRange } from './y-scale.ts';

/** One drawn chart. */
export interface Plot {
  /** `changedFromMs`: only readings since then have changed since the last call; -∞: anything may have changed. */
  draw(scene: PlotScene, range: TimeRange, changedFromMs: number): void;
  /**
   * Draws the same scene in another window at once, without a new range of values: a frame of a movement. While a person is
   * `moving` it, marks are hidden.
   */
  move(range: TimeRange, isMoving: boolean): void;
  /** Draws the lines of other units pale; `null`: no unit is highlighted. */
  highlight(unit: string | null): void;
  resize(width: number, height: number): void;
  /** Moves the pointer by a share of the width. */
  movePointer(share: number): void;
  /** Chooses the mark at the pointer, if there is one. */
  chooseMark(): void;
  /** Hides the pointer. */
  releasePointer(): void;
  /** The shown range of values. */
  shownValues(): Range;
  destroy(): void;
}

/** The state of a drawing. */
interface Canvas {
  readonly settings: PlotSettings;
  frame: PlotFrame;
  scene: PlotScene;
  lines: readonly PreparedLine[];
  highlighted: string | null;
  isMoving: boolean;
  changedFromMs: number;
  /** Whether the mouse is on this chart, or the keyboard moves its pointer: the charts of a group share the pointer. */
  isPointed: boolean;
}

const emptyScene: PlotScene = {
  lines: [],
  scaleLines: [],
  marks: [],
  targets: [],
  chosenMs: null,
  colourOf: () => 'currentcolor',
};

/** The range of values of a scene in a window. */
function valueRange({ scaleLines: lines, targets }: PlotScene, range: TimeRange, settings: PlotSettings): Range {
  const { isLogarithmic, domain, y } = settings;
  if (typeof y !== 'string' && !(isLogarithmic && y[0] <= 0)) return y;
  if (isLogarithmic) {
    const { low, high } = extentOf(lines, range, 'all', { floor: 0 });
    return logRange(low, high);
  }
  const { low, high } = extentOf(lines, range, typeof y === 'string' ? y : 'auto', { leastSpan: leastSpanOf(domain) });
  if (low === null || high === null) return yRange(low, high, domain);
  // The axis includes bands, but not so much of them that the line becomes flat.
  const room = Math.min(usualHalfBand(lines, range.fromMs, range.toMs), high - low || Math.abs(high));
  const aims = targetsOnAxis(targets, range, [low, high], domain).map(({ value }) => value);
  return yRange(Math.min(low - room, ...aims), Math.max(high + room, ...aims), domain);
}

function pointedAt(plot: uPlot, canvas: Canvas, layers: PlotLayers): PlotReading | null {
  const { left } = plot.cursor;
  if (left === undefined || left === null || left < 0) return null;
  const { scene, frame, settings } = canvas;
  return {
    ...readingsAt(scene.lines, plot.posToVal(left, 'x'), frame.range, settings),
    marks: marksAt(layers.placed(), left).map(({ text }) => text),
    left,
    width: plot.over.clientWidth,
    offset: plot.over.offsetLeft,
  };
}

const contentOf = ({ scene, lines, frame, highlighted, isMoving, changedFromMs }: Canvas): LayerContent => ({
  scene,
  lines,
  highlighted,
  isMoving,
  changedFromMs,
  range: frame.range,
  y: frame.y,
});

/** Shows the present state in the layers. */
function showLayers(canvas: Canvas, layers: PlotLayers): void {
  layers.show(contentOf(canvas));
  canvas.changedFromMs = Number.POSITIVE_INFINITY;
}

function chooseMarkAt(layers: PlotLayers, left: number, events: PlotEvents): void {
  const [mark] = marksAt(layers.placed(), left);
  if (mark !== undefined) events.onMark(mark);
}

/** Only the chart under the pointer shows its values, and not while a person moves the window: they would change with each frame. */
function showPointed(plot: uPlot, canvas: Canvas, layers: PlotLayers, events: PlotEvents): void {
  events.onPoint(canvas.isPointed && !canvas.isMoving ? pointedAt(plot, canvas, layers) : null);
}

interface Drawn {
  readonly plot: uPlot;
  readonly layers: PlotLayers;
}

/** Creates the drawing; charts of one `group` share the pointer. The drawing library draws the axes, layers all else. */
function create(element: HTMLElement, group: string, canvas: Canvas, events: PlotEvents): Drawn {
  const { settings } = canvas;
  let created: PlotLayers | null = null;
  // The library draws for the first time while it is created.
  const layersOf = (self: uPlot): PlotLayers => {
    created ??= createPlotLayers(self, settings);
    return created;
  };
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
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(self) => showLayers(canvas, layersOf(self))],
        // The other charts of the group follow.
        setCursor: [(self) => showPointed(self, canvas, layersOf(self), events)],
      },
    },
    dataOf(canvas.frame),
    element,
  );
  plotGestures(plot, {
    window: () => canvas.frame.range,
    ...events,
    onClick: (left) => chooseMarkAt(layersOf(plot), left, events),
  });
  plot.over.addEventListener('pointermove', () => {
    canvas.isPointed = true;
  });
  plot.over.addEventListener('pointerleave', () => {
    canvas.isPointed = false;
  });
  return { plot, layers: layersOf(plot) };
}

/** The drawing library draws no lines: it gets the corners of the window, which define its scales. */
const dataOf = ({ range, y }: PlotFrame): uPlot.AlignedData => [
  [range.fromMs, range.toMs],
  [y[0], y[1]],
];

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
    settings,
    frame: { size: { width: 0, height: 0 }, range: { fromMs: 0, toMs: 1 }, y: settings.domain },
    scene: emptyScene,
    lines: [],
    highlighted: null,
    isMoving: false,
    changedFromMs: Number.NEGATIVE_INFINITY,
    isPointed: false,
  };
  let drawn: Drawn | null = null;
  /** Axes are drawn anew only when they have moved by a pixel. */
  const show = (frame: PlotFrame): void => {
    const { size, range, y } = canvas.frame;
    const msPerPx = (range.toMs - range.fromMs) / Math.max(1, size.width * uPlot.pxRatio);
    const isInPlace =
      isNear(range.fromMs, frame.range.fromMs, msPerPx) &&
      isNear(range.toMs, frame.range.toMs, msPerPx) &&
      y === frame.y;
    if (drawn !== null && isInPlace) {
      // A new plot has no scales before the library draws it, and then its layers are shown.
      if (drawn.plot.status === 1) showLayers(canvas, drawn.layers);
      return;
    }
    canvas.frame = frame;
    if (drawn === null) {
      drawn = create(element, group, canvas, events);
      return;
    }
    // At once: the layers would be shown in the scales of the previous window until then.
    const { plot } = drawn;
    plot.batch(() => plot.setData(dataOf(frame), true));
  };

  return {
    draw: (scene, range, changedFromMs) => {
      canvas.scene = scene;
      canvas.lines = preparedLines(scene.lines);
      canvas.isMoving = false;
      canvas.changedFromMs = Math.min(canvas.changedFromMs, changedFromMs);
      const y = valueRange(scene, range, settings);
      show({ ...canvas.frame, range, y: drawn === null ? y : steadyRange(canvas.frame.y, y) });
    },
    move: (range, isMoving) => {
      const hasEnded = canvas.isMoving && !isMoving;
      canvas.isMoving = isMoving;
      if (drawn === null) return;
      show({ ...canvas.frame, range });
      if (hasEnded) showPointed(drawn.plot, canvas, drawn.layers, events);
    },
    highlight: (unit) => {
      if (unit === canvas.highlighted) return;
      canvas.highlighted = unit;
      drawn?.layers.highlight(contentOf(canvas));
    },
    resize: (width, height) => {
      const { size } = canvas.frame;
      if (size.width === width && size.height === height) return;
      canvas.frame = { ...canvas.frame, size: { width, height } };
      drawn?.plot.setSize({ width, height });
    },
    movePointer: (share) => {
      canvas.isPointed = true;
      if (drawn !== null) movePointer(drawn.plot, share);
    },
    chooseMark: () => {
      const left = drawn?.plot.cursor.left ?? -1;
      if (drawn !== null && left >= 0) chooseMarkAt(drawn.layers, left, events);
    },
    releasePointer: () => {
      canvas.isPointed = false;
      drawn?.plot.setCursor({ left: -10, top: -10 });
    },
    shownValues: () => canvas.frame.y,
    destroy: () => {
      drawn?.plot.destroy();
      drawn = null;
    },
  };
}

const isNear = (one: number, other: number, tolerance: number): boolean => Math.abs(one - other) < tolerance;
