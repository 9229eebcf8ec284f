import { Link } from '@tanstack/react-router';
import { shortSentence } from '../now/cluster-state.ts';
import { useClusterState } from '../now/use-cluster-state.ts';
import { useConnectionPhase } from '../services/use-connection.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import styles from './shell.module.css';

/** How many units run, how many alarms there are, and whether that is of now; undefined: not known yet. */
function useSentence(): string | undefined {
  const state = useClusterState();
  const phase = useConnectionPhase();
  const lastKnown = useLastKnown();
  if (state === undefined) return undefined;
  const sentence = shortSentence(state);
  if (lastKnown !== null) return `${sentence}, ${commonWords.lastKnownInline(lastKnown)}`;
  return phase === 'live' ? appWords.sentenceLive(sentence) : sentence;
}

/** The sentence of the cluster, on every page; the page Now has it as its heading. */
export function ClusterBadge() {
  const sentence = useSentence();
  if (sentence === undefined) return null;
  return (
    <Link to="/" className={styles.cluster}>
      {sentence}
    </Link>
  );
}

/** The same above the pages of a phone, whose header has no room for it; the way to Now is in the bar below. */
export function ClusterLine() {
  const sentence = useSentence();
  return sentence === undefined ? null : <p className={styles.clusterLine}>{sentence}</p>;
}
