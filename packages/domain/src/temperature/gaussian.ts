/** A multivariate normal distribution; plain data. */
export interface Gaussian {
  readonly mean: readonly number[];
  /** By rows. */
  readonly covariance: readonly number[];
}

/** An independent distribution of each value. */
export const independent = (mean: readonly number[], deviations: readonly number[]): Gaussian => ({
  mean,
  covariance: mean.flatMap((_, row) =>
    mean.map((_value, column) => (row === column ? (deviations[row] ?? 0) ** 2 : 0)),
  ),
});

/** Variance of one value. */
export const varianceOf = ({ mean, covariance }: Gaussian, index: number): number =>
  covariance[index * mean.length + index] ?? 0;

/** The distribution with variances added to some of its values. */
export function withVariance({ mean, covariance }: Gaussian, added: readonly number[]): Gaussian {
  const size = mean.length;
  const wider = covariance.slice();
  for (let index = 0; index < added.length; index += 1) {
    const at = index * size + index;
    wider[at] = (wider[at] ?? 0) + (added[index] ?? 0);
  }
  return { mean, covariance: wider };
}

/** A linear observation: `weights` times the values, which exceeds its prediction by `innovation`. */
export interface Observation {
  readonly weights: readonly number[];
  readonly innovation: number;
  readonly variance: number;
}

/** Variance of an observation before it is made, with that of its noise. */
export function predictedVariance({ mean, covariance }: Gaussian, { weights, variance }: Observation): number {
  let sum = variance;
  for (let row = 0; row < weights.length; row += 1) {
    const left = weights[row] ?? 0;
    if (left === 0) continue;
    for (let column = 0; column < weights.length; column += 1)
      sum += left * (weights[column] ?? 0) * (covariance[row * mean.length + column] ?? 0);
  }
  return sum;
}

/** The distribution after an observation (Kalman, J. Basic Eng. 82, 1960). */
export function observe(before: Gaussian, { weights, innovation, variance }: Observation): Gaussian {
  const { mean, covariance } = before;
  const size = mean.length;
  const shared: number[] = [];
  let total = variance;
  for (let row = 0; row < size; row += 1) {
    let sum = 0;
    for (let column = 0; column < weights.length; column += 1) {
      const weight = weights[column] ?? 0;
      if (weight !== 0) sum += weight * (covariance[row * size + column] ?? 0);
    }
    shared.push(sum);
    total += (weights[row] ?? 0) * sum;
  }
  const after = covariance.slice();
  for (let row = 0; row < size; row += 1) {
    const gain = (shared[row] ?? 0) / total;
    // One triangle, mirrored: rounding must not make the matrix asymmetric, which grows.
    for (let column = 0; column <= row; column += 1) {
      const value = (covariance[row * size + column] ?? 0) - gain * (shared[column] ?? 0);
      after[row * size + column] = value;
      after[column * size + row] = value;
    }
  }
  return { mean: mean.map((value, row) => value + ((shared[row] ?? 0) / total) * innovation), covariance: after };
}

/** What is added to the first three values: weights of all values. */
export type FirstThree = readonly [readonly number[], readonly number[], readonly number[]];

/**
 * Changes a covariance in place, as if the first three values were changed by `change`. Three sums at once: most of the time of a
 * prediction.
 */
export function propagateCovariance(covariance: number[], size: number, change: FirstThree): void {
  const [first, second, third] = [change[0], change[1], change[2]];
  const toFirst: number[] = [];
  const toSecond: number[] = [];
  const toThird: number[] = [];
  for (let column = 0; column < size; column += 1) {
    let sumFirst = 0;
    let sumSecond = 0;
    let sumThird = 0;
    for (let inner = 0; inner < size; inner += 1) {
      // The matrix is symmetric.
      const value = covariance[column * size + inner] ?? 0;
      sumFirst += (first[inner] ?? 0) * value;
      sumSecond += (second[inner] ?? 0) * value;
      sumThird += (third[inner] ?? 0) * value;
    }
    toFirst.push(sumFirst);
    toSecond.push(sumSecond);
    toThird.push(sumThird);
  }
  const shifted = [toFirst, toSecond, toThird];
  for (let row = 0; row < shifted.length; row += 1) {
    const own = shifted[row] ?? [];
    for (let column = row; column < size; column += 1) {
      let value = (covariance[row * size + column] ?? 0) + (own[column] ?? 0);
      const weights = change[column];
      if (weights !== undefined) {
        value += shifted[column]?.[row] ?? 0;
        for (let inner = 0; inner < size; inner += 1) value += (own[inner] ?? 0) * (weights[inner] ?? 0);
      }
      covariance[row * size + column] = value;
      covariance[column * size + row] = value;
    }
  }
}
