import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namesOf, namesText } from './compared-names.ts';

it('keeps names with commas apart, and each name once', () => {
  const name = fc.stringMatching(/^[a-z,][a-z, ]{0,8}[a-z,]$/);
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      expect(namesOf(namesText(names))).toEqual(names);
    }),
  );
  expect(namesOf('a,,b,a')).toEqual(['a', 'b']);
  expect(namesOf(undefined)).toEqual([]);
});
