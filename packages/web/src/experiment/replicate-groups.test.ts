import { expect, it } from 'vitest';
import { groupOf, withGroup } from './replicate-groups.ts';

const groups = [
  { name: 'wild type', units: ['u1', 'u2'] },
  { name: 'mutant', units: ['u3'] },
];

it('moves a unit to a group, to a new one, or out of its group; a group without units goes', () => {
  expect(withGroup(groups, 'u3', 'wild type')).toEqual([{ name: 'wild type', units: ['u1', 'u2', 'u3'] }]);
  expect(withGroup(groups, 'u2', 'salt')).toEqual([
    { name: 'wild type', units: ['u1'] },
    { name: 'mutant', units: ['u3'] },
    { name: 'salt', units: ['u2'] },
  ]);
  expect(withGroup(groups, 'u1', '')).toEqual([{ name: 'wild type', units: ['u2'] }, groups[1]]);
  expect(withGroup(groups, 'u3', 'mutant')).toEqual(groups);
  expect(groupOf(groups, 'u3')).toBe('mutant');
  expect(groupOf(groups, 'u9')).toBe('');
});
