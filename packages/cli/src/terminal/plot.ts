/** One line of a plot: moments ascending (ms), finite values. */
export interface PlotLine {
  readonly label: string;
  readonly points: readonly (readonly [atMs: number, value: number])[];
  /** Flagged intervals, marked with `!` below the plot. Both ends included. */
  readonly marked?: readonly (readonly [fromMs: number, toMs: number])[];
}

export interface PlotSize {
  /** Characters, without the axis. */
  readonly columns: number;
  readonly rows: number;
}

/** Dots of one braille character: two wide, four high; the bit of each by column and row (Unicode, block 2800). */
const dotBits = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const blank = 0x2800;

interface Range {
  readonly from: number;
  readonly to: number;
}

function rangeOf(values: Iterable<number>): Range | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (from > to) return undefined;
  // A level line lies in the middle.
  return from === to
    ? { from: from - Math.max(1e-9, Math.abs(from) * 0.05), to: to + Math.max(1e-9, Math.abs(to) * 0.05) }
    : { from, to };
}

const placeIn = ({ from, to }: Range, value: number, places: number): number =>
  Math.min(places - 1, Math.max(0, Math.round(((value - from) / (to - from)) * (places - 1))));

/** Label of an axis value, with the decimals that the axis range needs. */
function axisLabel(value: number, { from, to }: Range): string {
  const decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(to - from))));
  return value.toFixed(decimals);
}

/**
 * Plots lines as braille dots, each line on a plot of its own below its label: they stay apart without colours. Empty lines
 * are left out.
 */
export function plot(lines: readonly PlotLine[], size: PlotSize): readonly string[] {
  const times = rangeOf(lines.flatMap(({ points }) => points.map(([atMs]) => atMs)));
  if (times === undefined) return [];
  return lines.flatMap((line) => onePlot(line, times, size));
}

function onePlot({ label, points, marked = [] }: PlotLine, times: Range, { columns, rows }: PlotSize): string[] {
  const values = rangeOf(points.map(([, value]) => value));
  if (values === undefined) return [];
  const cells = Array.from({ length: rows }, () => new Uint8Array(columns));
  for (const [atMs, value] of points) {
    const x = placeIn(times, atMs, columns * 2);
    const y = rows * 4 - 1 - placeIn(values, value, rows * 4);
    const row = cells[Math.floor(y / 4)];
    const bit = dotBits[x % 2 === 0 ? 0 : 1][y % 4] ?? 0;
    if (row) row[Math.floor(x / 2)] = (row[Math.floor(x / 2)] ?? 0) | bit;
  }
  const highest = axisLabel(values.to, values);
  const lowest = axisLabel(values.from, values);
  const width = Math.max(highest.length, lowest.length);
  const newest = points.at(-1)?.[1] ?? Number.NaN;
  const drawn = cells.map((row, index) => {
    const side = index === 0 ? highest : index === rows - 1 ? lowest : '';
    return `${side.padStart(width)} │${String.fromCharCode(...Array.from(row, (dots) => blank + dots))}`;
  });
  const below = marks(marked, times, columns);
  const last = below.trim() === '' ? [] : [`${' '.repeat(width)} │${below}`];
  return [`${label}  (newest ${axisLabel(newest, values)})`, ...drawn, ...last];
}

function marks(marked: NonNullable<PlotLine['marked']>, times: Range, columns: number): string {
  const row = Array.from({ length: columns }, () => ' ');
  const columnOf = (atMs: number): number => Math.floor(placeIn(times, atMs, columns * 2) / 2);
  for (const [fromMs, toMs] of marked) {
    if (toMs >= times.from && fromMs <= times.to) row.fill('!', columnOf(fromMs), columnOf(toMs) + 1);
  }
  return row.join('').trimEnd();
}
