interface Vertex {
  readonly at: readonly number[];
  readonly cost: number;
}

/** Spread of the costs at which the search ends. */
const tolerance = 1e-5;

/** Minimises a function without derivatives (Nelder and Mead, Computer Journal 7, 1965), with its usual factors. */
export function nelderMead(
  costAt: (at: readonly number[]) => number,
  start: readonly number[],
  step: number,
  mostCalls: number,
): Vertex {
  let calls = 0;
  const vertex = (at: readonly number[]): Vertex => {
    calls += 1;
    return { at, cost: costAt(at) };
  };
  let simplex = [start, ...start.map((value, index) => start.with(index, value + step))].map(vertex);
  for (;;) {
    simplex = simplex.toSorted((a, b) => a.cost - b.cost);
    const [best, worst, second] = [simplex[0], simplex.at(-1), simplex.at(-2)];
    if (best === undefined || worst === undefined || second === undefined)
      throw new Error('A simplex needs two vertices.');
    if (calls >= mostCalls || worst.cost - best.cost < tolerance) return best;
    const others = simplex.slice(0, -1);
    const centre = start.map((_, index) => others.reduce((sum, { at }) => sum + (at[index] ?? 0), 0) / others.length);
    const along = (factor: number): Vertex =>
      vertex(centre.map((value, index) => value + factor * ((worst.at[index] ?? 0) - value)));
    const reflected = along(-1);
    let next = reflected;
    if (reflected.cost < best.cost) {
      const expanded = along(-2);
      if (expanded.cost < reflected.cost) next = expanded;
    } else if (reflected.cost >= second.cost) {
      next = along(reflected.cost < worst.cost ? -0.5 : 0.5);
      if (next.cost >= Math.min(worst.cost, reflected.cost)) {
        simplex = [
          best,
          ...simplex.slice(1).map(({ at }) => vertex(at.map((value, index) => (value + (best.at[index] ?? 0)) / 2))),
        ];
        continue;
      }
    }
    simplex = [...others, next];
  }
}
