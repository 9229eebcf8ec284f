import type { ProfileStep } from './plan-profile.ts';

/** What comes later than this was missed: nobody was there to do it when it was due. */
export const maxLatenessMs = 60_000;

/**
 * Whether a step is still done at `nowMs` (since the start of the profile). What was missed is not made up for: nothing is
 * started, resumed or changed on old news. Stops are, and so are pauses that were not to be over by now, for they only take
 * away. Messages are said, late as they are.
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
