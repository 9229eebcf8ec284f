import { chartsWords } from '../words/charts.ts';
import { bandDeviations } from './deviation-band.ts';
import { breaksOf, longestInterval } from './gaps.ts';
import { countsText, type MeanChange } from './mean-changes.ts';
import type { PlotLine } from './plot-types.ts';
import { indexAtOrAfter, type Points } from './points.ts';
import type { UnitStyle } from './unit-colours.ts';

/** Units that are treated alike. */
export interface LineGroup {
  readonly name: string;
  readonly units: readonly string[];
}

/** Where a mean over time is drawn. */
export const meanRule = chartsWords.meanHelp;

/** A mean has about so many points. */
const meanPoints = 400;

/** The value of a line at a moment, straight between its readings; none before, after and in a pause. */
function valueAt({ x, y }: Points, breaks: readonly number[], moment: number): number | undefined {
  const after = indexAtOrAfter(x, moment);
  if (x[after] === moment) return y[after];
  const [beforeMs, afterMs] = [x[after - 1], x[after]];
  if (beforeMs === undefined || afterMs === undefined) return undefined;
  const breakMs = breaks[indexAtOrAfter(breaks, beforeMs)];
  if (breakMs !== undefined && breakMs < afterMs) return undefined;
  const [before = 0, next = 0] = [y[after - 1], y[after]];
  return before + ((next - before) * (moment - beforeMs)) / (afterMs - beforeMs);
}

/** The mean of values, and their sample standard deviation; of one value there is no deviation. */
export function meanOf(values: readonly number[]): { readonly mean: number; readonly deviation: number | null } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean, deviation: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

const firstOf = ({ x }: Points): number => x[0] ?? Number.POSITIVE_INFINITY;
const lastOf = ({ x }: Points): number => x.at(-1) ?? Number.NEGATIVE_INFINITY;

/**
 * Where the mean of lines begins and ends. Their readings come one after the other: what begins, or goes on, within the usual interval of its
 * readings does so together, so that the mean does not change with each reading that arrives.
 */
function spanOf(lines: readonly Points[]): { readonly fromMs: number; readonly toMs: number } {
  const firstMs = Math.min(...lines.map(firstOf));
  const lastMs = Math.max(...lines.map(lastOf));
  const beginning = lines.filter((line) => firstOf(line) - firstMs <= longestInterval(line.x));
  const goingOn = lines.filter((line) => lastMs - lastOf(line) <= longestInterval(line.x));
  return { fromMs: Math.max(...beginning.map(firstOf)), toMs: Math.min(...goingOn.map(lastOf)) };
}

/** Round moments of the mean of lines, the same ones when the readings go on. */
function momentsOf(lines: readonly Points[]): readonly number[] {
  const spanMs = Math.max(...lines.map(lastOf)) - Math.min(...lines.map(firstOf));
  if (!(spanMs > 0)) return [];
  const { fromMs, toMs } = spanOf(lines);
  const stepMs = 2 ** Math.ceil(Math.log2(Math.max(1000, spanMs / meanPoints)));
  const first = Math.ceil(fromMs / stepMs);
  const count = Math.max(0, Math.floor(toMs / stepMs) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * stepMs);
}

/** The mean of lines over time. */
interface MeanLine {
  readonly points: Points;
  /** The standard deviation between the lines; `NaN` where there is one line only. */
  readonly deviations: Points;
  /** Of how many lines each point is the mean. */
  readonly counts: readonly number[];
  /** Where other lines have values than before. */
  readonly changes: readonly MeanChange[];
}

const areSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((place, at) => place === other[at]);

/**
 * The mean of the lines that have values at a moment, with the standard deviation between them. Where other lines have values than before,
 * it jumps although no value did: these moments are its changes.
 */
export function meanLine(lines: readonly { readonly points: Points }[]): MeanLine {
  // A single reading is no line.
  const members = lines.filter(({ points }) => points.x.length > 1);
  const known = members.map(({ points }) => ({ points, breaks: breaksOf(points.x) }));
  const points: Points = { x: [], y: [] };
  const deviations: Points = { x: [], y: [] };
  const counts: number[] = [];
  const changes: MeanChange[] = [];
  let present: readonly number[] = [];
  for (const moment of momentsOf(members.map((line) => line.points))) {
    const values = known.map((line) => valueAt(line.points, line.breaks, moment));
    const places = values.flatMap((value, place) => (value === undefined ? [] : [place]));
    if (places.length === 0) continue;
    const beforeMs = points.x.at(-1);
    if (beforeMs !== undefined && !areSame(places, present))
      changes.push({ atMs: (beforeMs + moment) / 2, before: present.length, after: places.length });
    present = places;
    const { mean, deviation } = meanOf(values.filter((value) => value !== undefined));
    points.x.push(moment);
    points.y.push(mean);
    deviations.x.push(moment);
    deviations.y.push(deviation ?? Number.NaN);
    counts.push(places.length);
  }
  return { points, deviations, counts, changes };
}

/**
 * The lines of groups instead of those of their units: means with a band of one standard deviation. A unit of no group keeps its
 * line, in a style of its own after the groups. `styleOf`: by the place.
 */
export function groupedLines(
  lines: readonly PlotLine[],
  groups: readonly LineGroup[],
  styleOf: (place: number, channel: number) => UnitStyle,
): readonly PlotLine[] {
  const grouped = new Set(groups.flatMap(({ units }) => units));
  const means = groups.flatMap(({ name, units }, place) => {
    const members = lines.filter(({ unit }) => units.includes(unit));
    const byChannel = [...Map.groupBy(members, ({ channel }) => channel)];
    return byChannel.map(([channel, own], at): PlotLine => {
      const { points, deviations, counts, changes } = meanLine(own);
      const ofChannel = byChannel.length > 1 ? `, ${channel}` : '';
      return {
        label: `${name}${ofChannel}`,
        unit: name,
        channel,
        points,
        counts,
        changes,
        off: [],
        flags: [],
        name: `${name} (${countsText(counts.length > 0 ? counts : [own.length])}${ofChannel})`,
        style: styleOf(place, at),
        // A band is drawn for so many deviations.
        deviations: { x: deviations.x, y: deviations.y.map((deviation) => deviation / bandDeviations) },
      };
    });
  });
  const others = lines.filter(({ unit }) => !grouped.has(unit));
  const places = [...new Set(others.map(({ unit }) => unit))];
  return [
    ...means,
    ...others.map((line) => {
      const channel = others.filter(({ unit }) => unit === line.unit).indexOf(line);
      return { ...line, style: styleOf(groups.length + places.indexOf(line.unit), channel) };
    }),
  ];
}
