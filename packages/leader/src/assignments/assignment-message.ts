import { toTimestamp } from '@lcs/platform';

/** The retained message of an assignment. */
export interface AssignmentMessage {
  readonly topic: string;
  readonly payload: string;
}

/**
 * The retained message of a unit's assignment. For a free unit its values are null; the payload is not empty, because an empty payload clears
 * the topic, and a unit could not distinguish "free" from "not published yet". Times are milliseconds since 1970.
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
