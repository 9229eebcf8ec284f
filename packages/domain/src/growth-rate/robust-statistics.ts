/** The median; NaN of no values. */
export function median(values: readonly number[]): number {
  const sorted = new Float64Array(values).sort();
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Standard deviation of a normal distribution per median absolute deviation. */
const normalFactor = 1.4826;

/** Residuals of `ys` about their regression line over `xs`. */
function residualsAboutLine(xs: readonly number[], ys: readonly number[]): readonly number[] {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  let [products, squares] = [0, 0];
  xs.forEach((x, index) => {
    products += (x - meanX) * ((ys[index] ?? meanY) - meanY);
    squares += (x - meanX) ** 2;
  });
  const slope = squares > 0 ? products / squares : 0;
  return ys.map((y, index) => y - meanY - slope * ((xs[index] ?? meanX) - meanX));
}

/** Robust standard deviation of `ys` about their regression line over `xs`. 0 of fewer than three values. */
export function deviationAboutLine(xs: readonly number[], ys: readonly number[]): number {
  if (ys.length < 3) return 0;
  const residuals = residualsAboutLine(xs, ys);
  const middle = median(residuals);
  return normalFactor * median(residuals.map((residual) => Math.abs(residual - middle)));
}

/** The same, not robust. */
export function rootMeanSquareAboutLine(xs: readonly number[], ys: readonly number[]): number {
  if (ys.length < 3) return 0;
  const squares = residualsAboutLine(xs, ys).reduce((sum, residual) => sum + residual ** 2, 0);
  return Math.sqrt(squares / (ys.length - 2));
}
