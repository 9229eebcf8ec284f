import type { FlaggedSpan, Reading } from '@lcs/contract';
import { type ChartSource, isByChannel, liveNameOf } from './chart-source.ts';
import { indexAtOrAfter, nearestIndex, type Points } from './points.ts';

export type SampleFlag = FlaggedSpan['flag'];

/** Readings of a line in a row that have a flag. */
export interface FlagSpan {
  readonly flag: SampleFlag;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Where a flag is drawn. */
export interface FlagMark {
  readonly flag: SampleFlag;
  readonly x: number;
  readonly y: number;
}

/** The label of the line of a reading. */
const labelOf = (source: ChartSource, unit: string, channel: string | null): string =>
  isByChannel(source) ? `${unit}-${channel ?? '1'}` : unit;

/** A span that goes on is as old as the last request for spans. */
const sameSpanMs = 60_000;

/** Whether a reading of the live stream has a flag on a chart that begins with it: the spans do not have it yet. */
export function beginsFlag(
  source: ChartSource,
  spans: ReadonlyMap<string, readonly FlagSpan[]>,
  { reactor_unit, channel, source: of, x, flags = [] }: Reading,
): boolean {
  if (flags.length === 0 || of !== liveNameOf(source)) return false;
  const known = spans.get(labelOf(source, reactor_unit, channel)) ?? [];
  const ms = Date.parse(x);
  return flags.some(
    (flag) => !known.some((span) => span.flag === flag && span.fromMs <= ms && ms - span.toMs <= sameSpanMs),
  );
}

/** The flagged spans of the lines of a chart, by the label of the line. */
export function spansByLine(
  source: ChartSource,
  spans: readonly FlaggedSpan[],
): ReadonlyMap<string, readonly FlagSpan[]> {
  const live = liveNameOf(source);
  const byLine = new Map<string, FlagSpan[]>();
  for (const { reactor_unit, source: of, channel, flag, from, to } of spans) {
    if (of !== live) continue;
    const label = labelOf(source, reactor_unit, channel);
    const span = { flag, fromMs: Date.parse(from), toMs: Date.parse(to) };
    byLine.set(label, [...(byLine.get(label) ?? []), span]);
  }
  return byLine;
}

/**
 * Where the flags of a line are drawn: at its readings, at least `leastGapMs` apart. A span without any drawn point has one
 * mark at the nearest one, so that no flag is lost when points are reduced.
 */
export function flagMarks({ x, y }: Points, spans: readonly FlagSpan[], leastGapMs: number): readonly FlagMark[] {
  return spans.flatMap(({ flag, fromMs, toMs }) => {
    const marks: FlagMark[] = [];
    const end = indexAtOrAfter(x, toMs + 1);
    for (let index = indexAtOrAfter(x, fromMs); index < end; index += 1) {
      const moment = x[index] ?? 0;
      const before = marks.at(-1);
      if (before === undefined || moment - before.x >= leastGapMs) marks.push({ flag, x: moment, y: y[index] ?? 0 });
    }
    if (marks.length > 0) return marks;
    const nearest = nearestIndex(x, (fromMs + toMs) / 2);
    const moment = x[nearest];
    return moment === undefined ? [] : [{ flag, x: moment, y: y[nearest] ?? 0 }];
  });
}

/** The flags of a line at a moment, each once. */
export const flagsAt = (spans: readonly FlagSpan[], moment: number): readonly SampleFlag[] => [
  ...new Set(spans.filter(({ fromMs, toMs }) => moment >= fromMs && moment <= toMs).map(({ flag }) => flag)),
];

/** A flag on a chart, and the lines that have it. */
export interface ShownFlag {
  readonly flag: SampleFlag;
  readonly lines: readonly string[];
}

/** The flags within a window, each with the names of its lines. */
export function shownFlags(
  lines: readonly { readonly name: string; readonly flags: readonly FlagSpan[] }[],
  range: { readonly fromMs: number; readonly toMs: number },
): readonly ShownFlag[] {
  const found = new Map<SampleFlag, Set<string>>();
  for (const { name, flags } of lines) {
    for (const { flag, fromMs, toMs } of flags) {
      if (toMs < range.fromMs || fromMs > range.toMs) continue;
      found.set(flag, (found.get(flag) ?? new Set()).add(name));
    }
  }
  return [...found].map(([flag, names]) => ({ flag, lines: [...names] }));
}
