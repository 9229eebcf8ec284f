import type { UnitStatus } from '@lcs/contract';
import { WarningIcon } from '../ui/icons.tsx';
import styles from './unit-card.module.css';
import { unitRemarks } from './unit-status.ts';

/** What a person should know about the state of a unit, the worst first; nothing while all is well. */
export function UnitRemarks({ status, isActive }: { readonly status: UnitStatus; readonly isActive: boolean }) {
  const remarks = unitRemarks(status, isActive);
  if (remarks.length === 0) return null;
  return (
    <ul className={styles.remarks}>
      {remarks.map(({ severity, text }) => (
        <li key={text} data-severity={severity}>
          <WarningIcon size={14} /> {text}
        </li>
      ))}
    </ul>
  );
}
