import { fullReason } from '../outbox/disk-space.ts';

/** What happens to a job that a restart has interrupted. */
export type ResumePolicy = 'resume' | 'hold' | 'off';

/** The facts about the node that decide about an interrupted job. */
export interface ResumeFacts {
  readonly policy: ResumePolicy;
  /** Whether it drives heater, pumps, stirrer or an LED other than the infrared one. */
  readonly isActuating: boolean;
  /** Jobs of the node itself belong to no experiment and need no document. */
  readonly belongsToNode: boolean;
  readonly experimentUid: string | null;
  /** The active desired document; undefined: there is none, or it is damaged. */
  readonly desired:
    | { readonly isMember: boolean; readonly isActive: boolean; readonly experimentUid: string | null }
    | undefined;
  /** Whether the unit's own leader has sent or confirmed the document since the unit's start. */
  readonly hasLeaderContact: boolean;
  /** Whether the node has waited for the leader as long as it must. */
  readonly hasWaited: boolean;
  /** Whether a stop order of the document matches the job. */
  readonly isOrderedToStop: boolean;
  /** The disk accepts no records: a stop of the job could be lost. */
  readonly isDiskFull: boolean;
}

export type ResumeDecision =
  | { readonly kind: 'resume'; readonly warning?: string }
  /** Decide again when the document arrives or the wait is over. */
  | { readonly kind: 'wait' }
  /** Stays off until a person starts or discards it. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'off'; readonly reason: string }
  /** Stays off because of a fault. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Decides about one interrupted job. Repeat it at each change of the facts until the result is not `wait`. */
export function resumeDecision(facts: ResumeFacts): ResumeDecision {
  const { policy, desired, hasLeaderContact, hasWaited, isDiskFull } = facts;
  if (policy === 'off') return { kind: 'off', reason: 'Its resume policy is off.' };
  if (facts.isOrderedToStop)
    return { kind: 'off', reason: 'The leader ordered its stop while the unit was unreachable.' };
  if (policy === 'hold') return { kind: 'hold' };
  if (facts.belongsToNode && !facts.isActuating) return { kind: 'resume' };
  const full: ResumeDecision = { kind: 'failed', reason: fullReason };
  if (desired === undefined) return isDiskFull ? full : { kind: 'wait' };
  const isCurrent = desired.isMember && desired.isActive && desired.experimentUid === facts.experimentUid;
  // A cached document may be older than the leader's: a refusal is final after contact with the leader or the end of the wait.
  if (!isCurrent) {
    return hasLeaderContact || hasWaited
      ? { kind: 'off', reason: 'The unit is no longer active in the experiment of this job.' }
      : { kind: 'wait' };
  }
  if (isDiskFull) return full;
  if (!facts.isActuating || hasLeaderContact) return { kind: 'resume' };
  if (!hasWaited) return { kind: 'wait' };
  return {
    kind: 'resume',
    warning: 'The leader was unreachable; the job continues with the last known settings of its experiment.',
  };
}
