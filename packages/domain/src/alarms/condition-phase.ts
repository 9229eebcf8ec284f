/**
 * The phase of an alarm condition with on-delay and off-delay (ISA-18.2): the condition must hold for the on-delay before the
 * alarm becomes active, and be over for the off-delay before the alarm ends. `sinceMs`: when the phase began.
 */
export type ConditionPhase =
  | { readonly kind: 'inactive' }
  /** The condition holds, but not yet for the on-delay. */
  | { readonly kind: 'on_delay'; readonly sinceMs: number }
  | { readonly kind: 'active' }
  /** The condition is over, but not yet for the off-delay. */
  | { readonly kind: 'off_delay'; readonly sinceMs: number };

/** On-delay and off-delay of a condition. */
export interface ConditionDelays {
  readonly onDelayMs: number;
  readonly offDelayMs: number;
}

/** Whether the condition's alarm is active. */
export const isConditionActive = ({ kind }: ConditionPhase): boolean => kind === 'active' || kind === 'off_delay';

/** The phase after an evaluation of the condition. `isTrue` undefined: the condition is unknown, and the phase stays. */
export function nextConditionPhase(
  phase: ConditionPhase,
  isTrue: boolean | undefined,
  nowMs: number,
  { onDelayMs, offDelayMs }: ConditionDelays,
): ConditionPhase {
  if (isTrue === undefined) return phase;
  if (isTrue) {
    if (isConditionActive(phase)) return { kind: 'active' };
    const sinceMs = phase.kind === 'on_delay' ? Math.min(phase.sinceMs, nowMs) : nowMs;
    return nowMs - sinceMs >= onDelayMs ? { kind: 'active' } : { kind: 'on_delay', sinceMs };
  }
  if (!isConditionActive(phase)) return { kind: 'inactive' };
  // A clock that was set back restarts the off-delay.
  const sinceMs = phase.kind === 'off_delay' ? Math.min(phase.sinceMs, nowMs) : nowMs;
  return nowMs - sinceMs >= offDelayMs ? { kind: 'inactive' } : { kind: 'off_delay', sinceMs };
}

/** The range in which a value must stay; null: no limit on that side. All in the unit of the value. */
export interface AlarmBand {
  readonly low: number | null;
  readonly high: number | null;
  /** How far inside the limit a value must be before it counts as inside again (hysteresis). */
  readonly deadband: number;
}

/** On which side of its band a value is, given its side before. */
export function sideOfBand(
  value: number,
  { low, high, deadband }: AlarmBand,
  before: 'below' | 'inside' | 'above',
): 'below' | 'inside' | 'above' {
  if (low !== null && value < low + (before === 'below' ? deadband : 0)) return 'below';
  if (high !== null && value > high - (before === 'above' ? deadband : 0)) return 'above';
  return 'inside';
}
