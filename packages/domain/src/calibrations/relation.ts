import type { CalibrationContent, Curve, EstimatorContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';
import type { DataPoint } from '../curves/least-squares.ts';
import { turningPoint } from './turning-point.ts';

/**
 * The response must change by more than the scatter of a reading, so that values can be distinguished. By the detection limit of
 * ICH Q2(R2) (3.3 standard deviations of the response), with 1 % of the largest response as the standard deviation of one
 * reading. Chosen: our simulated and published photodiodes and pumps scatter by 0.5 to 2 %.
 */
const detectionLimit = 3.3 * 0.01;

/**
 * The share of the variance of the means that the nearest monotonic sequence must explain (isotonic regression; Barlow,
 * Bartholomew, Bremner and Brunk, Statistical Inference under Order Restrictions, 1972). Chosen: standards in order, with a
 * scatter of a few percent, have more than 0.99; unordered points have about 0.5.
 */
const minExplainedShare = 0.9;

type Direction = 'rising' | 'either';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const misfit = (ys: readonly number[], of: (index: number) => number): number =>
  ys.reduce((sum, y, index) => sum + (y - of(index)) ** 2, 0);

/** The non-decreasing sequence closest to the values (pool-adjacent-violators algorithm). */
function risingFit(values: readonly number[]): readonly number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of values) {
    let block = { sum: value, count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
}

/** The share of the variance of the values that a rising sequence explains. */
function risingShare(values: readonly number[]): number {
  const fit = risingFit(values);
  const centre = mean(values);
  return 1 - misfit(values, (index) => fit[index] ?? centre) / misfit(values, () => centre);
}

/** The mean response of each x, in the order of x. */
const meansOf = (points: readonly DataPoint[]): readonly number[] =>
  [...Map.groupBy(points, ({ x }) => x)]
    .sort(([one], [other]) => one - other)
    .map(([, seen]) => mean(seen.map(({ y }) => y)));

const isSignificant = (ys: readonly number[]): boolean =>
  Math.max(...ys) - Math.min(...ys) > detectionLimit * Math.max(...ys.map(Math.abs));

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const constantResponseText = (ys: readonly number[]): string => {
  const largest = Math.max(...ys.map(Math.abs));
  const range = largest === 0 ? 0 : (Math.max(...ys) - Math.min(...ys)) / largest;
  return `The response is the same for all points: it changes by ${percent(range)} of the largest response, and must change by at least ${percent(detectionLimit)}.`;
};

/** Why these points are not a usable relation, as a sentence; undefined: they are. */
export function validateRelation(points: readonly DataPoint[], direction: Direction = 'either'): string | undefined {
  const ys = meansOf(points);
  if (ys.length < 2) return 'The relation must have at least two different points.';
  if (!isSignificant(ys)) return constantResponseText(ys);
  const rising = risingShare(ys);
  const falling = direction === 'rising' ? 0 : risingShare(ys.map((y) => -y));
  if (Math.max(rising, falling) >= minExplainedShare) return undefined;
  const way = direction === 'rising' ? 'does not rise' : 'neither rises nor falls';
  return `The response ${way} from point to point.`;
}

const pointsOf = ({ x, y }: { readonly x: readonly number[]; readonly y: readonly number[] }): DataPoint[] =>
  x.map((at, index) => ({ x: at, y: y[index] ?? Number.NaN }));

const isConstant = (curve: Curve): boolean =>
  curve.type === 'poly'
    ? curve.coefficients.slice(0, -1).every((coefficient) => coefficient === 0)
    : curve.coefficients.every(([, ...others]) => others.every((coefficient) => coefficient === 0)) &&
      new Set(curve.coefficients.map(([constant]) => constant)).size < 2;

/** A photodiode of transmitted light gives a falling response; pumps, stirrers and probes give a rising one. */
const directionOf = ({ calibration_type: type }: CalibrationContent): Direction =>
  type === 'od' || type === 'od600' ? 'either' : 'rising';

/**
 * Why a calibration cannot be used, as a sentence; undefined: it can. Its curve and its recorded points must be monotonic in x, up
 * to the turning point of the curve. A temperature offset always has a slope of 1: only its curve is validated.
 */
export function validateCalibration(content: CalibrationContent): string | undefined {
  const { curve_data_: curve, recorded_data: recorded, calibration_type: type } = content;
  if (isConstant(curve)) return 'Its curve must not be constant.';
  const direction = directionOf(content);
  if (type === 'temperature') {
    const xs = [20, 30, 40, 50];
    return validateRelation(pointsOf({ x: xs, y: xs.map((x) => curveAt(curve, x)) }), direction);
  }
  const turnsAt = turningPoint(content) ?? Number.POSITIVE_INFINITY;
  const used = pointsOf(recorded).filter(({ x }) => x <= turnsAt);
  if (new Set(recorded.x).size < 2) return undefined;
  const ofPoints = validateRelation(used, direction);
  if (ofPoints !== undefined) return ofPoints;
  const fitted = validateRelation(
    used.map(({ x }) => ({ x, y: curveAt(curve, x) })),
    direction,
  );
  return fitted === undefined ? undefined : `The curve does not follow its points. ${fitted}`;
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

const numbersOf = (value: unknown): readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number') ? value : [];

/** The points that a session recorded of an angle; none when the file has something else there. */
function recordedOf(byAngle: unknown, angle: string): DataPoint[] {
  const recorded = fieldOf(byAngle, angle);
  return pointsOf({ x: numbersOf(fieldOf(recorded, 'x')), y: numbersOf(fieldOf(recorded, 'y')) });
}

/**
 * Why an estimator of several angles cannot be used; undefined: it can. The response of every photodiode must change, and that of
 * at least one must be monotonic: the others may turn at a high density, which is why several are used.
 */
export function validateEstimator({
  recorded_data,
  angles,
}: Pick<EstimatorContent, 'recorded_data' | 'angles'>): string | undefined {
  const faults = angles.flatMap((angle) => {
    const points = recordedOf(recorded_data.by_angle, angle);
    if (new Set(points.map(({ x }) => x)).size < 2) return [];
    const means = meansOf(points);
    return [
      {
        flat: isSignificant(means) ? undefined : `${angle}°: ${constantResponseText(means)}`,
        fault: validateRelation(points),
      },
    ];
  });
  const flat = faults.find((each) => each.flat !== undefined)?.flat;
  if (flat !== undefined || faults.length === 0) return flat;
  return faults.some(({ fault }) => fault === undefined) ? undefined : faults[0]?.fault;
}
