import type { Effects, LeaderTransaction } from '../core/leader-context.ts';
import { experimentNamed, toExperiment } from '../queries/experiments.ts';
import { assignmentMessage } from './assignment-message.ts';

export interface AnnouncedAssignment {
  readonly reactor_unit: string;
  readonly is_active: 0 | 1;
  /** Null: the worker is free. */
  readonly experiment: string | null;
  readonly assigned_at: number | null;
}

/** Publishes the assignment of a worker to its unit and to the web UI. */
export function announceAssignment(effects: Effects, assignment: AnnouncedAssignment, now: number): void {
  const { reactor_unit, experiment, is_active, assigned_at } = assignment;
  const { topic, payload } = assignmentMessage(reactor_unit, experiment, assigned_at, now);
  effects.mqtt(topic, payload, { retain: true });
  effects.live('assignment', reactor_unit, { reactor_unit, experiment, is_active });
}

/** Publishes an experiment whose number of workers has changed to the web UI. */
export async function announceExperiment(
  transaction: LeaderTransaction,
  effects: Effects,
  name: string,
  now: number,
): Promise<void> {
  const stored = await experimentNamed(transaction, name).executeTakeFirst();
  if (stored) effects.live('experiment', name, toExperiment(stored, now));
}
