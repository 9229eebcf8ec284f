import type { TimeRange } from './time-range.ts';
import type { Range } from './y-scale.ts';

/** What a mark on a chart stands for. */
type ChartMarkKind = 'dose' | 'setting' | 'note' | 'alarm' | 'profile' | 'interruption' | 'action';

/** Something that happened, drawn on charts. */
export interface ChartMark {
  /** Of its entry in the timeline. */
  readonly id: string;
  readonly atMs: number;
  /** `null`: it has no duration. */
  readonly untilMs: number | null;
  readonly kind: ChartMarkKind;
  /** `null`: it concerns the whole experiment. */
  readonly unit: string | null;
  readonly text: string;
}

/** A target of a unit while it was in force, drawn as a dashed line. */
export interface ChartTarget {
  readonly unit: string;
  readonly fromMs: number;
  /** `null`: it is in force. */
  readonly toMs: number | null;
  readonly value: number;
}

/** A past target that was in force for less than this share of the window was a slip: the axis does not include it. */
const briefShare = 0.01;
/** The axis does not include a target so many times further away than the readings are from zero. */
const farFactor = 100;

/** The targets in a window that the axis of values includes; `readings`: the ends of those in it, `usual`: the usual axis. */
export function targetsOnAxis(
  targets: readonly ChartTarget[],
  window: TimeRange,
  readings: Range,
  usual: Range,
): readonly ChartTarget[] {
  const least = briefShare * (window.toMs - window.fromMs);
  const far = Math.max(...usual.map(Math.abs), ...readings.map((end) => farFactor * Math.abs(end)));
  return targets.filter(({ fromMs, toMs, value }) => {
    const spanMs = Math.min(toMs ?? window.toMs, window.toMs) - Math.max(fromMs, window.fromMs);
    const isBrief = toMs !== null && spanMs < least;
    return spanMs >= 0 && !isBrief && Math.abs(value) <= far;
  });
}

/** How a mark is drawn: a tick at the bottom, a flag at the top, a line over the whole height, or a span at the top. */
type MarkShape = 'tick' | 'flag' | 'line' | 'span';

const shapes: { readonly [Kind in ChartMarkKind]: MarkShape } = {
  dose: 'tick',
  setting: 'tick',
  note: 'flag',
  alarm: 'flag',
  profile: 'line',
  interruption: 'span',
  action: 'tick',
};

/** Marks of one kind (and unit) that would be drawn at the same place. */
export interface PlacedMark {
  readonly shape: MarkShape;
  readonly kind: ChartMarkKind;
  /** `null`: of several units, or of the whole experiment. */
  readonly unit: string | null;
  /** Pixels from the left of the plot. */
  readonly left: number;
  readonly width: number;
  /** 0 to 1: of the most marks at one place of this kind. */
  readonly density: number;
  readonly marks: readonly ChartMark[];
}

/** Marks that are closer than this are drawn as one. */
const mergePx: { readonly [Shape in MarkShape]: number } = { tick: 3, flag: 14, line: 3, span: 3 };
/** With more ticks than this share of all places, the colours of single units are not distinguished. */
const leastTickPx = 2;

const isVisible = ({ atMs, untilMs }: ChartMark, { fromMs, toMs }: TimeRange): boolean =>
  atMs <= toMs && (untilMs ?? atMs) >= fromMs;

/**
 * Where marks are drawn in a window of `width` pixels. Those that would overlap are one mark, with the density of their
 * place: with many doses the ticks become a histogram of doses.
 */
export function placedMarks(marks: readonly ChartMark[], range: TimeRange, width: number): readonly PlacedMark[] {
  const scale = width / Math.max(1, range.toMs - range.fromMs);
  const places = new Map<string, { left: number; right: number; marks: ChartMark[] }>();
  for (const mark of marks) {
    if (!isVisible(mark, range)) continue;
    const shape = shapes[mark.kind];
    const left = (mark.atMs - range.fromMs) * scale;
    const right = shape === 'span' ? ((mark.untilMs ?? mark.atMs) - range.fromMs) * scale : left;
    // A span is one mark for itself: it has a beginning and an end.
    const place = shape === 'span' ? `${left} ${right} ${mark.unit}` : Math.round(left / mergePx[shape]);
    const key = `${mark.kind} ${place}`;
    const found = places.get(key);
    if (found === undefined) places.set(key, { left, right, marks: [mark] });
    else found.marks.push(mark);
  }
  const most = new Map<ChartMarkKind, number>();
  for (const { marks: together } of places.values()) {
    const kind = together[0]?.kind ?? 'dose';
    most.set(kind, Math.max(most.get(kind) ?? 1, together.length));
  }
  return [...places.values()].flatMap(({ left, right, marks: together }) => {
    const [first] = together;
    if (first === undefined) return [];
    return {
      shape: shapes[first.kind],
      kind: first.kind,
      unit: together.every(({ unit }) => unit === first.unit) ? first.unit : null,
      left,
      width: Math.max(leastTickPx, right - left),
      density: together.length / (most.get(first.kind) ?? 1),
      marks: together,
    };
  });
}

const hitPx = 6;

/** The marks at a place, the nearest first: for the values beside the pointer. */
export function marksAt(placed: readonly PlacedMark[], left: number): readonly ChartMark[] {
  const distanceOf = (mark: PlacedMark): number =>
    Math.max(mark.left - left, left - (mark.shape === 'span' ? mark.left + mark.width : mark.left), 0);
  return placed
    .map((mark) => ({ mark, distance: distanceOf(mark) }))
    .filter(({ distance }) => distance <= hitPx)
    .sort((one, other) => one.distance - other.distance)
    .flatMap(({ mark }) => mark.marks);
}

/** The targets in force within a window, cut to it. */
export const shownTargets = (
  targets: readonly ChartTarget[],
  { fromMs, toMs }: TimeRange,
): readonly (ChartTarget & TimeRange)[] =>
  targets
    .map((target) => ({
      ...target,
      fromMs: Math.max(fromMs, target.fromMs),
      toMs: Math.min(toMs, target.toMs ?? toMs),
    }))
    .filter((target) => target.fromMs < target.toMs);
