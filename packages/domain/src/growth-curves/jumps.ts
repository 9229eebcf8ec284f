import { leastSquares } from '../curves/least-squares.ts';
import { median } from '../growth-rate/robust-statistics.ts';

/** A point of ln OD. */
interface LevelPoint {
  readonly h: number;
  readonly level: number;
}

/** Points whose median counts as one, so that single wild readings are no jump; fewer where there are few points. */
const pointsPerMedian = 5;
/** Medians at least: with fewer a jump and noise look the same. */
const leastMedians = 10;
/** Medians on each side of a jump at least. */
const leastSide = 2;
/**
 * The largest of the F statistics of all positions of a step (Andrews, Econometrica 61:821, 1993) is above this by chance in less than 1 % of
 * windows with independent points; it is larger than his critical values, because neighbouring points are not independent. Chosen.
 */
const leastF = 25;
/** A step of a smaller share of the window's rise makes its slope wrong by less than about that share. Chosen. */
const leastShare = 0.2;

function mediansOf(points: readonly LevelPoint[]): readonly LevelPoint[] {
  const size = Math.min(pointsPerMedian, Math.floor(points.length / leastMedians));
  if (size <= 1) return size === 1 ? points : [];
  const medians: LevelPoint[] = [];
  for (let from = 0; from + size <= points.length; from += size) {
    const group = points.slice(from, from + size);
    medians.push({
      h: group.reduce((sum, { h }) => sum + h, 0) / size,
      level: median(group.map(({ level }) => level)),
    });
  }
  return medians;
}

/**
 * Whether ln OD jumps within a window, whose line then has no growth rate for a slope: a line with a step explains it significantly
 * better than a line, and better than a parabola (growth that speeds up or slows down is no jump), and the step is a considerable part
 * of the rise. A culture does not jump: clumps come off, the vial is moved, the light changes, a dose did not arrive.
 */
export function hasJump(points: readonly LevelPoint[]): boolean {
  const medians = mediansOf(points);
  const [first, last] = [medians[0], medians.at(-1)];
  if (first === undefined || last === undefined) return false;
  const middleH = (first.h + last.h) / 2;
  const data = medians.map(({ h, level }) => ({ x: h - middleH, y: level }));
  const line = leastSquares(data, (x) => [1, x]);
  const curve = leastSquares(data, (x) => [1, x, x * x]);
  if (line === undefined || curve === undefined) return false;
  const rise = Math.abs((line.parameters[1] ?? 0) * (last.h - first.h));
  let step: ReturnType<typeof leastSquares>;
  for (let at = leastSide; at <= medians.length - leastSide; at += 1) {
    const fromX = data[at]?.x ?? Number.POSITIVE_INFINITY;
    const stepped = leastSquares(data, (x) => [1, x, x < fromX ? 0 : 1]);
    if (stepped !== undefined && stepped.squares < (step?.squares ?? Number.POSITIVE_INFINITY)) step = stepped;
  }
  if (step === undefined) return false;
  const f = (line.squares - step.squares) / (step.squares / (medians.length - 4));
  return f > leastF && step.squares < curve.squares && Math.abs(step.parameters[2] ?? 0) > leastShare * rise;
}
