import { roughSpanText } from '@lcs/domain';
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ConnectionPhase, type ConnectionState, dataAgeMs, lastKnownAt } from '../live/connection-state.ts';
import { useLeaderIdentity } from '../services/queries.ts';
import { useConnection } from '../services/use-connection.ts';
import { useTicking } from '../services/use-ticking.ts';
import { momentText, secondText, zoneText } from '../time/moment-text.ts';
import { LiveIcon, PauseIcon, UnpluggedIcon } from '../ui/icons.tsx';
import styles from './connection-badge.module.css';

const phaseTexts: { readonly [Phase in ConnectionPhase]: { readonly word: string; readonly icon: ReactNode } } = {
  connecting: { word: 'Connecting', icon: <UnpluggedIcon /> },
  live: { word: 'Live', icon: <LiveIcon /> },
  reconnecting: { word: 'Reconnecting', icon: <UnpluggedIcon /> },
  suspended: { word: 'Paused', icon: <PauseIcon /> },
};

const upToDate = 'up to date';

function ageText(state: ConnectionState, nowMs: number): string {
  const age = dataAgeMs(state, nowMs);
  if (age === null) return 'no data yet';
  const knownAt = lastKnownAt(state, nowMs);
  if (knownAt !== null) return `last known ${momentText(knownAt, nowMs)}`;
  if (state.phase === 'live') return upToDate;
  return `data ${roughSpanText(age)} old`;
}

/** The state of the connection to the leader, and the age of the shown data: visible at all times. */
export function ConnectionBadge() {
  const state = useConnection();
  const leader = useLeaderIdentity();
  const age = useTicking((nowMs) => ageText(state, nowMs));
  const { word, icon } = phaseTexts[state.phase];
  const since = `${word} since ${secondText(state.since)} ${zoneText(state.since)}`;
  const title = leader ? `${since}. Leader: ${leader.leader}, version ${leader.version}` : since;
  return (
    <div className={styles.badge} data-phase={state.phase} title={title}>
      {icon}
      <span className={styles.word} aria-hidden="true">
        {word}
      </span>
      <span className={styles.age} data-current={age === upToDate}>
        {age}
      </span>
      <VisuallyHidden role="status">Connection: {word}</VisuallyHidden>
    </div>
  );
}
