import type { AlarmState } from '@lcs/contract';

/**
 * How far an alarm is, apart from shelving: a shelved alarm asks nobody for anything until its shelf ends. `unacknowledged` and `acknowledged`: the condition holds. `returned`: it is over,
 * and nobody has said that he saw it. `cleared`: over and seen.
 */
export type AlarmStanding = Exclude<AlarmState, 'shelved'>;

/** What happens to an alarm: its condition comes or goes, or a person sees it. */
export type AlarmStep = 'raise' | 'return' | 'acknowledge';

/** One alarm. It is kept open while it is shelved, so that a condition that comes and goes stays on the shelf. */
export interface AlarmLife {
  readonly standing: AlarmStanding;
  /** Milliseconds since 1970; null: not shelved. */
  readonly shelvedUntilMs: number | null;
}

/** Where each step leads. Words as in ISA-18.2: latched until someone has acknowledged it. */
export const alarmSteps: { readonly [From in AlarmStanding]: { readonly [Step in AlarmStep]: AlarmStanding } } = {
  unacknowledged: { raise: 'unacknowledged', return: 'returned', acknowledge: 'acknowledged' },
  acknowledged: { raise: 'acknowledged', return: 'cleared', acknowledge: 'acknowledged' },
  returned: { raise: 'unacknowledged', return: 'returned', acknowledge: 'cleared' },
  cleared: { raise: 'unacknowledged', return: 'cleared', acknowledge: 'cleared' },
};

/** An alarm whose condition has just come. */
export const newAlarm: AlarmLife = { standing: 'unacknowledged', shelvedUntilMs: null };

/** The state that people are shown. */
export const alarmState = ({ standing, shelvedUntilMs }: AlarmLife): AlarmState =>
  shelvedUntilMs === null ? standing : 'shelved';

/** Whether the alarm is history: over, seen, and on no shelf. */
export const isCleared = (life: AlarmLife): boolean => alarmState(life) === 'cleared';

/** Whether its condition holds. */
export const isActive = ({ standing }: AlarmLife): boolean =>
  standing === 'unacknowledged' || standing === 'acknowledged';

/** Whether it waits for somebody: neither seen nor shelved. */
export const wantsAttention = (life: AlarmLife): boolean => {
  const state = alarmState(life);
  return state === 'unacknowledged' || state === 'returned';
};

/** The alarm after a step. */
export const afterStep = (life: AlarmLife, step: AlarmStep): AlarmLife => ({
  ...life,
  standing: alarmSteps[life.standing][step],
});

/** The alarm on a shelf until then, or taken from it (null). */
export const onShelf = (life: AlarmLife, shelvedUntilMs: number | null): AlarmLife => ({ ...life, shelvedUntilMs });

/** Whether its shelf has ended. */
export const isShelfOver = ({ shelvedUntilMs }: AlarmLife, nowMs: number): boolean =>
  shelvedUntilMs !== null && shelvedUntilMs <= nowMs;

/** Longest shelf: a person looks again each day. */
export const longestShelfMs = 24 * 3_600_000;

/** For how long a person wants an alarm shelved: one of the two. */
export interface WantedShelf {
  readonly minutes?: number | undefined;
  /** Milliseconds since 1970; NaN when it could not be read. */
  readonly untilMs?: number | undefined;
}

/** When a shelf ends, in milliseconds since 1970, or why it cannot be. */
export function shelfEnd({ minutes, untilMs }: WantedShelf, nowMs: number): number | { readonly cause: string } {
  if ((minutes === undefined) === (untilMs === undefined))
    return { cause: 'Exactly one of minutes and until is needed.' };
  const endMs = untilMs ?? nowMs + (minutes ?? 0) * 60_000;
  if (!Number.isFinite(endMs)) return { cause: 'until is no moment with a zone, such as 2026-05-02T09:14:03.120Z.' };
  if (endMs <= nowMs) return { cause: 'The shelf would have ended already.' };
  if (endMs > nowMs + longestShelfMs) return { cause: 'An alarm is shelved for 24 hours at most.' };
  return Math.floor(endMs);
}
