interface Point {
  readonly timeS: number;
  readonly level: number;
}

/** Readings whose median counts as one: single wild readings are no step. */
const perMedian = 5;
/** Share of the window on each side of a step at least. */
const leastSide = 0.1;
/**
 * The largest of the F statistics of all positions of a step (Andrews, Econometrica 61, 1993) is above this by chance in less than 1 % of
 * windows with independent readings; larger, because medians of neighbouring readings depend on each other. Chosen.
 */
const leastF = 25;
/** A step of a smaller share of the window's rise makes its slope wrong by less than about that share. Chosen. */
const leastShare = 0.2;

/** Residual sum of squares of the least-squares fit of `ys` by columns of regressors; the coefficients. */
function leastSquares(columns: readonly (readonly number[])[], ys: readonly number[]) {
  // Gram–Schmidt: each column without its part along the earlier ones.
  const basis: { readonly column: readonly number[]; readonly square: number }[] = [];
  let rest = ys;
  let last = 0;
  for (const column of columns) {
    let own = column;
    for (const { column: earlier, square } of basis) {
      const share = dot(own, earlier) / square;
      own = own.map((value, index) => value - share * (earlier[index] ?? 0));
    }
    const square = dot(own, own);
    if (!(square > 0)) return undefined;
    const share = dot(rest, own) / square;
    const orthogonal = own;
    rest = rest.map((value, index) => value - share * (orthogonal[index] ?? 0));
    basis.push({ column: orthogonal, square });
    last = share;
  }
  return { rss: dot(rest, rest), last };
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

function mediansOf(points: readonly Point[]): readonly Point[] {
  const medians: Point[] = [];
  for (let from = 0; from + perMedian <= points.length; from += perMedian) {
    const group = points.slice(from, from + perMedian);
    const level = group.map((point) => point.level).toSorted((a, b) => a - b)[perMedian >> 1] ?? Number.NaN;
    medians.push({ timeS: group.reduce((sum, { timeS }) => sum + timeS, 0) / perMedian, level });
  }
  return medians;
}

/**
 * Whether ln OD of a window jumps: a line with a step explains it significantly better than a line, and better than a parabola (growth
 * that speeds up or slows down is no step), and the step is a considerable part of the rise. A culture does not jump: clumps come off,
 * liquid or vial are moved, the light changes. A line through a jump has no growth rate.
 */
export function hasLevelStep(points: readonly Point[]): boolean {
  const medians = mediansOf(points);
  const [first, end] = [medians[0], medians.at(-1)];
  const count = medians.length;
  if (first === undefined || end === undefined || count < 10) return false;
  const middleS = (first.timeS + end.timeS) / 2;
  const ys = medians.map(({ level }) => level);
  const ones = medians.map(() => 1);
  const hours = medians.map(({ timeS }) => (timeS - middleS) / 3600);
  const line = leastSquares([ones, hours], ys);
  const curve = leastSquares([ones, hours, hours.map((h) => h ** 2)], ys);
  if (line === undefined || curve === undefined) return false;
  const rise = Math.abs(line.last * ((end.timeS - first.timeS) / 3600));
  const side = Math.max(2, Math.ceil(leastSide * count));
  let best: { readonly rss: number; readonly last: number } | undefined;
  for (let at = side; at <= count - side; at += 1) {
    const stepped = leastSquares([ones, hours, medians.map((_, index) => (index < at ? 0 : 1))], ys);
    if (stepped !== undefined && stepped.rss < (best?.rss ?? Number.POSITIVE_INFINITY)) best = stepped;
  }
  if (best === undefined) return false;
  const f = (line.rss - best.rss) / (best.rss / (count - 4));
  return f > leastF && best.rss < curve.rss && Math.abs(best.last) > leastShare * rise;
}
