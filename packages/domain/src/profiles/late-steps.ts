import type { ProfileStep } from './plan-profile.ts';

/** A step that is later than this was missed: the leader was off when the step was due. */
export const maxLatenessMs = 60_000;

/**
 * Whether a step is still executed at `nowMs` (since the start of the profile). Missed starts, resumes and updates are skipped.
 * Missed stops are executed, and missed pauses that are not over yet, because they only switch off. Missed messages are logged.
 * @param others the other steps of its unit
 */
export function isStillExecuted(step: ProfileStep, others: readonly ProfileStep[], nowMs: number): boolean {
  if (nowMs - step.atMs <= maxLatenessMs) return true;
  switch (step.action.type) {
    case 'stop':
    case 'log':
      return true;
    case 'pause':
      return !others.some(
        ({ job, position, atMs, action }) =>
          job === step.job &&
          position > step.position &&
          atMs <= nowMs &&
          (action.type === 'resume' || action.type === 'start'),
      );
    default:
      return false;
  }
}
