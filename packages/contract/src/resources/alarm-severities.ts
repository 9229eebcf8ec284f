import type { AlarmSeverity } from './alarm.ts';

/** Ascending. Apart from the shapes, which no page needs for it. */
export const alarmSeverities: readonly AlarmSeverity[] = ['warning', 'error', 'critical'];
