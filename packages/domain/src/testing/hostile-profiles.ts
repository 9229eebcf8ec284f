import { anyCharacter } from '@lcs/contract/testing';
import fc from 'fast-check';
import { twoArms, warmUp } from './example-profiles.ts';

const words = [
  ...['unit', 'unit()', 'random()', 'hours_elapsed()', 'min(', 'max(', 'abs(', 'if(', 'nothing(', 'ready', 'target'],
  ...[
    'constructor',
    '__proto__',
    'toString()',
    '::a:b',
    'u:a:b.c',
    '"x-1":a:b',
    '::a:__proto__.x',
    '::a:b.constructor',
  ],
  ...['1', '2.5', '.5', '1e9', '9'.repeat(400), "'t'", '"t"', "'", '(', ')', ',', 'true', 'False', 'and', 'or', 'not'],
  ...['+', '-', '*', '/', '%', '**', '==', '!=', '<', '<=', '>', '>=', '.', ':', '\u{1f9ea}', '\\', '\n', '${{', '}}'],
];
export const expressionText = fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((parts) => parts.join(' '));

const keys = ['type', 't', 'if', 'actions', 'options', 'message', 'every', 'while', 'wait_until', 'jobs', 'common'];
const moreKeys = ['reactors', 'inputs', 'version', '__proto__', 'constructor', 'label', 'plugins', 'args', 'stirring'];
const leaf = fc.oneof(
  fc.constantFrom(
    'start',
    'stop',
    'repeat',
    'when',
    'log',
    '1h',
    '1.0',
    '-1s',
    'on',
    '1e999',
    null,
    true,
    0,
    -1,
    1e308,
  ),
  expressionText,
  fc.string({ maxLength: 20 }),
);
export const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys, ...moreKeys), tie('tree'), { maxKeys: 6 }),
  ),
}));

/** A profile of the documentation with a piece cut out, doubled, or replaced. */
export const damaged = fc
  .record({
    text: fc.constantFrom(warmUp, twoArms),
    from: fc.nat(2_000),
    length: fc.nat(40),
    instead: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      expressionText,
      fc.constantFrom('&a ', '*a ', '<<: ', '\t', ': ['),
    ),
  })
  .map(({ text, from, length, instead }) => `${text.slice(0, from)}${instead}${text.slice(from + length)}`);
