/** A point that a curve is fitted to. */
export interface DataPoint {
  readonly x: number;
  readonly y: number;
  /** Default 1. */
  readonly weight?: number;
}

/** Solves a square system by Gaussian elimination with pivoting; undefined: the system is singular. */
export function solveLinear(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | undefined {
  const size = matrix.length;
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (let column = 0; column < size; column += 1) {
    const largest = rows
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best));
    const pivot = largest[column] ?? 0;
    if (Math.abs(pivot) < 1e-300) return undefined;
    rows.splice(rows.indexOf(largest), 1);
    rows.splice(column, 0, largest);
    for (const row of rows) {
      if (row === largest) continue;
      const factor = (row[column] ?? 0) / pivot;
      if (factor !== 0)
        for (let at = column; at <= size; at += 1) row[at] = (row[at] ?? 0) - factor * (largest[at] ?? 0);
    }
  }
  const solved = rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
  return solved.every(Number.isFinite) ? solved : undefined;
}

/**
 * The parameters that minimise the weighted squared error of `sum of parameter · basis(x)`; undefined: the points do not determine
 * them.
 */
export function leastSquares(
  points: readonly DataPoint[],
  basis: (x: number) => readonly number[],
): { readonly parameters: readonly number[]; readonly squares: number } | undefined {
  const rows = points.map(({ x, y, weight = 1 }) => ({ terms: basis(x), y, weight }));
  const size = rows[0]?.terms.length ?? 0;
  const indexes = Array.from({ length: size }, (_, index) => index);
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const normal = indexes.map((i) =>
    indexes.map((j) => sum(({ terms, weight }) => weight * (terms[i] ?? 0) * (terms[j] ?? 0))),
  );
  const right = indexes.map((i) => sum(({ terms, y, weight }) => weight * (terms[i] ?? 0) * y));
  const parameters = solveLinear(normal, right);
  if (parameters === undefined) return undefined;
  const squares = sum(({ terms, y, weight }) => {
    const fitted = terms.reduce((total, term, index) => total + term * (parameters[index] ?? 0), 0);
    return weight * (y - fitted) ** 2;
  });
  return { parameters, squares };
}

/** Residuals below this share of the values are rounding errors. */
const exact = 1e-20;

/**
 * Akaike information criterion for small samples (AICc): lower is better; infinite: too few points.
 */
export function aicc(points: readonly DataPoint[], squares: number, parameters: number): number {
  const count = points.length;
  if (count <= parameters + 1) return Number.POSITIVE_INFINITY;
  const scale = points.reduce((total, { y, weight = 1 }) => total + weight * y * y, 0);
  const misfit = Math.max(squares, exact * scale, Number.MIN_VALUE);
  const correction = (2 * parameters * (parameters + 1)) / (count - parameters - 1);
  return count * Math.log(misfit / count) + 2 * parameters + correction;
}

export const distinctXs = (points: readonly DataPoint[]): readonly number[] =>
  [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
