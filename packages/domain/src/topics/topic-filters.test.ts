import fc from 'fast-check';
import { expect, it } from 'vitest';
import { covers } from './topic-filters.ts';

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
])('%s covers %s: %s', (filter, other, expected) => {
  expect(covers(filter, other)).toBe(expected);
});

/** Words of three letters' worth of levels: few, so that they often meet. */
const level = fc.constantFrom('a', 'b', '');
const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
const filter = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([levels, isOpen]) => [...levels, ...(isOpen ? ['#'] : [])].join('/'));

it('is transitive: what a covered filter matches, the covering one matches', () => {
  fc.assert(
    fc.property(filter, filter, topic, (wide, narrow, one) => {
      if (covers(wide, narrow) && covers(narrow, one)) expect(covers(wide, one)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
