import { Skeleton, Text } from '@mantine/core';
import { useHistory } from '../services/queries.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { assignmentsWords } from '../words/assignments.ts';
import { commonWords } from '../words/common.ts';
import styles from './past-units.module.css';

/** All units that are or were in the experiment. */
export function PastUnits({ experiment }: { readonly experiment: string }) {
  const history = useHistory(experiment);
  if (history.error && !history.data) {
    return <ProblemAlert error={history.error} onRetry={() => history.refetch()} retrying={history.isFetching} />;
  }
  if (!history.data) return <Skeleton height={60} role="status" aria-label={commonWords.loadingHistory} />;
  if (history.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {assignmentsWords.noPastUnits}
      </Text>
    );
  }
  return (
    <ul className={styles.list} aria-label={assignmentsWords.unitsThatTookPart}>
      {history.data.map(({ reactor_unit, is_currently_assigned_to_experiment }) => (
        <li key={reactor_unit} className={styles.row}>
          <span>{reactor_unit}</span>
          <span className={styles.when}>
            {assignmentsWords.assignedNowOrEarlier(is_currently_assigned_to_experiment)}
          </span>
        </li>
      ))}
    </ul>
  );
}
