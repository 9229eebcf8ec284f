import { indexAtOrAfter, type Points } from './points.ts';
import type { TimeRange } from './time-range.ts';

/** How moments and values become pixels. */
export interface Projection {
  readonly fromMs: number;
  readonly toMs: number;
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
  /** The pixel of a value; not finite for what the axis cannot show. */
  readonly yOf: (value: number) => number;
}

/** The pixel of a moment. */
export const momentPx = ({ fromMs, toMs, left, width }: Projection, ms: number): number =>
  left + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;

/** `x0, y0, x1, y1, …` in pixels. */
type Path = readonly number[];

/** What is drawn of one line. */
export interface Trace {
  /** Pieces without a pause. */
  readonly paths: readonly Path[];
  /**
   * For each path the positions where its dashes start anew: at the beginning of each block, so that a strip of a chart
   * that is drawn alone has the same dashes as the whole chart.
   */
  readonly restarts: readonly (readonly number[])[];
  /** The area between the lowest and the highest reading, where readings are denser than pixels. */
  readonly envelopes: readonly Path[];
  /** Single readings between two pauses. */
  readonly dots: readonly (readonly [x: number, y: number])[];
  /** Where readings are above and below the shown values. */
  readonly above: readonly number[];
  readonly below: readonly number[];
}

/** Readings closer than this share a column. */
const columnPx = 4;
/** With more readings in a column than this, a line through all of them is a hatched area. */
const mostInColumn = 3;
/** Whether a line goes through all readings or through the middle of columns is decided for so many columns together. */
const blockColumns = 16;
/** The least distance of the marks of readings outside of the shown values; a whole number of them is in a block. */
const outsideGapPx = 8;

interface Vertex {
  readonly x: number;
  readonly y: number;
  /** The column in time: the same wherever the window begins, so that a moved window shows the same line. */
  readonly column: number;
}

interface Column {
  readonly column: number;
  x: number;
  y: number;
  count: number;
  low: number;
  high: number;
}

const blockOf = ({ column }: { readonly column: number }): number => Math.floor(column / blockColumns);

/** The readings of one piece, those of each column together. */
function columnsOf(piece: readonly Vertex[]): readonly Column[] {
  const columns: Column[] = [];
  for (const { x, y, column } of piece) {
    const last = columns.at(-1);
    if (last === undefined || last.column !== column) {
      columns.push({ column, x, y, count: 1, low: y, high: y });
      continue;
    }
    last.x += (x - last.x) / (last.count + 1);
    last.y += (y - last.y) / (last.count + 1);
    last.count += 1;
    last.low = Math.min(last.low, y);
    last.high = Math.max(last.high, y);
  }
  return columns;
}

const envelopeOf = (columns: readonly Column[]): Path => [
  ...columns.flatMap(({ x, low }) => [x, low]),
  ...[...columns].reverse().flatMap(({ x, high }) => [x, high]),
];

/** The readings of a piece in blocks of columns. */
function blocksOf(piece: readonly Vertex[]): readonly (readonly Vertex[])[] {
  const blocks: Vertex[][] = [];
  for (const vertex of piece) {
    const last = blocks.at(-1);
    const before = last?.[0];
    if (last !== undefined && before !== undefined && blockOf(before) === blockOf(vertex)) last.push(vertex);
    else blocks.push([vertex]);
  }
  return blocks;
}

/** The line of a piece, through all readings where they are few and through the middle of columns where they are dense. */
function straight(piece: readonly Vertex[]) {
  const path: number[] = [];
  const restarts: number[] = [];
  const envelopes: Path[] = [];
  let dense: Column[] = [];
  const endEnvelope = (): void => {
    if (dense.length > 0) envelopes.push(envelopeOf(dense));
    dense = [];
  };
  for (const block of blocksOf(piece)) {
    restarts.push(path.length);
    const columns = columnsOf(block);
    const isDense = block.length > mostInColumn * columns.length;
    if (isDense) dense.push(...columns);
    else endEnvelope();
    for (const { x, y } of isDense ? columns : block) path.push(x, y);
  }
  endEnvelope();
  return { path, restarts, envelopes };
}

function steps(piece: readonly Vertex[]): Path {
  const path: number[] = [];
  for (const [index, { x, y }] of piece.entries()) {
    const before = piece[index - 1];
    if (before !== undefined) path.push(x, before.y);
    path.push(x, y);
  }
  return path;
}

/** Moments as pixels and as columns in time. */
interface TimeScale {
  readonly xOf: (ms: number) => number;
  readonly columnOf: (ms: number) => number;
  /** The begin and the end of the blocks of a moment. */
  readonly blockAt: (ms: number) => { readonly fromMs: number; readonly toMs: number };
}

function timeScale({ fromMs, toMs, left, width }: Projection, column: number): TimeScale {
  const scale = width / Math.max(1, toMs - fromMs);
  const columnMs = column / scale;
  const blockMs = columnMs * blockColumns;
  return {
    xOf: (ms) => left + (ms - fromMs) * scale,
    columnOf: (ms) => Math.floor(ms / columnMs),
    blockAt: (ms) => {
      const block = Math.floor(ms / blockMs);
      return { fromMs: block * blockMs, toMs: (block + 1) * blockMs };
    },
  };
}

/**
 * The readings to draw for a part of the window: to the ends of the blocks of its first and last reading, and one beyond
 * each end, to which the line goes on.
 */
function readingsOf({ x }: Points, { fromMs, toMs }: TimeRange, { blockAt }: TimeScale) {
  const first = x[indexAtOrAfter(x, fromMs) - 1] ?? fromMs;
  const last = x[indexAtOrAfter(x, toMs)] ?? toMs;
  return {
    begin: Math.max(0, indexAtOrAfter(x, blockAt(first).fromMs) - 1),
    end: Math.min(x.length, indexAtOrAfter(x, blockAt(last).toMs) + 1),
  };
}

/** The readings of a part in pixels, in pieces between the breaks; what the axis cannot show ends a piece. */
function piecesOf(
  points: Points,
  breaks: readonly number[],
  part: TimeRange,
  scale: TimeScale,
  yOf: Projection['yOf'],
) {
  const { begin, end } = readingsOf(points, part, scale);
  let nextBreak = indexAtOrAfter(breaks, points.x[begin] ?? part.fromMs);
  const pieces: Vertex[][] = [[]];
  for (let index = begin; index < end; index += 1) {
    const moment = points.x[index] ?? 0;
    const y = yOf(points.y[index] ?? 0);
    const breakMs = breaks[nextBreak];
    if ((breakMs !== undefined && breakMs < moment) || !Number.isFinite(y)) pieces.push([]);
    while ((breaks[nextBreak] ?? Number.POSITIVE_INFINITY) < moment) nextBreak += 1;
    if (Number.isFinite(y)) pieces.at(-1)?.push({ x: scale.xOf(moment), y, column: scale.columnOf(moment) });
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** Pixels of which each place of `outsideGapPx` has at most one. */
function thinned(vertices: readonly Vertex[]): readonly number[] {
  const columns = outsideGapPx / columnPx;
  const places = new Map<number, number>();
  for (const { x, column } of vertices) {
    const place = Math.floor(column / columns);
    if (!places.has(place)) places.set(place, x);
  }
  return [...places.values()];
}

interface TraceOptions {
  readonly isStepped: boolean;
  readonly pxRatio?: number;
  /** The part of the window to draw; without it: the whole. */
  readonly part?: TimeRange;
}

/**
 * What to draw of a line: straight or stepped between readings. The leader reduces a long series to the lowest and the
 * highest reading of each period; where they are denser than pixels, the line goes through their middle and a pale area
 * shows how far they spread, so that the noise of a sensor does not look like steps. `breaks` are the moments of its pauses.
 */
export function lineTrace(
  points: Points,
  breaks: readonly number[],
  projection: Projection,
  { isStepped, pxRatio = 1, part = projection }: TraceOptions,
): Trace {
  const { left, top, width, height } = projection;
  const paths: Path[] = [];
  const restarts: (readonly number[])[] = [];
  const envelopes: Path[] = [];
  const dots: [number, number][] = [];
  const above: Vertex[] = [];
  const below: Vertex[] = [];
  const scale = timeScale(projection, columnPx * pxRatio);
  for (const piece of piecesOf(points, breaks, part, scale, projection.yOf)) {
    for (const vertex of piece) {
      if (vertex.x < left || vertex.x > left + width) continue;
      if (vertex.y < top) above.push(vertex);
      else if (vertex.y > top + height) below.push(vertex);
    }
    const [only] = piece;
    if (piece.length === 1 && only !== undefined) {
      dots.push([only.x, only.y]);
      continue;
    }
    const line = isStepped ? { path: steps(piece), restarts: [], envelopes: [] } : straight(piece);
    paths.push(line.path);
    restarts.push(line.restarts);
    envelopes.push(...line.envelopes);
  }
  return { paths, restarts, envelopes, dots, above: thinned(above), below: thinned(below) };
}
