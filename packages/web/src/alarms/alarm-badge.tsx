import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { WarningIcon } from '../ui/icons.tsx';
import { isWaiting } from './alarm-words.ts';
import styles from './alarms.module.css';
import { useOpenAlarms } from './use-alarms.ts';

/** How many alarms wait for somebody, on every page; nothing while there is none. */
export function AlarmBadge() {
  const { data: alarms = [] } = useOpenAlarms();
  const count = alarms.filter(isWaiting).length;
  const words = count === 1 ? '1 alarm waits' : `${count} alarms wait`;
  return (
    <>
      <VisuallyHidden role="status">{count === 0 ? '' : `${words} for somebody`}</VisuallyHidden>
      {count > 0 && (
        <Link to="/alarms" className={styles.badge} data-waiting aria-label={`${words}: show them`}>
          <WarningIcon size={14} />
          {count}
        </Link>
      )}
    </>
  );
}
