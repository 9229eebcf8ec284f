import type { BasicAction, LateActionPolicy } from './profile.ts';
import type { ProfileItem } from './timeline.ts';

/** An action that is later than this was missed: the leader was off when it was due. */
export const maxLatenessMs = 60_000;

/** What to do with an action that is due: carry it out, leave it out because it was missed, or ask a person. */
export type LateDecision = 'execute' | 'miss' | 'ask';

const isLate = ({ atMs }: ProfileItem, nowMs: number): boolean => nowMs - atMs > maxLatenessMs;

/** Whether an action of these types on the same job was due after `item` and until `nowMs`. */
const isFollowed = (
  item: ProfileItem,
  waiting: readonly ProfileItem[],
  nowMs: number,
  types: readonly ProfileItem['action']['type'][],
): boolean =>
  waiting
    .slice(waiting.indexOf(item) + 1)
    .some(({ job, atMs, action }) => job === item.job && atMs <= nowMs && types.includes(action.type));

/** Whether an action only switches off: a stop, or a pause that is not over yet. */
export function makesSafer(item: ProfileItem<BasicAction>, waiting: readonly ProfileItem[], nowMs: number): boolean {
  const { type } = item.action;
  return type === 'stop' || (type === 'pause' && !isFollowed(item, waiting, nowMs, ['resume', 'start']));
}

/**
 * What becomes of an action at `nowMs` (since the start of the profile). Of the missed ones, those that make safer are always carried
 * out. Without a policy, missed messages are logged late and other missed actions are left out.
 * @param waiting the items that wait on its unit, in order
 */
export function lateDecision(
  item: ProfileItem<BasicAction>,
  waiting: readonly ProfileItem[],
  nowMs: number,
  policy: LateActionPolicy | null,
): LateDecision {
  if (!isLate(item, nowMs) || policy === 'run' || makesSafer(item, waiting, nowMs)) return 'execute';
  const { type } = item.action;
  if (type === 'log') return policy === 'skip' ? 'miss' : 'execute';
  // Nobody is asked about a start whose stop was missed, too, or about a pause that is over.
  const isAsked = policy === 'ask' && type !== 'pause' && !isFollowed(item, waiting, nowMs, ['stop']);
  return isAsked ? 'ask' : 'miss';
}
