import { type AlignedCurve, hourMs, type MeanCurve } from '@lcs/contract';
import { type Alignment, alignmentH, groupStatistics } from '@lcs/domain';
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

/** The hours in which all curves go on; undefined: there are none. */
function sharedSpan(curves: readonly AlignedCurve[]): Span | undefined {
  const from = Math.max(...curves.map(({ hours }) => hours[0] ?? 0));
  const to = Math.min(...curves.map(({ hours }) => hours.at(-1) ?? 0));
  return curves.length > 0 && to > from ? { from, to } : undefined;
}

/** Evenly spaced hours of a span, both ends exact: rounding would put the last one behind the end of a curve. */
const hoursOf = ({ from, to }: Span): readonly number[] =>
  Array.from({ length: meanPoints }, (_, index) =>
    index === meanPoints - 1 ? to : from + ((to - from) * index) / (meanPoints - 1),
  );

/**
 * The mean OD of the curves of a group, with its 95 % interval where there are two or more. It is given only where all units that have
 * this hour 0 have a value: with each unit that joins or leaves it would jump, although no culture did. A single reading is no curve.
 */
export function meanCurve(name: string, curves: readonly AlignedCurve[]): MeanCurve | undefined {
  const members = curves.filter(({ hours }) => hours.length > 1);
  const span = sharedSpan(members);
  if (span === undefined) return undefined;
  const mean: MeanCurve = { name, hours: [], od: [], lower: [], upper: [], n: [] };
  for (const hour of hoursOf(span)) {
    const found = groupStatistics(members.flatMap((curve) => odAt(curve, hour) ?? []));
    mean.hours.push(hour);
    mean.od.push(found.mean);
    mean.lower.push(found.lower);
    mean.upper.push(found.upper);
    mean.n.push(found.n);
  }
  return mean;
}
