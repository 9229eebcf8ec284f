/** A lower triangular matrix, row by row. */
export type Triangular = readonly Float64Array[];

/** The factor L of a symmetric positive definite matrix L·Lᵀ; undefined: it is not positive definite. */
export function cholesky(matrix: readonly Float64Array[]): Triangular | undefined {
  const factor: Float64Array[] = [];
  for (const [i, source] of matrix.entries()) {
    const row = new Float64Array(matrix.length);
    for (let j = 0; j < i; j += 1) {
      const other = factor[j] ?? row;
      row[j] = ((source[j] ?? 0) - productBefore(row, other, j)) / (other[j] ?? 1);
    }
    const square = (source[i] ?? 0) - productBefore(row, row, i);
    if (!(square > 0)) return undefined;
    row[i] = Math.sqrt(square);
    factor.push(row);
  }
  return factor;
}

/** The inner product of the first elements: most of the time of a factorisation is spent here. */
function productBefore(a: Float64Array, b: Float64Array, end: number): number {
  let sum = 0;
  for (let k = 0; k < end; k += 1) sum += (a[k] ?? 0) * (b[k] ?? 0);
  return sum;
}

/** Solves L·x = right. */
export function solveLower(factor: Triangular, right: ArrayLike<number>): Float64Array {
  const solved = new Float64Array(factor.length);
  for (const [i, row] of factor.entries()) {
    solved[i] = ((right[i] ?? 0) - productBefore(row, solved, i)) / (row[i] ?? 1);
  }
  return solved;
}

/** Solves Lᵀ·x = right. */
export function solveUpper(factor: Triangular, right: ArrayLike<number>): Float64Array {
  const solved = Float64Array.from(right);
  for (let i = factor.length - 1; i >= 0; i -= 1) {
    const row = factor[i];
    if (row === undefined) continue;
    const value = (solved[i] ?? 0) / (row[i] ?? 1);
    solved[i] = value;
    for (let k = 0; k < i; k += 1) solved[k] = (solved[k] ?? 0) - (row[k] ?? 0) * value;
  }
  return solved;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] ?? 0) * (b[k] ?? 0);
  return sum;
}
