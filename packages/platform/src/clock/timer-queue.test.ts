import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerQueue, type VirtualTimer } from './timer-queue.ts';

const timer = (dueMs: number, order: number): VirtualTimer => ({
  dueMs,
  order,
  action: () => {},
  intervalMs: null,
  cancelled: false,
});

describe('the timer queue', () => {
  it('gives back what was put in, by due time and then by creation, without the cancelled ones', () => {
    const operation = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), dueMs: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queue = new TimerQueue();
        let model: VirtualTimer[] = [];
        const takeBoth = () => {
          model.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
          expect(queue.peek()).toBe(model[0]);
          expect(queue.take()).toBe(model.shift());
        };
        for (const [order, step] of operations.entries()) {
          if (step.kind === 'add') {
            const added = timer(step.dueMs, order);
            queue.add(added);
            model.push(added);
          } else if (step.kind === 'take') {
            takeBoth();
          } else if (model.length > 0) {
            const chosen = model[step.which % model.length];
            if (chosen !== undefined) chosen.cancelled = true;
            model = model.filter((entry) => !entry.cancelled);
          }
          expect(queue.size).toBe(model.length);
        }
        while (model.length > 0) takeBoth();
        expect(queue.take()).toBeUndefined();
      }),
    );
  });
});
