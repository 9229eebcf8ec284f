import { filterCovers } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TopicTree } from './topic-tree.ts';

const levels = fc.constantFrom('a', 'b', '', '$c', '__proto__');
const topics = fc.array(levels, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const filters = fc
  .tuple(fc.array(fc.oneof(levels, fc.constant('+')), { maxLength: 4 }), fc.boolean())
  .filter(([parts, isOpen]) => isOpen || parts.length > 0)
  .map(([parts, isOpen]) => [...parts, ...(isOpen ? ['#'] : [])].join('/'));

describe('a tree of topics', () => {
  it('finds what the rule finds one by one, after any changes', () => {
    fc.assert(
      fc.property(fc.array(topics), fc.array(topics), fc.array(filters), (kept, removed, asked) => {
        const tree = new TopicTree<string>();
        for (const topic of kept) tree.set(topic, topic);
        for (const topic of removed) tree.delete(topic);
        const left = [...new Set(kept)].filter((topic) => !removed.includes(topic));
        for (const filter of asked) {
          const found = [...tree.findTopics(filter)].filter((topic) => topic !== undefined);
          expect(found.toSorted()).toEqual(left.filter((topic) => filterCovers(filter, topic)).toSorted());
        }
      }),
    );
  });

  it('finds the filters that match, each once', () => {
    fc.assert(
      fc.property(fc.array(filters), fc.array(filters), fc.array(topics), (kept, removed, asked) => {
        const tree = new TopicTree<string>();
        for (const filter of kept) tree.set(filter, filter);
        for (const filter of removed) tree.delete(filter);
        const left = [...new Set(kept)].filter((filter) => !removed.includes(filter));
        for (const topic of asked) {
          const found: string[] = [];
          tree.visitFilters(topic, (filter) => found.push(filter));
          expect(found.toSorted()).toEqual(left.filter((filter) => filterCovers(filter, topic)).toSorted());
        }
      }),
    );
  });
});
