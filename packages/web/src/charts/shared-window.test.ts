import { expect, it } from 'vitest';
import { createSharedWindow, settleMs } from './shared-window.ts';

function setting() {
  const timers: { readonly at: number; readonly action: () => void; cancelled: boolean }[] = [];
  let now = 0;
  const clock = {
    after: (delayMs: number, action: () => void) => {
      const timer = { at: now + delayMs, action, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  const settled: unknown[] = [];
  const window = createSharedWindow(clock, (each) => settled.push(each));
  let changes = 0;
  window.subscribe(() => {
    changes += 1;
  });
  const pass = (ms: number): void => {
    now += ms;
    for (const timer of timers.splice(0)) {
      if (timer.cancelled) continue;
      if (timer.at <= now) timer.action();
      else timers.push(timer);
    }
  };
  return { window, settled, pass, changes: () => changes };
}

const first = { fromMs: 0, toMs: 20 };
const second = { fromMs: 10, toMs: 30 };

it('is drawn with each movement, and is written down once, when the movement has paused', () => {
  const { window, settled, pass, changes } = setting();
  window.move(first);
  pass(settleMs - 1);
  window.move(second);
  pass(settleMs - 1);
  expect([changes(), settled, window.isMoving()]).toEqual([2, [], true]);
  pass(1);
  // Once more, in full.
  expect([changes(), settled, window.isMoving()]).toEqual([3, [second], false]);
});

it('takes another window from the address, but not while a person moves it', () => {
  const { window, pass } = setting();
  window.adopt(first);
  expect(window.current()).toEqual(first);
  window.move(second);
  window.adopt(first);
  expect(window.current()).toEqual(second);
  pass(settleMs);
  window.adopt(null);
  expect(window.current()).toBeNull();
});

it('goes on while a pointer holds it, however slow', () => {
  const { window, settled, pass } = setting();
  window.hold(true);
  window.move(first);
  pass(10 * settleMs);
  window.adopt(null);
  expect([settled, window.current(), window.isMoving()]).toEqual([[], first, true]);
  window.hold(false);
  pass(settleMs);
  expect([settled, window.isMoving()]).toEqual([[first], false]);
});
