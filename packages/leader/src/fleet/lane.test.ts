import { describe, expect, it } from 'vitest';
import { Lane } from './lane.ts';

describe('Lane', () => {
  it('runs at most so many at once, in order of arrival, and frees the place of one that fails', async () => {
    const lane = new Lane(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const work = (index: number) => async () => {
      begun.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index === 1) throw new Error('failed');
      return index;
    };
    const results = await Promise.allSettled([0, 1, 2, 3, 4].map((index) => lane.run(work(index))));
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
