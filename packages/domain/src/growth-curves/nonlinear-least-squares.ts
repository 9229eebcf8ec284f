import { type DataPoint, solveLinear } from '../curves/least-squares.ts';

/** A curve with parameters; a result that is not finite is refused. */
export type Model = (x: number, parameters: readonly number[]) => number;

export interface NonlinearFit {
  readonly parameters: readonly number[];
  readonly squares: number;
  readonly residuals: readonly number[];
  /** (JᵀJ)⁻¹ at the minimum; undefined: the points do not determine the parameters. */
  readonly inverse: readonly (readonly number[])[] | undefined;
  readonly converged: boolean;
}

const mostSteps = 200;
/** A relative improvement below this ends the search. */
const tolerance = 1e-10;
const dampingRange = { least: 1e-12, most: 1e12 } as const;

const residualsOf = (points: readonly DataPoint[], model: Model, parameters: readonly number[]): number[] =>
  points.map(({ x, y }) => y - model(x, parameters));

const squaresOf = (residuals: readonly number[]): number => residuals.reduce((sum, residual) => sum + residual ** 2, 0);

/** Central differences of the model at each point. */
function jacobian(points: readonly DataPoint[], model: Model, parameters: readonly number[]): number[][] {
  const steps = parameters.map((value) => Math.cbrt(Number.EPSILON) * Math.max(1e-3, Math.abs(value)));
  return points.map(({ x }) =>
    steps.map((step, index) => {
      const moved = (by: number): number => model(x, parameters.with(index, (parameters[index] ?? 0) + by));
      return (moved(step) - moved(-step)) / (2 * step);
    }),
  );
}

/** JᵀJ. */
function normalMatrix(rows: readonly (readonly number[])[], size: number): number[][] {
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const row of rows)
    for (let i = 0; i < size; i += 1)
      for (let j = 0; j < size; j += 1) {
        const line = matrix[i];
        if (line !== undefined) line[j] = (line[j] ?? 0) + (row[i] ?? 0) * (row[j] ?? 0);
      }
  return matrix;
}

function inverseOf(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const columns = matrix.map((_, index) =>
    solveLinear(
      matrix,
      matrix.map((__, at) => (at === index ? 1 : 0)),
    ),
  );
  const known = columns.filter((column) => column !== undefined);
  // The inverse of a symmetric matrix is symmetric: columns are rows. A variance below 0 is a rounding error of a singular matrix.
  return known.length === matrix.length && known.every((column, index) => (column[index] ?? 0) > 0) ? known : undefined;
}

/** Minimises the squared error from a start (Levenberg–Marquardt: Marquardt, SIAM J. Appl. Math. 11, 1963). */
export function fitNonlinear(points: readonly DataPoint[], model: Model, start: readonly number[]): NonlinearFit {
  const size = start.length;
  let parameters = start;
  let residuals = residualsOf(points, model, parameters);
  let squares = squaresOf(residuals);
  let damping = 1e-3;
  let converged = false;
  let rows = jacobian(points, model, parameters);
  let matrix = normalMatrix(rows, size);
  for (let step = 0; step < mostSteps && !converged && damping < dampingRange.most; step += 1) {
    const gradient = parameters.map((_, index) =>
      rows.reduce((sum, row, at) => sum + (row[index] ?? 0) * (residuals[at] ?? 0), 0),
    );
    const damped = matrix.map((row, index) => row.with(index, (row[index] ?? 0) * (1 + damping) + Number.MIN_VALUE));
    const change = solveLinear(damped, gradient);
    const next = change && parameters.map((value, index) => value + (change[index] ?? 0));
    const nextResiduals = next && residualsOf(points, model, next);
    const nextSquares = nextResiduals ? squaresOf(nextResiduals) : Number.NaN;
    if (next === undefined || nextResiduals === undefined || !(nextSquares <= squares)) {
      damping *= 10;
      continue;
    }
    converged = squares - nextSquares <= tolerance * squares;
    [parameters, residuals, squares] = [next, nextResiduals, nextSquares];
    damping = Math.max(dampingRange.least, damping / 10);
    rows = jacobian(points, model, parameters);
    matrix = normalMatrix(rows, size);
  }
  // A step that no damping improves is at the minimum, too.
  return {
    parameters,
    squares,
    residuals,
    inverse: inverseOf(matrix),
    converged: converged || damping >= dampingRange.most,
  };
}
