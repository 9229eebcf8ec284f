import { hourMs } from '@lcs/contract';

/** Medium that an automation dosed within one minute: one dose is recorded in several events. */
export interface DosedMinute {
  /** Of its first dose. */
  readonly atMs: number;
  readonly ml: number;
}

/** Fewer doses or a shorter time say nothing about the hours to come. Chosen. */
const leastDoses = 3;
const leastMs = hourMs / 2;

/**
 * The medium that the present run of a dosing automation uses, mL per hour; `null`: too early to say. What the first dose began ends with
 * the last one, so that the first is not counted; when doses become rare, the time since the last counts too.
 * @param minutes of this run, oldest first
 */
export function dosingRate(minutes: readonly DosedMinute[], nowMs: number): number | null {
  const doses = minutes.filter(({ ml }) => ml > 0);
  const [first] = doses;
  const last = doses.at(-1);
  if (first === undefined || last === undefined) return null;
  if (doses.length < leastDoses || nowMs - first.atMs < leastMs) return null;
  // Corrections below 0 count.
  const ml = minutes.reduce((sum, minute) => sum + minute.ml, 0) - first.ml;
  const share = (doses.length - 1) / doses.length;
  const spanMs = Math.max(last.atMs - first.atMs, share * (nowMs - first.atMs));
  return Math.max(0, (ml / spanMs) * hourMs);
}
