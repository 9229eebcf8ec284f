import { indexAtOrAfter, type Points } from './points.ts';

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

/** `x0, y0, x1, y1, …` in pixels. */
type Path = readonly number[];

/** What is drawn of one line. */
export interface Trace {
  /** Pieces without a pause. */
  readonly paths: readonly Path[];
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
/** The least distance of the marks of readings outside of the shown values. */
const outsideGapPx = 8;

interface Column {
  x: number;
  y: number;
  count: number;
  low: number;
  high: number;
}

/** The readings of one piece, those of each column together. */
function columnsOf(piece: readonly (readonly [x: number, y: number])[], column: number): readonly Column[] {
  const columns: (Column & { at: number })[] = [];
  for (const [x, y] of piece) {
    const at = Math.floor(x / column);
    const last = columns.at(-1);
    if (last === undefined || last.at !== at) {
      columns.push({ at, x, y, count: 1, low: y, high: y });
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

function steps(piece: readonly (readonly [x: number, y: number])[]): Path {
  const path: number[] = [];
  for (const [index, [x, y]] of piece.entries()) {
    const before = piece[index - 1];
    if (before !== undefined) path.push(x, before[1]);
    path.push(x, y);
  }
  return path;
}

/** The visible readings in pixels, in pieces between the breaks; what the axis cannot show ends a piece. */
function piecesOf(points: Points, breaks: readonly number[], projection: Projection) {
  const { fromMs, toMs, left, width, yOf } = projection;
  const scale = width / Math.max(1, toMs - fromMs);
  // One reading beyond each edge: the line goes on to it.
  const begin = Math.max(0, indexAtOrAfter(points.x, fromMs) - 1);
  const end = Math.min(points.x.length, indexAtOrAfter(points.x, toMs) + 1);
  let nextBreak = indexAtOrAfter(breaks, points.x[begin] ?? fromMs);
  const pieces: [x: number, y: number][][] = [[]];
  for (let index = begin; index < end; index += 1) {
    const moment = points.x[index] ?? 0;
    const y = yOf(points.y[index] ?? 0);
    const breakMs = breaks[nextBreak];
    if ((breakMs !== undefined && breakMs < moment) || !Number.isFinite(y)) pieces.push([]);
    while ((breaks[nextBreak] ?? Number.POSITIVE_INFINITY) < moment) nextBreak += 1;
    if (Number.isFinite(y)) pieces.at(-1)?.push([left + (moment - fromMs) * scale, y]);
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** Pixels that are at least `gap` apart. */
function thinnedPixels(xs: readonly number[], gap: number): readonly number[] {
  const kept: number[] = [];
  for (const x of xs) if (kept.length === 0 || x - (kept.at(-1) ?? 0) >= gap) kept.push(x);
  return kept;
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
  { isStepped, pxRatio = 1 }: { readonly isStepped: boolean; readonly pxRatio?: number },
): Trace {
  const { left, top, width, height } = projection;
  const column = columnPx * pxRatio;
  const paths: Path[] = [];
  const envelopes: Path[] = [];
  const dots: [number, number][] = [];
  const above: number[] = [];
  const below: number[] = [];
  for (const piece of piecesOf(points, breaks, projection)) {
    for (const [x, y] of piece) {
      if (x < left || x > left + width) continue;
      if (y < top) above.push(x);
      else if (y > top + height) below.push(x);
    }
    const [only] = piece;
    if (piece.length === 1 && only !== undefined) {
      dots.push(only);
      continue;
    }
    if (isStepped) {
      paths.push(steps(piece));
      continue;
    }
    const columns = columnsOf(piece, column);
    if (piece.length <= mostInColumn * columns.length) {
      paths.push(piece.flat());
      continue;
    }
    paths.push(columns.flatMap(({ x, y }) => [x, y]));
    envelopes.push(envelopeOf(columns));
  }
  const gap = outsideGapPx * pxRatio;
  return { paths, envelopes, dots, above: thinnedPixels(above, gap), below: thinnedPixels(below, gap) };
}
