import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withActions } from '../testing/example-profiles.ts';
import { damaged, expressionText, tree } from '../testing/hostile-profiles.ts';
import { expressionsIn } from './expressions/brackets.ts';
import { EvaluationError, evaluate, publishedIn } from './expressions/evaluate.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import { parseProfile } from './parse-profile.ts';

/** `LCS_PROFILE_INPUTS=1000000` is the long form; it prints the longest time of one input. */
const inputs = Number(process.env.LCS_PROFILE_INPUTS ?? 1_500);
const isLong = process.env.LCS_PROFILE_INPUTS !== undefined;

function evaluated(text: string): void {
  try {
    const expression = parseExpression(text);
    publishedIn(expression, { unit: 'u', job: 'a' });
    evaluate(expression, {
      unit: 'u',
      experiment: 'e',
      job: 'a',
      hoursElapsed: 1,
      actionCount: 1,
      random: () => 0.5,
      inputs: { target: 1.8 },
      published: () => ({ b: { c: 1 } }),
    });
  } catch (error) {
    expect(error instanceof ExpressionError || error instanceof EvaluationError).toBe(true);
  }
}

const longest = new Map<string, number>();
const timed = (kind: string, work: () => void) => {
  const begin = performance.now();
  work();
  if (isLong) longest.set(kind, Math.max(longest.get(kind) ?? 0, performance.now() - begin));
};
const options = { numRuns: Math.ceil(inputs / 3) };

it('reads any text, tree and expression without a fault of its own', { timeout: 3_600_000 }, () => {
  fc.assert(
    fc.property(expressionText, (text) => timed('expression', () => evaluated(text))),
    options,
  );
  const parsed = (kind: string) => (text: string) =>
    timed(kind, () => {
      for (const { line, column } of parseProfile(text).diagnostics) expect(Math.min(line, column)).toBeGreaterThan(0);
    });
  fc.assert(
    fc.property(
      tree.map((value) => JSON.stringify(value) ?? ''),
      parsed('tree'),
    ),
    options,
  );
  fc.assert(fc.property(damaged, parsed('text')), options);
  if (isLong) process.stdout.write(`longest, ms: ${JSON.stringify(Object.fromEntries(longest))}\n`);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

it('looks at each character of a message a bounded number of times', () => {
  const open = '${'.padEnd(3, '{');
  expect(expressionsIn(open.repeat(80_000))).toEqual([]);
  expect(expressionsIn(`${open}1}} and ${open} 2 }}`)).toEqual(['1', ' 2 ']);
  const { diagnostics } = parseProfile(withActions(`{type: log, t: 0, options: {message: "${open.repeat(80_000)}"}}`));
  expect(diagnostics).toEqual([]);
});
