import { toTimestamp } from '@lcs/platform';

/** A time in which a unit was part of an experiment, in milliseconds since 1970; `toMs` null: it still is. */
export interface UnitStay {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** The experiment that a note belongs to. */
export interface NotedExperiment {
  readonly name: string;
  readonly createdMs: number;
  /** Null: it runs. */
  readonly endedMs: number | null;
}

/** Why a note cannot be part of its experiment, and the field at fault. */
export interface NoteTimeFault {
  readonly cause: string;
  readonly field: 'timestamp' | 'reactor_unit';
}

/** Clocks of people differ from the leader's, and many write down whole minutes. */
const noteClockToleranceMs = 60_000;

const stayText = ({ fromMs, toMs }: UnitStay): string =>
  toMs === null ? `since ${toTimestamp(fromMs)}` : `from ${toTimestamp(fromMs)} to ${toTimestamp(toMs)}`;

/** After the clock was set back during a stay, it begins no later than it ends, or than now. */
const forwardStays = (stays: readonly UnitStay[], nowMs: number): readonly UnitStay[] =>
  stays.map(({ fromMs, toMs }) => ({ fromMs: Math.min(fromMs, toMs ?? nowMs), toMs }));

/** The stays up to the end of the experiment; an ended one may keep its units. */
function endedStays(stays: readonly UnitStay[], endedMs: number | null): readonly UnitStay[] {
  if (endedMs === null) return stays;
  return stays
    .filter(({ fromMs }) => fromMs <= endedMs)
    .map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs ?? endedMs, endedMs) }));
}

/**
 * Whether something that happened at `atMs` can have happened in the experiment, and to this unit. A remark without a unit may
 * follow the end of the experiment (a result of a sample, for instance); what concerns a vial may not.
 * @param stays of the unit in the experiment
 * @param nowMs after the clock was set back, "now" is before the beginning of what is there now
 */
export function noteTimeFault(
  { atMs, unit }: { readonly atMs: number; readonly unit: string | null },
  { name, createdMs, endedMs }: NotedExperiment,
  stays: readonly UnitStay[],
  nowMs: number,
): NoteTimeFault | undefined {
  const at = toTimestamp(atMs);
  if (atMs < Math.min(createdMs, nowMs, endedMs ?? nowMs) - noteClockToleranceMs) {
    const cause = `Experiment '${name}' began at ${toTimestamp(createdMs)}; ${at} is before.`;
    return { cause, field: 'timestamp' };
  }
  if (unit === null) return undefined;
  if (stays.length === 0) return { cause: `'${unit}' was never in experiment '${name}'.`, field: 'reactor_unit' };
  const known = endedStays(forwardStays(stays, nowMs), endedMs);
  const within = known.some(
    ({ fromMs, toMs }) =>
      atMs >= fromMs - noteClockToleranceMs && (toMs === null || atMs <= toMs + noteClockToleranceMs),
  );
  if (within) return undefined;
  const ended = endedMs === null ? '' : `, which ended at ${toTimestamp(endedMs)}`;
  const cause =
    known.length === 0
      ? `'${unit}' was not in experiment '${name}' before its end at ${toTimestamp(endedMs ?? nowMs)}.`
      : `'${unit}' was in experiment '${name}'${ended}, ${known.map(stayText).join(' and ')}; not at ${at}.`;
  return { cause, field: 'timestamp' };
}
