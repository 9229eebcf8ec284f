/** Points as two columns: creating an object for each would cost more than reading it. */
export interface Points {
  readonly at: number[];
  readonly value: number[];
}

/** Groups of equal duration that cover a window. */
export interface Grid {
  readonly startMs: number;
  readonly widthMs: number;
  readonly groups: number;
}

/**
 * At most `groups` groups for `firstAt` to `lastAt`, with borders on multiples of `stepMs`, so that no bucket of that width belongs to
 * two of them.
 */
export function gridOver(firstAt: number, lastAt: number, groups: number, stepMs: number): Grid {
  const startMs = Math.floor(firstAt / stepMs) * stepMs;
  const steps = Math.floor((lastAt - startMs) / stepMs) + 1;
  const stepsPerGroup = Math.ceil(steps / groups);
  return { startMs, widthMs: stepsPerGroup * stepMs, groups: Math.ceil(steps / stepsPerGroup) };
}

/** Keeps the lowest and the highest value of each group; of equal ones the earliest. */
export class Extremes {
  readonly #grid: Grid;
  readonly #low: Float64Array;
  readonly #lowAt: Float64Array;
  readonly #high: Float64Array;
  readonly #highAt: Float64Array;

  constructor(grid: Grid) {
    this.#grid = grid;
    this.#low = new Float64Array(grid.groups).fill(Number.POSITIVE_INFINITY);
    this.#lowAt = new Float64Array(grid.groups);
    this.#high = new Float64Array(grid.groups).fill(Number.NEGATIVE_INFINITY);
    this.#highAt = new Float64Array(grid.groups);
  }

  add(at: number, value: number): void {
    const group = Math.floor((at - this.#grid.startMs) / this.#grid.widthMs);
    const low = this.#low[group] ?? Number.NEGATIVE_INFINITY;
    if (value < low || (value === low && at < (this.#lowAt[group] ?? 0))) {
      this.#low[group] = value;
      this.#lowAt[group] = at;
    }
    const high = this.#high[group] ?? Number.POSITIVE_INFINITY;
    if (value > high || (value === high && at < (this.#highAt[group] ?? 0))) {
      this.#high[group] = value;
      this.#highAt[group] = at;
    }
  }

  /** The extremes in the order of time, between the ends of the window: at most two per group, and the ends. */
  between(firstAt: number, first: number, lastAt: number, last: number): Points {
    const points: Points = { at: [firstAt], value: [first] };
    const push = (at: number, value: number) => {
      if (at <= firstAt || at >= lastAt || at === points.at.at(-1)) return;
      points.at.push(at);
      points.value.push(value);
    };
    for (let group = 0; group < this.#grid.groups; group += 1) {
      const low = this.#low[group] ?? Number.POSITIVE_INFINITY;
      if (low === Number.POSITIVE_INFINITY) continue;
      const high = this.#high[group] ?? low;
      const lowAt = this.#lowAt[group] ?? 0;
      const highAt = this.#highAt[group] ?? 0;
      if (lowAt <= highAt) push(lowAt, low);
      push(highAt, high);
      if (lowAt > highAt) push(lowAt, low);
    }
    points.at.push(lastAt);
    points.value.push(last);
    return points;
  }
}

/**
 * At most `target` of these points, which ascend in time: 1 is the newest, 2 and 3 the ends; from 4 on the ends and, for each
 * of up to (target - 2) / 2 stretches of time, the lowest and the highest.
 */
export function reducedPoints(points: Points, target: number): Points {
  const { at, value } = points;
  if (at.length <= target) return points;
  const [firstAt = 0, first = 0, lastAt = 0, last = 0] = [at[0], value[0], at.at(-1), value.at(-1)];
  if (target === 1) return { at: [lastAt], value: [last] };
  if (target < 4) return { at: [firstAt, lastAt], value: [first, last] };
  const extremes = new Extremes(gridOver(firstAt, lastAt, Math.floor((target - 2) / 2), 1));
  at.forEach((moment, index) => {
    extremes.add(moment, value[index] ?? 0);
  });
  return extremes.between(firstAt, first, lastAt, last);
}
