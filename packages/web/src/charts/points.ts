/** Readings of one line as two columns, ascending in time: moments in milliseconds, each once. */
export interface Points {
  readonly x: number[];
  readonly y: number[];
}

export const noPoints = (): Points => ({ x: [], y: [] });

/** The index of the first point at or after a moment. */
export function indexAtOrAfter(xs: readonly number[], moment: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? Number.POSITIVE_INFINITY) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the point nearest to a moment; -1 when there is none. */
export function nearestIndex(xs: readonly number[], moment: number): number {
  const index = indexAtOrAfter(xs, moment);
  const before = xs[index - 1];
  const after = xs[index];
  if (before === undefined) return after === undefined ? -1 : index;
  return after === undefined || moment - before <= after - moment ? index - 1 : index;
}

/** Inserts a reading by its time; returns false if there is already a reading at that moment. */
export function insertPoint(points: Points, x: number, y: number): boolean {
  const newest = points.x.at(-1);
  if (newest === undefined || x > newest) {
    points.x.push(x);
    points.y.push(y);
    return true;
  }
  const index = indexAtOrAfter(points.x, x);
  if (points.x[index] === x) return false;
  points.x.splice(index, 0, x);
  points.y.splice(index, 0, y);
  return true;
}

/** Drops the points before a moment. */
export function dropBefore(points: Points, moment: number): void {
  const index = indexAtOrAfter(points.x, moment);
  points.x.splice(0, index);
  points.y.splice(0, index);
}

/** Reduces points to about `target`: the lowest and the highest of each interval of equal length, and both ends. */
export function thinned(points: Points, target: number): Points {
  const count = points.x.length;
  const first = points.x[0];
  const last = points.x.at(-1);
  if (count <= target || first === undefined || last === undefined) return points;
  const intervals = Math.max(1, Math.floor((target - 2) / 2));
  const width = (last - first) / intervals || 1;
  const kept = new Set<number>([0, count - 1]);
  let begin = 0;
  for (let interval = 0; interval < intervals; interval += 1) {
    const end = interval === intervals - 1 ? count : indexAtOrAfter(points.x, first + (interval + 1) * width);
    let lowest = begin;
    let highest = begin;
    for (let index = begin; index < end; index += 1) {
      const y = points.y[index] ?? 0;
      if (y < (points.y[lowest] ?? 0)) lowest = index;
      if (y > (points.y[highest] ?? 0)) highest = index;
    }
    if (begin < end) kept.add(lowest).add(highest);
    begin = end;
  }
  const order = [...kept].sort((left, right) => left - right);
  return { x: order.map((index) => points.x[index] ?? 0), y: order.map((index) => points.y[index] ?? 0) };
}
