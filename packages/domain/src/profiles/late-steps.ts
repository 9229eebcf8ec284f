import type { BasicAction } from './profile.ts';
import type { ProfileItem } from './timeline.ts';

/** An action that is later than this was missed: the leader was off when it was due. */
export const maxLatenessMs = 60_000;

/**
 * Whether an action is still carried out at `nowMs` (since the start of the profile). Missed starts, resumes and updates are skipped.
 * Missed stops are carried out, and missed pauses that are not over yet, because they only switch off. Missed messages are logged.
 * @param waiting the other items that wait on its unit
 */
export function isStillExecuted(
  item: ProfileItem<BasicAction>,
  waiting: readonly ProfileItem[],
  nowMs: number,
): boolean {
  if (nowMs - item.atMs <= maxLatenessMs) return true;
  switch (item.action.type) {
    case 'stop':
    case 'log':
      return true;
    case 'pause':
      return !waiting.some(
        ({ job, atMs, action }) =>
          job === item.job && atMs <= nowMs && (action.type === 'resume' || action.type === 'start'),
      );
    default:
      return false;
  }
}
