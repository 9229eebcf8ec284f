import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expression, LookupPart } from './expression.ts';
import { parseExpression } from './parse-expression.ts';
import { ExpressionError } from './tokens.ts';

const part = (of: LookupPart) => (of.is === 'current' ? '' : of.name);

/** The tree with every parenthesis written. */
function shown(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return JSON.stringify(expression.value);
    case 'name':
      return expression.name;
    case 'call':
      return `${expression.function}(${expression.arguments.map(shown).join(' ')})`;
    case 'lookup':
      return `<${part(expression.unit)}|${part(expression.job)}|${[expression.setting, ...expression.keys].join('.')}>`;
    case 'unary':
      return `(${expression.operator} ${shown(expression.operand)})`;
    case 'binary':
      return `(${shown(expression.left)} ${expression.operator} ${shown(expression.right)})`;
  }
}

describe('an expression', () => {
  it.each([
    ['1 >= 2 and true', '((1 >= 2) and true)'],
    ['not 1 >= 2', '(not (1 >= 2))'],
    ['not a and b or c', '(((not a) and b) or c)'],
    ['-2 + 3', '((- 2) + 3)'],
    ['-2*3+1', '(((- 2) * 3) + 1)'],
    ['-2**2', '(- (2 ** 2))'],
    ['2**-1', '(2 ** (- 1))'],
    ['2**3**2', '(2 ** (3 ** 2))'],
    ['1-2-3', '((1 - 2) - 3)'],
    ['7 % 4 * 2', '((7 % 4) * 2)'],
    ['(1 + 2) * .5', '((1 + 2) * 0.5)'],
    ['TRUE != false', '(true != false)'],
    ['max(a, 1, min(2, 3))', 'max(a 1 min(2 3))'],
    ['if(a > 1, "yes", \'no\')', 'if((a > 1) "yes" "no")'],
    ['::od_reading:od1.od', '<||od_reading|od1.od>'.replace('<||', '<|')],
    ['w2:stirring:measured_rpm.measured_rpm', '<w2|stirring|measured_rpm.measured_rpm>'],
    ['"pio-01":stirring:$state == sleeping', '(<pio-01|stirring|$state> == sleeping)'],
    ['unit():job_name():setting', '<||setting>'],
    ['::leds:intensity.B + random()', '(<|leds|intensity.B> + random())'],
  ])('%s is %s', (source, tree) => {
    expect(shown(parseExpression(source))).toBe(tree);
  });

  it.each([
    ['', 0],
    ['1 +', 3],
    ['1 2', 2],
    ['a < b < c', 6],
    ['(1', 2],
    ['1)', 1],
    ['1.', 0],
    ['1e3', 0],
    ['a & b', 2],
    ['nobody()', 0],
    ['abs(1, 2)', 0],
    ['min()', 0],
    ['and', 0],
    ['"open', 0],
    ['a:b', 1],
  ])('%j cannot be read, from character %i on', (source, offset) => {
    const read = () => parseExpression(source);
    expect(read).toThrow(ExpressionError);
    expect(read).toThrow(expect.objectContaining({ offset }));
  });

  it('is read or refused, whatever the text', () => {
    const names = [
      '1',
      '.5',
      'a',
      '(',
      ')',
      '+',
      '-',
      '**',
      '<',
      '>=',
      '!=',
      ' ',
      'and',
      'not',
      '::j:s',
      '"t"',
      ',',
      'min(',
      'unit()',
      ':',
      '.',
      '$',
      '{',
    ];
    const likely = fc.array(fc.constantFrom(...names), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(likely, fc.string()), (source) => {
        try {
          shown(parseExpression(source));
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused when it is nested or written beyond reason', () => {
    for (const source of [
      '('.repeat(500),
      '-'.repeat(500),
      `${'2**'.repeat(400)}2`,
      'not '.repeat(300),
      '1+'.repeat(1_500),
    ])
      expect(() => parseExpression(source)).toThrow(ExpressionError);
  });
});
