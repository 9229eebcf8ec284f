import { expect, it } from 'vitest';
import { newPasswordFault, personNameFault } from './person-rules.ts';

it('takes names that the leader takes', () => {
  expect(['anna', 'a.b@lab.org', ' anna '].map(personNameFault)).toEqual([null, null, null]);
  const faults = ['', 'an na!', '_anna'].map(personNameFault);
  expect(faults.map((fault) => fault !== null)).toEqual([true, true, true]);
});

it('wants a password of twelve characters', () => {
  expect([newPasswordFault(''), newPasswordFault('x'.repeat(11))].map((fault) => fault !== null)).toEqual([true, true]);
  expect(newPasswordFault('x'.repeat(12))).toBe(null);
});
