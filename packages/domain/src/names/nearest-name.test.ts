import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = ['target_rpm', 'duty_cycle', 'stirring', 'A', 'interval'];

describe('a suggestion', () => {
  it.each([
    ['stiring', 'stirring'],
    ['target_rmp', 'target_rpm'],
    ['Target-RPM', 'target_rpm'],
    ['dutycycle', 'duty_cycle'],
    ['intreval', 'interval'],
    ['a', 'A'],
    ['E', undefined],
    ['pump', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('for %.20s is %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it('is the name that differs by one letter', () => {
    const edit = fc.record({
      name: fc.constantFrom('target_rpm', 'duty_cycle', 'stirring'),
      at: fc.nat(7),
      put: fc.stringMatching(/^[a-z]?$/),
    });
    fc.assert(
      fc.property(edit, ({ name, at, put }) => {
        expect(nearestName(name.slice(0, at) + put + name.slice(at + 1), known)).toBe(name);
      }),
    );
  });
});
