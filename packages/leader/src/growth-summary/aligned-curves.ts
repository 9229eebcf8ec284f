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

/** OD at an hour, between two points; at most `nearH` outside of the curve that of its end, and null beyond. */
function odAt({ hours, od }: AlignedCurve, hour: number, nearH: number): number | null {
  const after = hours.findIndex((one) => one >= hour);
  if (after < 0) return hour - (hours.at(-1) ?? Number.NEGATIVE_INFINITY) <= nearH ? (od.at(-1) ?? null) : null;
  const [h1, od1] = [hours[after], od[after]];
  if (h1 === undefined || od1 === undefined) return null;
  if (after === 0) return h1 - hour <= nearH ? od1 : null;
  const [h0 = h1, od0 = od1] = [hours[after - 1], od[after - 1]];
  return h1 === h0 ? od1 : od0 + ((od1 - od0) * (hour - h0)) / (h1 - h0);
}

/** Ends of curves that are nearer to each other than this share of the whole time count as one: units do not read at the same moment. */
const sameEnd = 0.5 / meanPoints;

interface Hour {
  readonly hour: number;
  /** How far a curve may have ended before, or begin after. */
  readonly nearH: number;
}

/** Evenly spaced hours from the first to the last of the curves, with both ends of each: rounding must not put one behind the end of a curve. */
function hoursOf(curves: readonly AlignedCurve[]): readonly Hour[] {
  const ends = new Set(curves.flatMap(({ hours }) => [hours[0] ?? 0, hours.at(-1) ?? 0]));
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  const between = Array.from({ length: meanPoints }, (_, index) => from + ((to - from) * index) / (meanPoints - 1));
  return [...new Set([...ends, ...between.slice(1, -1)])]
    .sort((one, other) => one - other)
    .map((hour) => ({ hour, nearH: ends.has(hour) ? sameEnd * (to - from) : 0 }));
}

/**
 * The mean OD of the curves of a group that have a value at each hour, with its 95 % interval where there are two or more. Where their number
 * changes it jumps, although no culture did. A single reading is no curve.
 */
export function meanCurve(name: string, curves: readonly AlignedCurve[]): MeanCurve | undefined {
  const members = curves.filter(({ hours }) => hours.length > 1);
  if (members.length === 0) return undefined;
  const mean: MeanCurve = { name, hours: [], od: [], lower: [], upper: [], n: [] };
  for (const { hour, nearH } of hoursOf(members)) {
    const found = groupStatistics(members.flatMap((curve) => odAt(curve, hour, nearH) ?? []));
    if (found.mean === null) continue;
    mean.hours.push(hour);
    mean.od.push(found.mean);
    mean.lower.push(found.lower);
    mean.upper.push(found.upper);
    mean.n.push(found.n);
  }
  return mean;
}
