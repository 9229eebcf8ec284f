import { describe, expect, inject, it } from 'vitest';
import { answersSeen, declared, matrix, specified } from './seen-answers.ts';

const seen = answersSeen(inject('observationsFolder'));

describe('what the tests have shown', () => {
  it('names every declared route in the status matrix, and no other', () => {
    expect(declared.map(({ route }) => route).sort()).toEqual(matrix.map(({ route }) => route).sort());
  });

  it('misses no route of the specification', () => {
    const routes = new Set(declared.map(({ route }) => route));
    expect(specified.map(({ route }) => route).filter((route) => !routes.has(route))).toEqual([]);
  });

  it.each(matrix)('$route answered each required status in a test', ({ route, statuses }) => {
    const asserted = seen('asserted', route);
    expect(statuses.filter((status) => !asserted.includes(status))).toEqual([]);
    const answered = seen('answered', route);
    expect(asserted.filter((status) => !answered.includes(status))).toEqual([]);
  });
});
