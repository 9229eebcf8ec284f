import { hourMs } from '@lcs/contract/durations';
import {
  type CurvePoint,
  type CurveSummary,
  growthCurve,
  summariseCurve,
  thinned,
  unknownBackgroundOd,
} from '@lcs/domain/growth-curves';
import type { CurveQuestion, CurveReader, StoredCurve } from './read-curve.ts';

/** What is computed of the readings of a unit. */
export interface GrowthQuestion extends CurveQuestion {
  readonly windowH: number;
  /** Bins of this mean OD or less are left out. */
  readonly leastOd: number;
}

/** The growth of one unit. */
export interface UnitGrowth extends Omit<StoredCurve, 'bins' | 'doses'>, CurveSummary {
  readonly startMs: number;
  readonly notPositive: number;
  readonly doses: number;
  readonly addedMl: number;
  /** Hours from the first reading to the first dose of medium after it; null: there is none. */
  readonly firstDilutionH: number | null;
  /** For charts. */
  readonly curve: readonly CurvePoint[];
}

/** Points of a curve for charts. */
const chartPoints = 300;

/** Whether some of the readings are signals without a calibration or a blank: both are recorded as calibrations. */
const hasUnknownBackground = (source: string, { calibrations }: StoredCurve): boolean =>
  (source === 'od' || source === 'raw_od') &&
  (calibrations.length === 0 || calibrations.some(({ hash }) => hash === null));

/** Reads and fits the curve of one unit; undefined: it has no readings. Takes some hundred milliseconds: for threads. */
export function unitGrowth(reader: CurveReader, question: GrowthQuestion): UnitGrowth | undefined {
  const stored = reader.read(question);
  if (stored === undefined) return undefined;
  const { bins, doses: allDoses, ...facts } = stored;
  const backgroundOd = hasUnknownBackground(question.source, stored) ? unknownBackgroundOd : 0;
  const curve = growthCurve(bins, allDoses, { leastOd: question.leastOd, backgroundOd });
  const { points, startMs, notPositive, doses, addedMl } = curve;
  const first = allDoses.find(({ atMs }) => atMs >= startMs);
  return {
    ...facts,
    firstDilutionH: first === undefined ? null : (first.atMs - startMs) / hourMs,
    startMs,
    notPositive,
    doses,
    addedMl,
    ...summariseCurve(curve, question.windowH),
    curve: thinned(points, chartPoints),
  };
}
