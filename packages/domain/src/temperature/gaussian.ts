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

/** A linear observation: `weights` times the values, which exceeds its prediction by `innovation`. */
export interface Observation {
  readonly weights: readonly number[];
  readonly innovation: number;
  readonly variance: number;
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

/** Changes a distribution in place to that after an observation of its first value alone. `shared`: room for as many numbers. */
export function observeFirst(
  mean: number[],
  covariance: number[],
  innovation: number,
  variance: number,
  shared: Float64Array,
): void {
  const size = mean.length;
  for (let row = 0; row < size; row += 1) shared[row] = covariance[row * size] ?? 0;
  const total = variance + (shared[0] ?? 0);
  for (let row = 0; row < size; row += 1) {
    const gain = (shared[row] ?? 0) / total;
    mean[row] = (mean[row] ?? 0) + gain * innovation;
    // One triangle, mirrored, as above.
    for (let column = 0; column <= row; column += 1) {
      const value = (covariance[row * size + column] ?? 0) - gain * (shared[column] ?? 0);
      covariance[row * size + column] = value;
      covariance[column * size + row] = value;
    }
  }
}

/** One array of numbers for each of the first three values. */
export type FirstThree = readonly [Float64Array, Float64Array, Float64Array];

export const roomForThree = (size: number): FirstThree => [
  new Float64Array(size),
  new Float64Array(size),
  new Float64Array(size),
];

/**
 * Changes a covariance in place, as if the first three values were changed by `change`: weights of all values. Three sums at once: most
 * of the time of a prediction. `shifted`: room for them.
 */
export function propagateCovariance(covariance: number[], size: number, change: FirstThree, shifted: FirstThree): void {
  const [first, second, third] = [change[0], change[1], change[2]];
  const [toFirst, toSecond, toThird] = [shifted[0], shifted[1], shifted[2]];
  for (let column = 0; column < size; column += 1) {
    let sumFirst = 0;
    let sumSecond = 0;
    let sumThird = 0;
    const from = column * size;
    for (let inner = 0; inner < size; inner += 1) {
      // The matrix is symmetric.
      const value = covariance[from + inner] ?? 0;
      sumFirst += (first[inner] ?? 0) * value;
      sumSecond += (second[inner] ?? 0) * value;
      sumThird += (third[inner] ?? 0) * value;
    }
    toFirst[column] = sumFirst;
    toSecond[column] = sumSecond;
    toThird[column] = sumThird;
  }
  shiftRow(covariance, size, 0, change, shifted);
  shiftRow(covariance, size, 1, change, shifted);
  shiftRow(covariance, size, 2, change, shifted);
}

function shiftRow(covariance: number[], size: number, row: 0 | 1 | 2, change: FirstThree, shifted: FirstThree): void {
  const own = shifted[row];
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
