import { expect, it } from 'vitest';
import { createUnsavedWork } from './unsaved-work.ts';

it('exists until every hold is released, and notifies its listeners', () => {
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

it('of a dialog is unsaved work of the web UI, and not of another dialog', () => {
  const whole = createUnsavedWork();
  const [dialog, other] = [createUnsavedWork(whole), createUnsavedWork(whole)];
  const release = dialog.hold();
  expect([whole.exists(), dialog.exists(), other.exists()]).toEqual([true, true, false]);
  release();
  expect([whole.exists(), dialog.exists()]).toEqual([false, false]);
});
