import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filterCovers } from './topic-filters.ts';

it.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/c', false],
  ['a/b', 'a', false],
  ['a', 'a/b', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a/+', true],
  ['a/+', 'a/', true],
  ['a/+', 'a', false],
  ['a/+', 'a/#', false],
  ['a/b', 'a/+', false],
  ['a/#', 'a', true],
  ['a/#', 'a/b/c', true],
  ['a/#', 'a/#', true],
  ['a/#', 'a/+/c', true],
  ['a/#', '#', false],
  ['a/#', '+/b', false],
  ['a/#', '/a/b', false],
  ['a/#', '$share/group/a/b', false],
  ['#', 'a/b', true],
  ['#', '$SYS/uptime', false],
  ['+/b', '$share/b', false],
  ['reactor/u1/+/stirring/+/set', 'reactor/u1/yeast/stirring/target_rpm/set', true],
  ['reactor/u1/+/stirring/+/set', 'reactor/u1/yeast/stirring/set', false],
])('%s covers %s: %s', (filter, other, expected) => {
  expect(filterCovers(filter, other)).toBe(expected);
});

/** Few different levels, so that filters and topics often match. */
const level = fc.constantFrom('a', 'b', '');
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
const filter = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([levels, isOpen]) => [...levels, ...(isOpen ? ['#'] : [])].join('/'));

it('is transitive: what a covered filter matches, the covering one matches', () => {
  fc.assert(
    fc.property(filter, filter, topic, (wide, narrow, one) => {
      if (filterCovers(wide, narrow) && filterCovers(narrow, one)) expect(filterCovers(wide, one)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
