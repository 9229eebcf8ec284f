import { expect, it } from 'vitest';
import { createManualClock } from '../time/manual-clock.ts';
import { createListeners } from './listeners.ts';
import { createUnitSlices } from './unit-slices.ts';

interface Job {
  readonly reactor_unit: string;
  readonly value: number;
}

it('keeps the list of a unit while only other units change, and collects changes', () => {
  const clock = createManualClock();
  const changes = createListeners<void>();
  let list: readonly Job[] | undefined;
  const slices = createUnitSlices<Job>({ read: () => list, onChange: changes.add, clock });
  let notified = 0;
  slices.subscribe(() => {
    notified += 1;
  });
  const change = (next: readonly Job[]): void => {
    list = next;
    changes.notify();
  };
  expect([slices.all(), slices.of('u1')]).toEqual([undefined, []]);
  const [first, second] = [
    { reactor_unit: 'u1', value: 1 },
    { reactor_unit: 'u2', value: 1 },
  ];
  change([first, second]);
  // What is not known yet is shown at once.
  clock.advance(0);
  const [own, other] = [slices.of('u1'), slices.of('u2')];
  expect([own, other, notified]).toEqual([[first], [second], 1]);
  for (const value of [2, 3]) change([first, { reactor_unit: 'u2', value }]);
  clock.advance(249);
  expect(notified).toBe(1);
  clock.advance(1);
  expect(notified).toBe(2);
  expect(slices.of('u1')).toBe(own);
  expect(slices.of('u2')).toEqual([{ reactor_unit: 'u2', value: 3 }]);
  change([first]);
  clock.advance(250);
  expect([slices.of('u1'), slices.of('u2'), slices.all()]).toEqual([own, [], [first]]);
});
