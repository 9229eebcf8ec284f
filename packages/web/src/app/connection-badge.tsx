import { roughSpanText } from '@lcs/domain';
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ConnectionPhase, type ConnectionState, dataAgeMs, lastKnownAt } from '../live/connection-state.ts';
import { useLeaderIdentity } from '../services/queries.ts';
import { useConnection } from '../services/use-connection.ts';
import { useTicking } from '../services/use-ticking.ts';
import { momentText, secondText, zoneText } from '../time/moment-text.ts';
import { LiveIcon, PauseIcon, UnpluggedIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import styles from './connection-badge.module.css';

const phaseTexts: { readonly [Phase in ConnectionPhase]: { readonly word: string; readonly icon: ReactNode } } = {
  connecting: { word: appWords.connecting, icon: <UnpluggedIcon /> },
  live: { word: appWords.live, icon: <LiveIcon /> },
  reconnecting: { word: appWords.reconnecting, icon: <UnpluggedIcon /> },
  suspended: { word: commonWords.paused, icon: <PauseIcon /> },
};

const upToDate = commonWords.upToDate;

function ageText(state: ConnectionState, nowMs: number): string {
  const age = dataAgeMs(state, nowMs);
  if (age === null) return commonWords.noDataYet;
  const knownAt = lastKnownAt(state, nowMs);
  if (knownAt !== null) return commonWords.lastKnownInline(momentText(knownAt, nowMs));
  if (state.phase === 'live') return upToDate;
  return commonWords.dataOld(roughSpanText(age));
}

/** The state of the connection to the leader, and the age of the shown data: visible at all times. */
export function ConnectionBadge() {
  const state = useConnection();
  const leader = useLeaderIdentity();
  const age = useTicking((nowMs) => ageText(state, nowMs));
  const { word, icon } = phaseTexts[state.phase];
  const since = appWords.stateSince(word, secondText(state.since), zoneText(state.since));
  const title = leader ? appWords.leaderAndVersion(since, leader.leader, leader.version) : since;
  return (
    <div className={styles.badge} data-phase={state.phase} title={title}>
      {icon}
      <span className={styles.word} aria-hidden="true">
        {word}
      </span>
      <span className={styles.age} data-current={age === upToDate}>
        {age}
      </span>
      <VisuallyHidden role="status">{appWords.connectionNow(word)}</VisuallyHidden>
    </div>
  );
}
