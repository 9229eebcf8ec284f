import type { FinishedTask } from '@lcs/contract';
import { commandOutcomes, type Refusal } from './unit-answers.ts';

/** What was asked of one or several units at once, and how it stands. */
export type Order =
  | { readonly phase: 'idle' }
  | { readonly phase: 'pending'; readonly what: string }
  | { readonly phase: 'done'; readonly what: string; readonly units: number }
  | { readonly phase: 'failed'; readonly what: string; readonly refusals: readonly OrderRefusal[] };

/** `unit`: as people call it; `null`: the order did not get as far as to units. */
interface OrderRefusal extends Refusal {
  readonly unit: string | null;
  /** By which the leader knows it. */
  readonly unitId?: string;
}

/**
 * How an order ended: done only when every unit said so; the others are named with their reasons.
 * @param asked the units whose answers are wanted; null: whomever the leader has asked
 */
export function endedOrder(
  what: string,
  task: FinishedTask,
  asked: readonly string[] | null,
  nameOf: (unit: string) => string,
): Order {
  if (asked === null && task.status === 'failed') {
    const { error, cause, remediation } = task;
    return { phase: 'failed', what, refusals: [{ unit: null, error, cause, remediation }] };
  }
  const outcomes = [...commandOutcomes(task, asked)];
  const refusals = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok ? [] : [{ unit: nameOf(unit), unitId: unit, ...outcome.refusal }],
  );
  return refusals.length === 0 ? { phase: 'done', what, units: outcomes.length } : { phase: 'failed', what, refusals };
}

/** How the same order to several units, sent to each by itself, ended as a whole. */
export function joinedOrder(what: string, parts: readonly Order[]): Order {
  const refusals = parts.flatMap((part) => (part.phase === 'failed' ? part.refusals : []));
  return refusals.length === 0 ? { phase: 'done', what, units: parts.length } : { phase: 'failed', what, refusals };
}
