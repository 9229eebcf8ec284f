import { type AlignedCurve, hourMs, type MeanCurve } from '@lcs/contract';
import { type Alignment, alignmentH, groupStatistics, leastUnitsOfMean } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { UnitGrowth } from '../growth-curves/unit-growth.ts';
import type { UnitPlace } from './wire-growth.ts';

/** Why a curve has no hour 0. */
const failures = { start: null, first_dilution: 'not_diluted', od: 'od_not_reached' } as const;

const none = { hours: [], od: [], generations: [] };

export function alignedCurve(place: UnitPlace, growth: UnitGrowth, alignment: Alignment): AlignedCurve {
  const zeroH = alignmentH(growth.curve, alignment, growth.firstDilutionH);
  if (zeroH === null) return { ...place, zero_at: null, failure: failures[alignment.on], ...none };
  const first = growth.curve[0]?.level ?? 0;
  return {
    ...place,
    zero_at: toTimestamp(Math.round(growth.startMs + zeroH * hourMs)),
    failure: null,
    hours: growth.curve.map(({ h }) => h - zeroH),
    od: growth.curve.map(({ od }) => od),
    generations: growth.curve.map(({ level }) => (level - first) / Math.LN2),
  };
}

const meanPoints = 150;

/** OD at an hour, between two points; null outside of the curve. */
function odAt({ hours, od }: AlignedCurve, hour: number): number | null {
  const after = hours.findIndex((one) => one >= hour);
  const [h1, od1] = [hours[after], od[after]];
  if (after < 0 || h1 === undefined || od1 === undefined) return null;
  const [h0 = h1, od0 = od1] = [hours[after - 1], od[after - 1]];
  if (after === 0 && hour < h1) return null;
  return h1 === h0 ? od1 : od0 + ((od1 - od0) * (hour - h0)) / (h1 - h0);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The spans of hours in which at least `least` curves go on, in order. */
function coveredSpans(curves: readonly AlignedCurve[], least: number): readonly Span[] {
  const edges = curves.flatMap(({ hours }) => {
    const [first, last] = [hours[0], hours.at(-1)];
    return first === undefined || last === undefined
      ? []
      : [
          { hour: first, by: 1 },
          { hour: last, by: -1 },
        ];
  });
  // At one hour curves begin before others end: both have a value there.
  edges.sort((a, b) => a.hour - b.hour || b.by - a.by);
  const spans: Span[] = [];
  let [count, from] = [0, 0];
  for (const { hour, by } of edges) {
    if (by > 0 && count === least - 1) from = hour;
    if (by < 0 && count === least && hour > from) spans.push({ from, to: hour });
    count += by;
  }
  return spans;
}

/** Evenly spaced hours of a span, both ends exact: rounding would put the last one behind the end of a curve. */
const hoursOf = ({ from, to }: Span, points: number): readonly number[] =>
  Array.from({ length: points }, (_, index) =>
    index === points - 1 ? to : from + ((to - from) * index) / (points - 1),
  );

/** The hours at which a mean is computed: the points are shared by the spans with values, with an hour between two spans. */
function meanHours(spans: readonly Span[]): readonly number[] {
  const total = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  return spans.flatMap((span, index) => {
    const before = spans[index - 1];
    const hole = before === undefined ? [] : [(before.to + span.from) / 2];
    return [...hole, ...hoursOf(span, Math.max(2, Math.round((meanPoints * (span.to - span.from)) / total)))];
  });
}

/**
 * The mean OD of the curves of a group, with its 95 % interval where there are two or more; only where enough of the units that have
 * this hour 0 have a value, and null between such spans.
 */
export function meanCurve(name: string, curves: readonly AlignedCurve[]): MeanCurve | undefined {
  const least = leastUnitsOfMean(curves.filter((curve) => curve.hours.length > 0).length);
  const spans = coveredSpans(curves, least);
  if (spans.length === 0) return undefined;
  const mean: MeanCurve = { name, hours: [], od: [], lower: [], upper: [], n: [] };
  for (const hour of meanHours(spans)) {
    const found = groupStatistics(curves.flatMap((curve) => odAt(curve, hour) ?? []));
    const isGiven = found.n >= least;
    mean.hours.push(hour);
    mean.od.push(isGiven ? found.mean : null);
    mean.lower.push(isGiven ? found.lower : null);
    mean.upper.push(isGiven ? found.upper : null);
    mean.n.push(found.n);
  }
  return mean;
}
