import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLastKnown } from '../services/use-ticking.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { startWords } from '../words/start.ts';
import styles from './alarms.module.css';
import { isUnacknowledged } from './unacknowledged.ts';
import { useOpenAlarms } from './use-alarms.ts';

/** The number of unacknowledged alarms, on every page; empty when there are none. */
export function AlarmBadge() {
  const { data: alarms = [] } = useOpenAlarms();
  const count = alarms.filter(isUnacknowledged).length;
  const lastKnown = useLastKnown();
  const at = lastKnown === null ? '' : startWords.atTime(lastKnown);
  const text = startWords.unacknowledgedCount(count);
  return (
    <>
      <VisuallyHidden role="status">{count === 0 ? '' : text}</VisuallyHidden>
      {count > 0 && (
        <Link
          to="/alarms"
          className={styles.badge}
          data-waiting={lastKnown === null || undefined}
          aria-label={startWords.showAlarms(text, at)}
        >
          <WarningIcon size={14} />
          {count}
          {at}
        </Link>
      )}
    </>
  );
}
