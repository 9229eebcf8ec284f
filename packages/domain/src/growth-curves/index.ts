export { dilutionOf, dosingEventName } from '../dosing/dilution.ts';
export type { PastDose } from '../growth-rate/growth-replay.ts';
export { type Alignment, alignmentH } from './align-curve.ts';
export { type CurvePoint, growthCurve, type OdBin, thinned, unknownBackgroundOd } from './curve-points.ts';
export type { Estimate } from './estimate.ts';
export { type FitName, type FittedCurve, fitReferences } from './fit-result.ts';
export {
  compareGroups,
  type GroupStatistics,
  groupStatistics,
  type NamedGroup,
  type TestName,
  type TestResult,
  testReferences,
} from './group-statistics.ts';
export { type CurveSummary, defaultWindowH, growthCurveVersion, summariseCurve } from './summarise-curve.ts';
