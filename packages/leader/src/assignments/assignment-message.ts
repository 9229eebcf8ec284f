import { toTimestamp } from '@lcs/platform';

/** What is published, retained, when the assignment of a unit changes. */
export interface AssignmentMessage {
  readonly topic: string;
  readonly payload: string;
}

/**
 * The retained message that tells a unit where it belongs. A free unit gets nulls, not an empty payload: an empty one would
 * clear the topic, and a unit could not tell "free" from "never told". Moments are milliseconds since 1970.
 */
export function assignmentMessage(
  unit: string,
  experiment: string | null,
  assignedAt: number | null,
  now: number,
): AssignmentMessage {
  return {
    topic: `reactor/${unit}/$experiment/assignment`,
    payload: JSON.stringify({
      reactor_unit: unit,
      experiment,
      assigned_at: assignedAt === null ? null : toTimestamp(assignedAt),
      updated_at: toTimestamp(now),
    }),
  };
}
