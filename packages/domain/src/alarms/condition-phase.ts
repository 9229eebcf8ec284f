/**
 * Whether a condition counts: what comes and goes quickly must hold for a while before it counts, and be gone for a while
 * before it does not. `sinceMs` is when the phase began.
 */
export type ConditionPhase =
  | { readonly is: 'normal' }
  /** It holds, and not yet for long enough. */
  | { readonly is: 'coming'; readonly sinceMs: number }
  | { readonly is: 'holding' }
  /** It is gone, and not yet for long enough. */
  | { readonly is: 'going'; readonly sinceMs: number };

/** How long it takes until a condition counts, and until it does not, in milliseconds. */
export interface ConditionDelays {
  readonly onMs: number;
  readonly offMs: number;
}

/** Whether the alarm of the condition is to be on. */
export const counts = ({ is }: ConditionPhase): boolean => is === 'holding' || is === 'going';

/** The phase after a look. `undefined`: nobody can say now, and everything stays as it is. */
export function afterLook(
  phase: ConditionPhase,
  isTrue: boolean | undefined,
  nowMs: number,
  { onMs, offMs }: ConditionDelays,
): ConditionPhase {
  if (isTrue === undefined) return phase;
  if (isTrue) {
    if (counts(phase)) return { is: 'holding' };
    const sinceMs = phase.is === 'coming' ? Math.min(phase.sinceMs, nowMs) : nowMs;
    return nowMs - sinceMs >= onMs ? { is: 'holding' } : { is: 'coming', sinceMs };
  }
  if (!counts(phase)) return { is: 'normal' };
  // A clock that was set back begins the pause anew.
  const sinceMs = phase.is === 'going' ? Math.min(phase.sinceMs, nowMs) : nowMs;
  return nowMs - sinceMs >= offMs ? { is: 'normal' } : { is: 'going', sinceMs };
}

/** A band that a value should stay in; null: no limit on that side. All in the unit of the value. */
export interface AlarmBand {
  readonly low: number | null;
  readonly high: number | null;
  /** How far inside the band a value must come to count as inside again. */
  readonly deadband: number;
}

/** On which side of its band a value is, given where it was. */
export function sideOfBand(
  value: number,
  { low, high, deadband }: AlarmBand,
  before: 'below' | 'inside' | 'above',
): 'below' | 'inside' | 'above' {
  if (low !== null && value < low + (before === 'below' ? deadband : 0)) return 'below';
  if (high !== null && value > high - (before === 'above' ? deadband : 0)) return 'above';
  return 'inside';
}
