import { expect, it } from 'vitest';
import { unitNameText } from './unit-name.ts';

it('a unit has its name beside its label, and its name alone without one', () => {
  expect(unitNameText('rx01', 'wild type')).toBe('wild type (rx01)');
  for (const label of [null, undefined, '', 'rx01']) expect(unitNameText('rx01', label)).toBe('rx01');
});
