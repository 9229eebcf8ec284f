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

/** Round moments from the first to the last reading, the same ones when the readings go on. */
function momentsOf(lines: readonly { readonly points: Points }[]): readonly number[] {
  const fromMs = Math.min(...lines.map(({ points }) => points.x[0] ?? Number.POSITIVE_INFINITY));
  const toMs = Math.max(...lines.map(({ points }) => points.x.at(-1) ?? Number.NEGATIVE_INFINITY));
  if (!(fromMs < toMs)) return [];
  const stepMs = 2 ** Math.ceil(Math.log2(Math.max(1000, (toMs - fromMs) / meanPoints)));
  const first = Math.ceil(fromMs / stepMs);
  return Array.from({ length: Math.floor(toMs / stepMs) - first + 1 }, (_, index) => (first + index) * stepMs);
}

/** The mean of some lines over time, with the standard deviation between them where there are two or more. */
export function meanLine(lines: readonly { readonly points: Points }[]): {
  readonly points: Points;
  readonly deviations: Points;
} {
  const known = lines.map(({ points }) => ({ points, breaks: breaksOf(points.x) }));
  const points: Points = { x: [], y: [] };
  const deviations: Points = { x: [], y: [] };
  for (const moment of momentsOf(lines)) {
    const values = known.flatMap((line) => valueAt(line.points, line.breaks, moment) ?? []);
    if (values.length === 0) continue;
    const { mean, deviation } = meanOf(values);
    points.x.push(moment);
    points.y.push(mean);
    deviations.x.push(moment);
    deviations.y.push(deviation ?? 0);
  }
  return { points, deviations };
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
      const { points, deviations } = meanLine(own);
      const count = new Set(own.map(({ unit }) => unit)).size;
      const ofChannel = byChannel.length > 1 ? `, ${channel}` : '';
      return {
        ...{ label: `${name}${ofChannel}`, unit: name, channel, points, off: [], flags: [] },
        name: `${name} (n = ${count}${ofChannel})`,
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
