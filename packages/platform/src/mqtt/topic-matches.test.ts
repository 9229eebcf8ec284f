import { describe, expect, it } from 'vitest';
import { topicMatches } from './mqtt-connection.ts';

describe('filters of topics', () => {
  it.each([
    ['reactor/u1/+/stirring/+/set', 'reactor/u1/yeast/stirring/target_rpm/set', true],
    ['reactor/u1/+/stirring/+/set', 'reactor/u1/yeast/stirring/set', false],
    ['reactor/#', 'reactor/u1/x', true],
    ['reactor/+', 'reactor/u1/x', false],
    ['reactor/u1', 'reactor/u1', true],
    ['reactor/u1/x', 'reactor/u1', false],
  ])('%s and %s: %s', (filter, topic, matches) => {
    expect(topicMatches(filter, topic)).toBe(matches);
  });
});
