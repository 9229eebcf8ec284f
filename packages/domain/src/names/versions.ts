/** Compares versions such as `26.11.0` and `26.11.1-rc.2` as semantic versioning does: negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePre(left.pre, right.pre);
}

function split(version: string): { readonly numbers: readonly number[]; readonly pre: readonly string[] } {
  // What follows a plus names a build: it makes no version newer.
  const [named = ''] = version.split('+');
  const [release = '', pre] = named.split(/-(.*)/s);
  return { numbers: release.split('.').map(Number), pre: pre === undefined ? [] : pre.split('.') };
}

/** A version without a suffix is newer than one with a suffix. */
function comparePre(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    if (left === right) continue;
    const [leftNumber, rightNumber] = [Number(left), Number(right)];
    if (!Number.isNaN(leftNumber) && !Number.isNaN(rightNumber)) return leftNumber - rightNumber;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
