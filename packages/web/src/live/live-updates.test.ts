import type { Reading } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../time/manual-clock.ts';
import { createGapDetector, createLiveUpdates } from './live-updates.ts';

const reading = (second: number): Reading => ({
  experiment: 'a',
  reactor_unit: 'u1',
  source: 'od',
  channel: '2',
  angle: 90,
  x: new Date(second * 1000).toISOString(),
  y: second,
  backfill: false,
});

describe('the places of events', () => {
  it('show when some are missing, and after a snapshot only when there were changes meanwhile', () => {
    const keep = createGapDetector();
    expect(keep('r-5', true)).toBe('in-order');
    expect(keep('r-6', false)).toBe('in-order');
    expect(keep('r-8', false)).toBe('missed');
    expect(keep('r-8', true)).toBe('in-order');
    expect(keep('r-11', true)).toBe('missed');
    expect(keep('s-2', true)).toBe('missed');
    expect(keep('', false)).toBe('in-order');
  });
});

describe('live updates', () => {
  it('bring readings in batches, in their order', () => {
    const clock = createManualClock();
    const updates = createLiveUpdates(clock);
    const seen: (readonly number[])[] = [];
    updates.onReadings((batch) => seen.push(batch.map(({ y }) => y)));
    updates.take('reading', reading(1), 'r-1');
    updates.take('reading', reading(2), 'r-2');
    expect(seen).toEqual([]);
    clock.advance(250);
    updates.take('reading', reading(3), 'r-3');
    clock.advance(250);
    expect(seen).toEqual([[1, 2], [3]]);
  });

  it('report a missed event once, and the next one only after a pause', () => {
    const clock = createManualClock();
    const updates = createLiveUpdates(clock);
    let missed = 0;
    updates.onMissed(() => {
      missed += 1;
    });
    for (const place of [1, 5, 9, 14]) updates.take('reading', reading(place), `r-${place}`);
    clock.advance(1000);
    expect(missed).toBe(1);
    updates.take('reading', reading(20), 'r-20');
    clock.advance(1000);
    expect(missed).toBe(1);
    clock.advance(15_000);
    expect(missed).toBe(2);
  });
});
