import { expect, it } from 'vitest';
import { parsePluginConstraint, satisfies } from './plugin-version.ts';

it.each([
  ['1.2.3', '1.2.3', true],
  ['==1.2', '1.2.0', true],
  ['1.2.3', '1.2.4', false],
  ['>=0.4', '0.4', true],
  ['>=0.4', '0.10.1', true],
  ['>=0.4', '0.3.9', false],
  ['<= 2', '2.0.0', true],
  ['<=2', '2.0.1', false],
  ['>=1.0.0', '1.0.0-rc.1', false],
])('%s against %s: %s', (wanted, installed, isFit) => {
  const constraint = parsePluginConstraint(wanted);
  expect(constraint && satisfies(installed, constraint)).toBe(isFit);
});

it.each(['', 'new', '>1', '~1.2', '>=', '1 2'])('%j cannot be read', (text) => {
  expect(parsePluginConstraint(text)).toBeUndefined();
});
