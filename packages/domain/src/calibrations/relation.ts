import type { CalibrationContent, Curve, EstimatorContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';
import type { DataPoint } from '../curves/least-squares.ts';
import { turningPoint } from './turning-point.ts';

/**
 * What a device shows must change with what is measured by more than a reading scatters, else no value can be told from it. By
 * the detection limit of ICH Q2(R2) (3.3 standard deviations of the response), with 1 % of the largest response as the
 * standard deviation of one reading: chosen, our simulated and published photodiodes and pumps scatter by 0.5 to 2 %.
 */
const detectionLimit = 3.3 * 0.01;

/**
 * The share of the variance of the means that the nearest monotonic sequence must explain (isotonic regression: Barlow,
 * Bartholomew, Bremner and Brunk, Statistical Inference under Order Restrictions, 1972). Chosen: standards in order, with a
 * scatter of a few percent, have more than 0.99; points without order have about half.
 */
const leastExplained = 0.9;

type Direction = 'rising' | 'either';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const misfit = (ys: readonly number[], of: (index: number) => number): number =>
  ys.reduce((sum, y, index) => sum + (y - of(index)) ** 2, 0);

/** The non-decreasing sequence nearest to the values (pool adjacent violators). */
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

const flatText = (ys: readonly number[]): string => {
  const largest = Math.max(...ys.map(Math.abs));
  const range = largest === 0 ? 0 : (Math.max(...ys) - Math.min(...ys)) / largest;
  return `The response is the same for all points: it changes by ${percent(range)} of the largest one, and at least ${percent(detectionLimit)} are needed to tell them apart.`;
};

/** What is wrong with the relation of these points, as a sentence; undefined: nothing. */
export function relationFault(points: readonly DataPoint[], direction: Direction = 'either'): string | undefined {
  const ys = meansOf(points);
  if (ys.length < 2) return 'Two different points are needed at least.';
  if (!isSignificant(ys)) return flatText(ys);
  const rising = risingShare(ys);
  const falling = direction === 'rising' ? 0 : risingShare(ys.map((y) => -y));
  if (Math.max(rising, falling) >= leastExplained) return undefined;
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

/** The photodiode of transmitted light shows less of a denser culture; pumps, stirrers and probes show more of more. */
const directionOf = ({ calibration_type: type }: CalibrationContent): Direction =>
  type === 'od' || type === 'od600' ? 'either' : 'rising';

/**
 * Why a calibration cannot be used, as a sentence; undefined: it can. Its curve and its recorded points must change with x in one
 * direction, up to where the curve turns. A trim of the temperature has a slope of 1 by its making: only its curve counts.
 */
export function calibrationFault(content: CalibrationContent): string | undefined {
  const { curve_data_: curve, recorded_data: recorded, calibration_type: type } = content;
  if (isConstant(curve)) return 'Its curve is constant: no value can be told from it.';
  const direction = directionOf(content);
  if (type === 'temperature') {
    const xs = [20, 30, 40, 50];
    return relationFault(pointsOf({ x: xs, y: xs.map((x) => curveAt(curve, x)) }), direction);
  }
  const turnsAt = turningPoint(content) ?? Number.POSITIVE_INFINITY;
  const used = pointsOf(recorded).filter(({ x }) => x <= turnsAt);
  if (new Set(recorded.x).size < 2) return undefined;
  const ofPoints = relationFault(used, direction);
  if (ofPoints !== undefined) return ofPoints;
  const fitted = relationFault(
    used.map(({ x }) => ({ x, y: curveAt(curve, x) })),
    direction,
  );
  return fitted === undefined ? undefined : `The curve does not follow its points. ${fitted}`;
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

const numbersOf = (value: unknown): readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number') ? value : [];

/** What a session recorded of an angle. Files of people may have anything there: then nothing is known of their points. */
function recordedOf(byAngle: unknown, angle: string): DataPoint[] {
  const recorded = fieldOf(byAngle, angle);
  return pointsOf({ x: numbersOf(fieldOf(recorded, 'x')), y: numbersOf(fieldOf(recorded, 'y')) });
}

/**
 * Why an estimator of several angles cannot be used; undefined: it can. Every photodiode must see a difference, and one of them
 * at least one without a turn: the others may turn at a high density, which is why several are used.
 */
export function estimatorFault({
  recorded_data,
  angles,
}: Pick<EstimatorContent, 'recorded_data' | 'angles'>): string | undefined {
  const faults = angles.flatMap((angle) => {
    const points = recordedOf(recorded_data.by_angle, angle);
    if (new Set(points.map(({ x }) => x)).size < 2) return [];
    const means = meansOf(points);
    return [{ flat: isSignificant(means) ? undefined : `${angle}°: ${flatText(means)}`, fault: relationFault(points) }];
  });
  const flat = faults.find((each) => each.flat !== undefined)?.flat;
  if (flat !== undefined || faults.length === 0) return flat;
  return faults.some(({ fault }) => fault === undefined) ? undefined : faults[0]?.fault;
}
