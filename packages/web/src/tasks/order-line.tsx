import { CloseButton } from '@mantine/core';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import type { Order } from './order.ts';
import styles from './status-line.module.css';

/** How an order to one or several units stands. */
export function OrderLine({ order, onPutAway }: { readonly order: Order; readonly onPutAway: () => void }) {
  return (
    <div className={styles.line} role="status" data-phase={order.phase}>
      {order.phase === 'pending' && (
        <>
          <span className={styles.spinner} aria-hidden="true" />
          <span className={styles.words}>{order.what}: waiting for an answer…</span>
        </>
      )}
      {order.phase === 'done' && (
        <>
          <CheckIcon size={14} />
          <span className={styles.words}>
            {order.what}: done{order.units > 1 ? ` on all ${order.units} units` : ''}
          </span>
        </>
      )}
      {order.phase === 'failed' && (
        <>
          <WarningIcon size={14} />
          <span className={styles.words}>
            {order.what}: not done everywhere.
            {order.refusals.map(({ unit, error, cause, remediation }) => (
              <span key={`${unit} ${error}`} className={styles.cause}>
                {unit === null ? '' : `${unit}: `}
                {[...new Set([error, cause, remediation])].filter((said) => said !== '').join(' ')}
              </span>
            ))}
          </span>
          <CloseButton size="sm" aria-label="Put away" onClick={onPutAway} />
        </>
      )}
    </div>
  );
}
