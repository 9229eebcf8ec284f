import { Link } from '@tanstack/react-router';
import { shortSentence } from '../now/cluster-state.ts';
import { useClusterState } from '../now/use-cluster-state.ts';
import styles from './shell.module.css';

/** How many units run, on every page; the page Now has it as its heading. */
export function ClusterBadge() {
  const state = useClusterState();
  if (state === undefined) return null;
  return (
    <Link to="/" className={styles.cluster}>
      {shortSentence(state)}
    </Link>
  );
}
