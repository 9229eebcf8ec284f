import { leaderApi } from '@lcs/contract';
import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../services/use-may.ts';
import { UnitIcon } from '../ui/icons.tsx';
import { startWords } from '../words/start.ts';
import styles from './inventory.module.css';
import { useJoinRequests } from './use-inventory.ts';

/** The number of units that want to join, on every page of whoever may decide. */
export function JoinBadge() {
  const mayDecide = !useMay()(leaderApi.approveJoinRequest).disabled;
  const { data: requests = [] } = useJoinRequests(mayDecide);
  const count = mayDecide ? requests.filter(({ is_approved }) => !is_approved).length : 0;
  const text = startWords.countWantsToJoin(count);
  return (
    <>
      <VisuallyHidden role="status">{count === 0 ? '' : text}</VisuallyHidden>
      {count > 0 && (
        <Link to="/units" className={styles.badge} aria-label={startWords.showJoinRequests(text)} title={text}>
          <UnitIcon size={14} />
          {count}
        </Link>
      )}
    </>
  );
}
