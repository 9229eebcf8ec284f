/** Hyperparameters of a Gaussian process, as natural logarithms: deviation of the curve, length in hours, deviation of the noise. */
export interface Hyperparameters {
  readonly lnDeviation: number;
  readonly lnLengthH: number;
  readonly lnNoise: number;
}

/** A Matérn kernel with ν = 5/2 (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equation 4.17). */
export class Matern {
  readonly #variance: number;
  /** √5/length. */
  readonly #a: number;

  constructor({ lnDeviation, lnLengthH }: Hyperparameters) {
    this.#variance = Math.exp(2 * lnDeviation);
    this.#a = Math.sqrt(5) / Math.exp(lnLengthH);
  }

  /** Covariance of values. */
  values(x: number, other: number): number {
    const r = this.#a * Math.abs(x - other);
    return this.#variance * (1 + r + (r * r) / 3) * Math.exp(-r);
  }

  /** Covariance of the slope at `x` with the value at `other`: the derivative of `values` by `x`. */
  slopeValue(x: number, other: number): number {
    const r = this.#a * Math.abs(x - other);
    return (-this.#variance * this.#a ** 2 * (x - other) * (1 + r) * Math.exp(-r)) / 3;
  }

  /** Covariance of slopes: the derivative of `values` by both. */
  slopes(x: number, other: number): number {
    const r = this.#a * Math.abs(x - other);
    return (this.#variance * this.#a ** 2 * (1 + r - r * r) * Math.exp(-r)) / 3;
  }
}
