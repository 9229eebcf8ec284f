import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import { bandDeviations } from './deviation-band.ts';
import { breaksOf } from './gaps.ts';
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

/** Round moments at which all lines have values, the same ones when the readings go on. */
function momentsOf(lines: readonly Points[]): readonly number[] {
  const spanMs = Math.max(...lines.map(lastOf)) - Math.min(...lines.map(firstOf));
  if (!(spanMs > 0)) return [];
  const stepMs = 2 ** Math.ceil(Math.log2(Math.max(1000, spanMs / meanPoints)));
  const first = Math.ceil(Math.max(...lines.map(firstOf)) / stepMs);
  const count = Math.max(0, Math.floor(Math.min(...lines.map(lastOf)) / stepMs) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * stepMs);
}

/** The mean of lines over time. */
interface MeanLine {
  readonly points: Points;
  /** The standard deviation between the lines; `NaN` where there is one line only. */
  readonly deviations: Points;
  /** Of how many lines each point is the mean. */
  readonly counts: readonly number[];
}

/**
 * The mean of the lines that have readings, with the standard deviation between them, where all of them have values: with each line
 * that begins, ends or pauses it would jump, although no value did.
 */
export function meanLine(lines: readonly { readonly points: Points }[]): MeanLine {
  const members = lines.filter(({ points }) => points.x.length > 0);
  const known = members.map(({ points }) => ({ points, breaks: breaksOf(points.x) }));
  const points: Points = { x: [], y: [] };
  const deviations: Points = { x: [], y: [] };
  const counts: number[] = [];
  for (const moment of momentsOf(members.map((line) => line.points))) {
    const values = known.flatMap((line) => valueAt(line.points, line.breaks, moment) ?? []);
    if (values.length < members.length) continue;
    const { mean, deviation } = meanOf(values);
    points.x.push(moment);
    points.y.push(mean);
    deviations.x.push(moment);
    deviations.y.push(deviation ?? Number.NaN);
    counts.push(values.length);
  }
  return { points, deviations, counts };
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
      const { points, deviations, counts } = meanLine(own);
      const ofChannel = byChannel.length > 1 ? `, ${channel}` : '';
      return {
        ...{ label: `${name}${ofChannel}`, unit: name, channel, points, counts, off: [], flags: [] },
        name: `${name} (${commonWords.countN(counts[0] ?? own.length)}${ofChannel})`,
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
