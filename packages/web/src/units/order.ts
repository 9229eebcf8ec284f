import type { FinishedTask } from '@lcs/contract';
import type { Refusal } from './job-control.ts';
import { outcomesOf } from './task-outcome.ts';

/** What was asked of one or several units at once, and how it stands. */
export type Order =
  | { readonly phase: 'idle' }
  | { readonly phase: 'pending'; readonly what: string }
  | { readonly phase: 'done'; readonly what: string; readonly units: number }
  | { readonly phase: 'failed'; readonly what: string; readonly refusals: readonly OrderRefusal[] };

/** `unit`: as people call it; `null`: the order did not get as far as to units. */
interface OrderRefusal extends Refusal {
  readonly unit: string | null;
}

/** How an order ended: done only when every unit said so; the others are named with their reasons. */
export function endedOrder(
  what: string,
  task: FinishedTask,
  units: readonly string[],
  nameOf: (unit: string) => string,
): Order {
  const outcomes = [...outcomesOf(task, units)];
  const refusals = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok ? [] : [{ unit: nameOf(unit), ...outcome.refusal }],
  );
  return refusals.length === 0 ? { phase: 'done', what, units: units.length } : { phase: 'failed', what, refusals };
}
