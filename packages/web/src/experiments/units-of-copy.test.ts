import { expect, it } from 'vitest';
import { unitsAtFirst, unitsOfCopy } from './units-of-copy.ts';

const history = ['u10', 'u2', 'gone'].map((reactor_unit) => ({ reactor_unit }));

it('offers the units of a running source, and takes none of them without a choice', () => {
  const units = unitsOfCopy('a', history, [
    { reactor_unit: 'u2', experiment: 'a' },
    { reactor_unit: 'u10', experiment: null },
  ]);
  expect(units).toEqual([{ unit: 'u2', from: 'a' }]);
  expect(unitsAtFirst(units)).toEqual(new Set());
});

it('offers the former units of a source without units, and takes those that are free', () => {
  const units = unitsOfCopy('a', history, [
    { reactor_unit: 'u10', experiment: 'b' },
    { reactor_unit: 'u2', experiment: null },
    { reactor_unit: 'u3', experiment: null },
  ]);
  expect(units).toEqual([
    { unit: 'u2', from: null },
    { unit: 'u10', from: 'b' },
  ]);
  expect(unitsAtFirst(units)).toEqual(new Set(['u2']));
});
