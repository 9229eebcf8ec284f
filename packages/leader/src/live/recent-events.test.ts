import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveEvent } from './live-event.ts';
import { RecentEvents } from './recent-events.ts';

const event = (sequence: number, length = 1): LiveEvent => ({
  sequence,
  name: 'worker',
  topic: 'worker/a',
  text: 'x'.repeat(length),
});

describe('RecentEvents', () => {
  it('returns all events after a sequence while none of them is dropped', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.nat(60),
        fc.integer({ min: -2, max: 65 }),
        (capacity, count, from) => {
          const recent = new RecentEvents(capacity, 1000);
          for (let sequence = 1; sequence <= count; sequence++) recent.add(event(sequence));
          const missed = recent.after(from, count)?.map(({ sequence }) => sequence);
          const possible = from <= count && from >= Math.max(0, count - capacity);
          expect(missed).toEqual(
            possible ? Array.from({ length: count - from }, (_, index) => from + 1 + index) : undefined,
          );
        },
      ),
    );
  });

  it('keeps no more text than the limit', () => {
    const recent = new RecentEvents(100, 25);
    for (let sequence = 1; sequence <= 10; sequence++) recent.add(event(sequence, 10));
    expect(recent.after(8, 10)?.length).toBe(2);
    expect(recent.after(7, 10)).toBeUndefined();
  });
});
