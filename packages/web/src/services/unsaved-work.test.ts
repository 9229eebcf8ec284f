import { expect, it } from 'vitest';
import { createUnsavedWork } from './unsaved-work.ts';

it('exists until everybody who held it has let go, and tells who listens', () => {
  const work = createUnsavedWork();
  const seen: boolean[] = [];
  work.subscribe(() => seen.push(work.exists()));
  const first = work.hold();
  const second = work.hold();
  first();
  first();
  expect(work.exists()).toBe(true);
  second();
  expect(seen).toEqual([true, true, true, true, false]);
});
