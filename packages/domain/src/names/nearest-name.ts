/** Names that are longer get no suggestion. */
const longestName = 64;

/** Upper and lower case, `-` and `_` count as equal. */
const folded = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** The number of letters to add, remove, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const at = (line: readonly number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY;
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? Number.POSITIVE_INFINITY;
}

/** The known name that a misspelt one probably means; undefined: none is near. About one letter in three may differ, three at most. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  const own = folded(name);
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor((name.length + 1) / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(own, folded(candidate));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}
