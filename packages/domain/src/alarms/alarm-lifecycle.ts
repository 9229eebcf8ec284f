import { type AlarmState, dayMs, minuteMs } from '@lcs/contract';

/**
 * The status of an alarm apart from shelving, after ISA-18.2. `unacknowledged` and `acknowledged`: the condition is active.
 * `returned`: the condition is over and the alarm is not acknowledged. `cleared`: over and acknowledged.
 */
export type AlarmStatus = Exclude<AlarmState, 'shelved'>;

/** What changes the status of an alarm: its condition becomes active or ends, or a person acknowledges it. */
export type AlarmTransition = 'raise' | 'return' | 'acknowledge';

/** The status and shelving of one alarm. A shelved alarm stays open, so that it stays shelved when its condition recurs. */
export interface AlarmLifecycle {
  readonly status: AlarmStatus;
  /** Milliseconds since 1970; null: not shelved. */
  readonly shelvedUntilMs: number | null;
}

/** The state table. Alarms are latched (ISA-18.2): they stay open until a person acknowledges them. */
export const alarmTransitions: {
  readonly [From in AlarmStatus]: { readonly [Transition in AlarmTransition]: AlarmStatus };
} = {
  unacknowledged: { raise: 'unacknowledged', return: 'returned', acknowledge: 'acknowledged' },
  acknowledged: { raise: 'acknowledged', return: 'cleared', acknowledge: 'acknowledged' },
  returned: { raise: 'unacknowledged', return: 'returned', acknowledge: 'cleared' },
  cleared: { raise: 'unacknowledged', return: 'cleared', acknowledge: 'cleared' },
};

/** An alarm whose condition has just become active. */
export const newAlarm: AlarmLifecycle = { status: 'unacknowledged', shelvedUntilMs: null };

/** The state that the API shows: the status, or `shelved`. */
export const alarmState = ({ status, shelvedUntilMs }: AlarmLifecycle): AlarmState =>
  shelvedUntilMs === null ? status : 'shelved';

/** Whether the alarm is closed: over, acknowledged and not shelved. */
export const isCleared = (life: AlarmLifecycle): boolean => alarmState(life) === 'cleared';

/** Whether the alarm's condition is active. */
export const isActive = ({ status }: AlarmLifecycle): boolean =>
  status === 'unacknowledged' || status === 'acknowledged';

/** Whether a person must act: the alarm is neither acknowledged nor shelved. */
export const needsAttention = (life: AlarmLifecycle): boolean => {
  const state = alarmState(life);
  return state === 'unacknowledged' || state === 'returned';
};

/** The alarm after a transition. */
export const applyTransition = (life: AlarmLifecycle, step: AlarmTransition): AlarmLifecycle => ({
  ...life,
  status: alarmTransitions[life.status][step],
});

/** The alarm shelved until then; null: not shelved. */
export const withShelving = (life: AlarmLifecycle, shelvedUntilMs: number | null): AlarmLifecycle => ({
  ...life,
  shelvedUntilMs,
});

/** Whether the alarm's shelving has expired. */
export const isShelvingOver = ({ shelvedUntilMs }: AlarmLifecycle, nowMs: number): boolean =>
  shelvedUntilMs !== null && shelvedUntilMs <= nowMs;

/** Longest shelving: a person must decide again each day. */
export const maxShelvingMs = dayMs;

/** How long an alarm is to be shelved: exactly one of the two. */
export interface ShelvingRequest {
  readonly minutes?: number | undefined;
  /** Milliseconds since 1970; NaN when it could not be read. */
  readonly untilMs?: number | undefined;
}

/** When a shelving ends, in milliseconds since 1970, or why the request is not valid. */
export function shelvingEnd({ minutes, untilMs }: ShelvingRequest, nowMs: number): number | { readonly cause: string } {
  if ((minutes === undefined) === (untilMs === undefined))
    return { cause: 'The request must have exactly one of minutes and until.' };
  const endMs = untilMs ?? nowMs + (minutes ?? 0) * minuteMs;
  if (!Number.isFinite(endMs)) return { cause: 'until must be a time with a zone, such as 2026-05-02T09:14:03.120Z.' };
  if (endMs <= nowMs) return { cause: 'The end of the shelving must be in the future.' };
  if (endMs > nowMs + maxShelvingMs) return { cause: 'The shelving must end within 24 hours.' };
  return Math.floor(endMs);
}
