import { CloseButton } from '@mantine/core';
import styles from '../tasks/status-line.module.css';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { type Control, controlText, isPending } from './job-control.ts';

/** How what was asked for stands: pending, done, or failed and why. Beside the control it belongs to. */
export function ControlLine({ control, onPutAway }: { readonly control: Control; readonly onPutAway: () => void }) {
  const text = controlText(control);
  return (
    <div className={styles.line} role="status" data-phase={text === null ? 'idle' : control.phase}>
      {text !== null && (
        <>
          {isPending(control) && <span className={styles.spinner} aria-hidden="true" />}
          {control.phase === 'done' && <CheckIcon size={14} />}
          {(control.phase === 'failed' || control.phase === 'unconfirmed') && <WarningIcon size={14} />}
          <span className={styles.words}>
            {text}
            {control.phase === 'failed' && <Why control={control} />}
          </span>
          {(control.phase === 'failed' || control.phase === 'unconfirmed') && (
            <CloseButton size="sm" aria-label="Put away" onClick={onPutAway} />
          )}
        </>
      )}
    </div>
  );
}

function Why({ control }: { readonly control: Extract<Control, { readonly phase: 'failed' }> }) {
  const { error, cause, remediation } = control.refusal;
  return [...new Set([cause, remediation])]
    .filter((line) => line !== '' && line !== error)
    .map((line) => (
      <span key={line} className={styles.cause}>
        {line}
      </span>
    ));
}
