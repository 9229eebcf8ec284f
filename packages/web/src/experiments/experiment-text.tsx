import { Text } from '@mantine/core';
import { useAssignments, useJobs } from '../services/queries.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { commonWords } from '../words/common.ts';
import { experimentItemsWords } from '../words/experiment-items.ts';
import { type ExperimentRow, type ExperimentState, stateOf, type WorkerTally } from './experiment-rows.ts';
import styles from './experiment-text.module.css';
import { activityText, unitsThatRun } from './running-units.ts';
import { useNewestReading } from './use-newest-reading.ts';

export const stateTitles: { readonly [State in ExperimentState]: string } = experimentItemsWords.stateTitles;

/** Whether an experiment runs: as text, not only by colour. It runs while one of its units runs a job, as in the header. */
export function StatusBadge({ row }: { readonly row: ExperimentRow }) {
  const lastKnown = useLastKnown();
  const jobs = useJobs();
  const { data: assignments = [] } = useAssignments();
  const state = stateOf(row);
  const isOver = state === 'ended' || state === 'archived';
  const { experiment } = row.experiment;
  const running = jobs === undefined ? null : unitsThatRun({ jobs, assignments }, experiment);
  const newestMs = useNewestReading(experiment, state === 'running' && row.workers !== null && running === 0);
  if (row.workers === null && !isOver)
    return (
      <Text span c="dimmed" size="sm" title={experimentItemsWords.assignmentsAreNotKnownYet}>
        …
      </Text>
    );
  const text =
    state === 'running' && running !== null && row.workers !== null
      ? activityText(running, row.workers.assigned, newestMs !== null)
      : state === 'idle' && (row.workers?.assigned ?? 0) > 0
        ? experimentItemsWords.unitsInactive
        : stateTitles[state];
  // Without a connection to the leader the assignments may have changed.
  if (lastKnown !== null && !isOver)
    return <span className={styles.idle}>{commonWords.textAtTime(text, lastKnown)}</span>;
  return (
    <span className={state === 'running' && running !== 0 ? styles.active : styles.idle} data-activity={state}>
      {text}
    </span>
  );
}

/** `3`, or `2 of 3` when some are not active. */
export function WorkerCount({ workers }: { readonly workers: WorkerTally | null }) {
  if (workers === null) return '…';
  const { assigned, active } = workers;
  if (active === assigned) return String(assigned);
  return (
    <span title={experimentItemsWords.ofUnitsAreActive(active, assigned)}>
      {commonWords.partOfWhole(active, assigned)}
    </span>
  );
}

const denseTags = 2;

/** Tags of an experiment; `dense` shows only the first few, and the number of the others. */
export function Tags({ tags, dense = false }: { readonly tags: readonly string[]; readonly dense?: boolean }) {
  if (tags.length === 0) return null;
  const shown = dense ? tags.slice(0, denseTags) : tags;
  const hidden = tags.slice(shown.length);
  return (
    <ul className={styles.tags} data-dense={dense} aria-label={commonWords.tags}>
      {shown.map((tag) => (
        <li key={tag} className={styles.tag} title={tag}>
          {tag}
        </li>
      ))}
      {hidden.length > 0 && (
        <li className={styles.more} title={hidden.join(', ')}>
          +{hidden.length}
        </li>
      )}
    </ul>
  );
}
