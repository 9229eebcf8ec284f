import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLastKnown } from '../services/use-ticking.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { isWaiting } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { useOpenAlarms } from './use-alarms.ts';

/** The number of alarms that need a person, on every page; empty while there is none. */
export function AlarmBadge() {
  const { data: alarms = [] } = useOpenAlarms();
  const count = alarms.filter(isWaiting).length;
  const lastKnown = useLastKnown();
  const at = lastKnown === null ? '' : ` at ${lastKnown}`;
  const words = count === 1 ? '1 alarm waits' : `${count} alarms wait`;
  return (
    <>
      <VisuallyHidden role="status">{count === 0 ? '' : `${words} for somebody`}</VisuallyHidden>
      {count > 0 && (
        <Link
          to="/alarms"
          className={styles.badge}
          data-waiting={lastKnown === null || undefined}
          aria-label={`${words}${at}: show them`}
        >
          <WarningIcon size={14} />
          {count}
          {at}
        </Link>
      )}
    </>
  );
}
