import type { UnitStatus } from '@lcs/contract';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { commonWords } from '../words/common.ts';
import { lastKnownText } from './reading-note.ts';

/** The time of the last response of a unit or of the leader, when the shown values are not current; '': they are. */
export function useKnownAt(status: UnitStatus | undefined): string {
  const leaderAway = useLastKnown();
  const nowMs = useLeaderNow();
  const unitAway = useTicking(() => lastKnownText(status, nowMs()) ?? '');
  if (unitAway !== '') return unitAway;
  return leaderAway === null ? '' : commonWords.lastKnownInline(leaderAway);
}
