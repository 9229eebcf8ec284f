import { fullReason } from '../outbox/disk-space.ts';

/** What happens to a job that a restart has cut. */
export type ResumePolicy = 'resume' | 'hold' | 'off';

/** What is known about the node when a cut job is looked at. */
export interface ResumeFacts {
  readonly policy: ResumePolicy;
  /** Whether it drives heater, pumps, stirrer or an LED other than the infrared one. */
  readonly isActuating: boolean;
  /** Jobs of the node itself belong to no experiment and need no document. */
  readonly belongsToNode: boolean;
  readonly experimentUid: string | null;
  /** The desired document in force; undefined: none, or a damaged one. */
  readonly desired:
    | { readonly isMember: boolean; readonly isActive: boolean; readonly experimentUid: string | null }
    | undefined;
  /** Whether the unit's own leader has sent or confirmed the document since the unit's start. */
  readonly hasLeaderContact: boolean;
  /** Whether the node has waited for the leader as long as it must. */
  readonly hasWaited: boolean;
  /** Whether a stop order of the document matches the job. */
  readonly isOrderedToStop: boolean;
  /** Nothing can be written now: a stop of the job could be lost. */
  readonly isDiskFull: boolean;
}

export type ResumeDecision =
  | { readonly kind: 'resume'; readonly warning?: string }
  /** Not yet: decide again when the document comes or the wait is over. */
  | { readonly kind: 'wait' }
  /** Stays down until a person starts or drops it. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'off'; readonly reason: string }
  /** Stays off although nobody wanted that. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Decides about one cut job; asked again at each change of the facts until the answer is not `wait`. */
export function resumeDecision(facts: ResumeFacts): ResumeDecision {
  const { policy, desired, hasLeaderContact, hasWaited } = facts;
  if (policy === 'off') return { kind: 'off', reason: 'Its policy is off.' };
  if (facts.isOrderedToStop) return { kind: 'off', reason: 'It was ordered to stop while the unit was away.' };
  if (policy === 'hold') return { kind: 'hold' };
  if (facts.belongsToNode && !facts.isActuating) return { kind: 'resume' };
  if (facts.isDiskFull) return { kind: 'failed', reason: fullReason };
  if (desired === undefined) return { kind: 'wait' };
  const isCurrent = desired.isMember && desired.isActive && desired.experimentUid === facts.experimentUid;
  // A cached document may be behind the leader's: only a heard leader or the end of the wait makes a refusal final.
  if (!isCurrent) {
    return hasLeaderContact || hasWaited
      ? { kind: 'off', reason: 'The unit is not active in the experiment of this job any more.' }
      : { kind: 'wait' };
  }
  if (!facts.isActuating || hasLeaderContact) return { kind: 'resume' };
  if (!hasWaited) return { kind: 'wait' };
  return { kind: 'resume', warning: 'The leader was not heard; the job goes on by the last known orders.' };
}
