import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type KeptStill, stillsToRemove } from './retention.ts';

const unlimited = { mostStills: 500, mostBytes: Number.POSITIVE_INFINITY };
const at = (minute: number, further: Partial<KeptStill> = {}): KeptStill => ({
  imageId: `still-${minute}`,
  experimentUid: 'e1',
  capturedAtMs: minute * 60_000,
  reason: 'scheduled',
  bytes: 1_000,
  ...further,
});
const names = (stills: readonly KeptStill[]) => stills.map(({ imageId }) => imageId);

it('removes nothing of 500 stills, and of 501 the inner one with the smallest product of its gaps', () => {
  const even = Array.from({ length: 500 }, (_, index) => at(index * 5));
  expect(stillsToRemove(even, unlimited)).toEqual([]);
  // It comes one minute after still-1000: that one has the gaps 5 and 1, the new one 1 and 4.
  expect(names(stillsToRemove([...even, at(1001)], unlimited))).toEqual(['still-1001']);
  expect(names(stillsToRemove([...even, at(1004)], unlimited))).toEqual(['still-1004']);
});

it('never removes what people have taken, the first one, and the newest', () => {
  const manual = Array.from({ length: 20 }, (_, index) => at(index, { imageId: `manual-${index}`, reason: 'manual' }));
  const scheduled = [0, 1, 2, 3, 4, 5].map((minute) => at(minute));
  const gone = names(stillsToRemove([...manual, ...scheduled], { ...unlimited, mostStills: 3 }));
  expect(gone).toHaveLength(3);
  expect(gone.filter((name) => name.startsWith('manual') || ['still-0', 'still-5'].includes(name))).toEqual([]);
});

it('counts each experiment by itself', () => {
  const stills = ['e1', 'e2'].flatMap((experimentUid) =>
    [0, 10, 12, 30].map((minute) => at(minute, { experimentUid, imageId: `${experimentUid}-${minute}` })),
  );
  expect(stillsToRemove(stills, { ...unlimited, mostStills: 4 })).toEqual([]);
  expect(names(stillsToRemove(stills, { ...unlimited, mostStills: 3 })).toSorted()).toEqual(['e1-10', 'e2-10']);
});

it('makes room from the most crowded series, in the end down to the newest of each', () => {
  const old = [0, 100, 200].map((minute) => at(minute, { experimentUid: 'old', imageId: `old-${minute}` }));
  const young = [300, 301, 302, 400].map((minute) => at(minute, { imageId: `young-${minute}` }));
  const within = (mostBytes: number) => names(stillsToRemove([...old, ...young], { ...unlimited, mostBytes }));
  expect(within(7_000)).toEqual([]);
  expect(within(6_999)).toEqual(['young-301']);
  expect(within(4_000)).toEqual(['young-301', 'young-302', 'old-100']);
  expect(within(0)).toEqual(['young-301', 'young-302', 'old-100', 'old-0', 'young-300']);
});

it('keeps to its limits and its promises, whatever there is', () => {
  const still = fc.record({
    minute: fc.integer({ min: 0, max: 500 }),
    experimentUid: fc.constantFrom('e1', 'e2'),
    reason: fc.constantFrom('scheduled' as const, 'manual' as const),
    bytes: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(
      fc.array(still, { maxLength: 40 }),
      fc.integer({ min: 3, max: 10 }),
      fc.integer({ min: 0, max: 2_000 }),
      (drawn, mostStills, mostBytes) => {
        const stills = drawn.map(({ minute, ...rest }, index) => at(minute, { ...rest, imageId: `still-${index}` }));
        const gone = new Set(stillsToRemove(stills, { mostStills, mostBytes }));
        const kept = stills.filter((one) => !gone.has(one));
        const scheduled = kept.filter(({ reason }) => reason === 'scheduled');
        expect([...gone].every(({ reason }) => reason === 'scheduled')).toBe(true);
        for (const uid of ['e1', 'e2']) {
          const own = scheduled.filter(({ experimentUid }) => experimentUid === uid);
          expect(own.length).toBeLessThanOrEqual(mostStills);
          const before = stills.filter((one) => one.experimentUid === uid && one.reason === 'scheduled');
          const newest = Math.max(...before.map(({ capturedAtMs }) => capturedAtMs));
          if (before.length > 0) expect(own.map(({ capturedAtMs }) => capturedAtMs)).toContain(newest);
        }
        const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
        const mayGoOn = scheduled.length > new Set(scheduled.map(({ experimentUid }) => experimentUid)).size;
        expect(bytes <= mostBytes || !mayGoOn).toBe(true);
      },
    ),
  );
});
