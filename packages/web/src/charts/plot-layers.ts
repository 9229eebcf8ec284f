import uPlot from 'uplot';
import { bitmapMove } from './bitmap-moves.ts';
import { areBandsCrowded } from './deviation-band.ts';
import { drawChosen, drawMarks, drawTargets } from './draw-events.ts';
import { drawLines } from './draw-lines.ts';
import type { Projection } from './line-trace.ts';
import { type PlacedMark, placedMarks } from './plot-events.ts';
import { drawBands, drawBreaks, drawFlags } from './plot-marks.ts';
import { highlightedPaleness } from './plot-style.ts';
import type { PlotScene, PlotSettings } from './plot-types.ts';
import type { PreparedLine } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';
import type { Range } from './y-scale.ts';

/** What the layers show. */
export interface LayerContent {
  readonly scene: PlotScene;
  readonly lines: readonly PreparedLine[];
  readonly range: TimeRange;
  readonly y: Range;
  readonly highlighted: string | null;
  /** A person is moving the window: marks are hidden. */
  readonly isMoving: boolean;
  /** What is later has changed since the last call; -∞: all. */
  readonly changedFromMs: number;
}

/**
 * The layers above the axes of a chart: its lines, the lines of the highlighted unit, and the marks. Lines are drawn once: a
 * moved window moves their picture and draws what it uncovers, new readings draw the end of the lines, and while a unit is
 * highlighted the picture of all lines is pale and only its own lines are drawn.
 */
export interface PlotLayers {
  show(content: LayerContent): void;
  highlight(content: LayerContent): void;
  /** The marks at their places in the shown window. */
  placed(): readonly PlacedMark[];
}

interface Layer {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
}

/** The picture of the lines, and what it shows. */
interface Picture {
  readonly range: TimeRange;
  readonly y: Range;
}

function createLayer(parent: HTMLElement): Layer {
  const canvas = document.createElement('canvas');
  canvas.dataset.layer = '';
  parent.prepend(canvas);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser cannot draw: it has no canvas.');
  return { canvas, context };
}

const clear = ({ canvas, context }: Layer): void => context.clearRect(0, 0, canvas.width, canvas.height);

/** Both axes of a plot in pixels of its layers. */
function projectionOf(plot: uPlot, range: TimeRange): Projection {
  const { width, height, top } = plot.bbox;
  return { ...range, left: 0, width, top: 0, height, yOf: (value) => plot.valToPos(value, 'y', true) - top };
}

/** Adapts the layers to the size of the plot; returns whether that has emptied them. */
function fit(layers: readonly Layer[], { width, height }: uPlot.BBox): boolean {
  const wrong = layers.filter(({ canvas }) => canvas.width !== width || canvas.height !== height);
  for (const { canvas } of wrong) {
    canvas.width = width;
    canvas.height = height;
  }
  return wrong.length > 0;
}

/** Draws a part of lines with what belongs to them; `unit`: only those of this unit. */
function paint(
  { context }: Layer,
  { lines }: Pick<LayerContent, 'lines'>,
  projection: Projection,
  part: TimeRange,
  settings: PlotSettings,
  unit: string | null,
): void {
  const shown = unit === null ? lines : lines.filter((line) => line.unit === unit);
  drawBreaks(context, lines, projection, (each) => unit === null || unit === each);
  if (unit !== null || !areBandsCrowded(lines)) drawBands(context, shown, projection, part, settings);
  drawLines(context, shown, projection, part, settings);
}

/** Creates the picture of all lines of a plot. */
function linesLayer(plot: uPlot, layer: Layer, settings: PlotSettings) {
  const { canvas, context } = layer;
  let picture: Picture | null = null;
  /** The picture before it was stretched; `null`: it is not. */
  let original: HTMLCanvasElement | null = null;

  const redraw = (content: LayerContent): void => {
    clear(layer);
    paint(layer, content, projectionOf(plot, content.range), content.range, settings, null);
    picture = { range: content.range, y: content.y };
    original = null;
  };

  const copyOf = (): HTMLCanvasElement => {
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    copy.getContext('2d')?.drawImage(canvas, 0, 0);
    return copy;
  };

  const replaceBy = (image: HTMLCanvasElement, leftPx: number, width: number): void => {
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'copy';
    context.drawImage(image, leftPx, 0, width, canvas.height);
    context.globalCompositeOperation = 'source-over';
  };

  /** Draws what lies between two pixels anew. */
  const repaint = (content: LayerContent, range: TimeRange, fromPx: number, toPx: number): void => {
    const msPerPx = (range.toMs - range.fromMs) / canvas.width;
    const part = { fromMs: range.fromMs + fromPx * msPerPx, toMs: range.fromMs + toPx * msPerPx };
    context.save();
    context.beginPath();
    context.rect(fromPx, 0, toPx - fromPx, canvas.height);
    context.clip();
    context.clearRect(fromPx, 0, toPx - fromPx, canvas.height);
    paint(layer, content, projectionOf(plot, range), part, settings, null);
    context.restore();
  };

  return (content: LayerContent, isEmptied: boolean): void => {
    const { range, y, changedFromMs, isMoving } = content;
    const isOther = picture === null || isEmptied || picture.y[0] !== y[0] || picture.y[1] !== y[1];
    if (isOther || picture === null || changedFromMs === Number.NEGATIVE_INFINITY || (original !== null && !isMoving)) {
      redraw(content);
      return;
    }
    const move = bitmapMove(picture.range, range, canvas.width, changedFromMs);
    if (move.is === 'redraw') {
      redraw(content);
      return;
    }
    if (move.is === 'stretch') {
      original ??= copyOf();
      replaceBy(original, move.leftPx, move.factor * canvas.width);
      return;
    }
    if (original !== null) replaceBy(original, move.byPx, canvas.width);
    else if (move.byPx !== 0) replaceBy(canvas, move.byPx, canvas.width);
    original = null;
    for (const { fromPx, toPx } of move.uncovered) repaint(content, move.shows, fromPx, toPx);
    picture = { range: move.shows, y };
  };
}

/** Creates the layers of a plot, in its area. */
export function createPlotLayers(plot: uPlot, settings: PlotSettings): PlotLayers {
  // Each is put below those before it.
  const marks = createLayer(plot.over);
  const highlight = createLayer(plot.over);
  const lines = createLayer(plot.over);
  const showLines = linesLayer(plot, lines, settings);
  let placed: readonly PlacedMark[] = [];

  const showHighlight = (content: LayerContent): void => {
    const { highlighted, range } = content;
    clear(highlight);
    lines.canvas.style.opacity = highlighted === null ? '' : String(highlightedPaleness);
    if (highlighted !== null) paint(highlight, content, projectionOf(plot, range), range, settings, highlighted);
  };
  const showMarks = (content: LayerContent): void => {
    const { scene, highlighted, isMoving } = content;
    marks.canvas.hidden = isMoving;
    if (isMoving) return;
    clear(marks);
    const projection = projectionOf(plot, content.range);
    drawTargets(marks.context, scene.targets, projection, scene.colourOf, highlighted);
    drawFlags(marks.context, scene.lines, projection, settings);
    if (scene.chosenMs !== null) drawChosen(marks.context, scene.chosenMs, projection, settings);
    drawMarks(marks.context, placed, projection, settings, scene.colourOf, highlighted);
  };
  return {
    show: (content) => {
      const isEmptied = fit([lines, highlight, marks], plot.bbox);
      if (!content.isMoving) placed = placedMarks(content.scene.marks, content.range, plot.bbox.width / uPlot.pxRatio);
      showLines(content, isEmptied);
      if (content.highlighted !== null) showHighlight(content);
      showMarks(content);
    },
    highlight: (content) => {
      showHighlight(content);
      showMarks(content);
    },
    placed: () => placed,
  };
}
