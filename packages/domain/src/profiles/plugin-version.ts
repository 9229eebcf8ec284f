/** A constraint on the version of a plugin. */
export interface PluginConstraint {
  readonly operator: '==' | '>=' | '<=';
  readonly version: string;
}

const pattern = /^\s*(==|>=|<=)?\s*v?(\d+(?:\.\d+)*(?:[-.+]?[0-9A-Za-z]+)*)\s*$/;

/** Parses a constraint; undefined: not valid. */
export function parsePluginConstraint(text: string): PluginConstraint | undefined {
  if (text.length > 100) return undefined;
  const [, operator = '==', version] = pattern.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { operator: operator === '>=' || operator === '<=' ? operator : '==', version };
}

/** The numbers of a version and its suffix: `1.2.0-rc.1` is `[1, 2]` and `-rc.1`. */
function split(version: string): { readonly numbers: readonly number[]; readonly rest: string } {
  const [digits = ''] = /^\d+(?:\.\d+)*/.exec(version) ?? [];
  const numbers = digits.split('.').map(Number);
  while (numbers.length > 1 && numbers.at(-1) === 0) numbers.pop();
  return { numbers, rest: version.slice(digits.length) };
}

/** Negative: `a` is older. A version with a suffix (`-rc.1`) is older than the version without it. */
function compare(a: string, b: string): number {
  const [one, other] = [split(a), split(b)];
  const length = Math.max(one.numbers.length, other.numbers.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (one.numbers[place] ?? 0) - (other.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.rest === other.rest) return 0;
  if (one.rest === '' || other.rest === '') return one.rest === '' ? 1 : -1;
  return one.rest < other.rest ? -1 : 1;
}

/** Whether an installed version satisfies a constraint. */
export function satisfies(installed: string, { operator, version }: PluginConstraint): boolean {
  const order = compare(installed, version);
  if (operator === '==') return order === 0;
  return operator === '>=' ? order >= 0 : order <= 0;
}
