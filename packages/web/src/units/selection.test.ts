import { describe, expect, it } from 'vitest';
import { noSelection, selectionOf, unitGroups, withRange, withToggled } from './selection.ts';

const order = ['u1', 'u2', 'u3', 'u4', 'u5'];
const chosen = ({ chosen: units }: { readonly chosen: ReadonlySet<string> }): readonly string[] => [...units].sort();

describe('a selection', () => {
  it('selects and leaves out single units', () => {
    const one = withToggled(noSelection, 'u2');
    expect(chosen(one)).toEqual(['u2']);
    expect(chosen(withToggled(one, 'u2'))).toEqual([]);
  });

  it('extends to a unit, upwards and downwards', () => {
    const one = withToggled(noSelection, 'u3');
    expect(chosen(withRange(one, order, 'u5'))).toEqual(['u3', 'u4', 'u5']);
    expect(chosen(withRange(one, order, 'u1'))).toEqual(['u1', 'u2', 'u3']);
  });

  it('leaves out a range that begins at a unit that was left out', () => {
    const without = withToggled(selectionOf(order), 'u2');
    expect(chosen(withRange(without, order, 'u4'))).toEqual(['u1', 'u5']);
  });

  it('without a beginning selects one unit', () => {
    expect(chosen(withRange(noSelection, order, 'u2'))).toEqual(['u2']);
    expect(chosen(withRange({ chosen: new Set(), anchor: 'gone' }, order, 'u2'))).toEqual(['u2']);
  });
});

it('groups are replicates and shared labels, once for each name', () => {
  const labels: Readonly<Record<string, string>> = { u1: 'control', u2: 'control', u3: 'heat', u4: 'heat', u5: 'lone' };
  const replicates = [
    { name: 'heat', units: ['u3', 'gone'] },
    { name: 'gone', units: ['gone'] },
  ];
  expect(unitGroups(order, replicates, (unit) => labels[unit] ?? unit)).toEqual([
    { name: 'heat', units: ['u3'] },
    { name: 'control', units: ['u1', 'u2'] },
  ]);
});
