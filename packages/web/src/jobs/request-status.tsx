import { CloseButton } from '@mantine/core';
import styles from '../tasks/command-status.module.css';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { isPending, type RequestState, requestText } from './job-control.ts';

/** The state of a request: pending, done, or failed and why. */
export function RequestStatus({
  control,
  onDismiss,
}: {
  readonly control: RequestState;
  readonly onDismiss: () => void;
}) {
  const text = requestText(control);
  return (
    <div className={styles.line} role="status" data-phase={text === null ? 'idle' : control.phase}>
      {text !== null && (
        <>
          {isPending(control) && <span className={styles.spinner} aria-hidden="true" />}
          {control.phase === 'done' && <CheckIcon size={14} />}
          {(control.phase === 'failed' || control.phase === 'unconfirmed') && <WarningIcon size={14} />}
          <span className={styles.text}>
            {text}
            {control.phase === 'failed' && <Why control={control} />}
          </span>
          {(control.phase === 'failed' || control.phase === 'unconfirmed') && (
            <CloseButton size="sm" aria-label={commonWords.dismiss} onClick={onDismiss} />
          )}
        </>
      )}
    </div>
  );
}

function Why({ control }: { readonly control: Extract<RequestState, { readonly phase: 'failed' }> }) {
  const { error, cause, remediation } = control.refusal;
  return [...new Set([cause, remediation])]
    .filter((line) => line !== '' && line !== error)
    .map((line) => (
      <span key={line} className={styles.cause}>
        {line}
      </span>
    ));
}
