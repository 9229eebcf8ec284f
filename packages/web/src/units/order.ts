import type { FinishedTask } from '@lcs/contract';
import { outcomesOf } from './task-outcome.ts';

/** What was asked of one or several units at once, and how it stands. */
export type Order =
  | { readonly phase: 'idle' }
  | { readonly phase: 'pending'; readonly what: string }
  | { readonly phase: 'done'; readonly what: string; readonly units: number }
  | { readonly phase: 'failed'; readonly what: string; readonly reasons: readonly string[] };

/** How an order ended: done only when every unit said so; the others are named with their reasons. */
export function endedOrder(
  what: string,
  task: FinishedTask,
  units: readonly string[],
  nameOf: (unit: string) => string,
): Order {
  const outcomes = [...outcomesOf(task, units)];
  const reasons = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok
      ? []
      : [`${nameOf(unit)}: ${[outcome.refusal.error, outcome.refusal.remediation].filter(Boolean).join(' ')}`],
  );
  return reasons.length === 0 ? { phase: 'done', what, units: units.length } : { phase: 'failed', what, reasons };
}
