import { Button, CloseButton, Group } from '@mantine/core';
import styles from '../tasks/command-status.module.css';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { isPending, type RequestState, requestText } from './job-control.ts';
import { settingText } from './setting-text.ts';
import type { JobControl } from './use-job-control.ts';

const isProblem = ({ phase }: RequestState): boolean =>
  phase === 'failed' || phase === 'unconfirmed' || phase === 'overtaken';

interface ChoiceProps {
  readonly control: Extract<RequestState, { readonly phase: 'overtaken' }>;
  readonly onDismiss: () => void;
  readonly onRequest: JobControl['request'];
}

/** Between the value that somebody else has set and the own one. */
function Choice({ control: { request, value }, onDismiss, onRequest }: ChoiceProps) {
  return (
    <Group gap="xs" mt={4}>
      <Button size="xs" variant="default" onClick={onDismiss}>
        {jobsWords.takeTheirs(settingText(value))}
      </Button>
      {request.kind === 'adjust' && (
        <Button size="xs" variant="default" onClick={() => onRequest(request)}>
          {jobsWords.keepMine}
        </Button>
      )}
    </Group>
  );
}

/** The state of a request: pending, done, or failed and why. */
export function RequestStatus({
  control,
  onDismiss,
  onRequest,
}: {
  readonly control: RequestState;
  readonly onDismiss: () => void;
  /** Sends the request once more. */
  readonly onRequest: JobControl['request'];
}) {
  const text = requestText(control);
  return (
    <div className={styles.line} role="status" data-phase={text === null ? 'idle' : control.phase}>
      {text !== null && (
        <>
          {isPending(control) && <span className={styles.spinner} aria-hidden="true" />}
          {control.phase === 'done' && <CheckIcon size={14} />}
          {isProblem(control) && <WarningIcon size={14} />}
          <span className={styles.text}>
            {text}
            {control.phase === 'failed' && <Why control={control} />}
            {control.phase === 'overtaken' && <Choice {...{ control, onDismiss, onRequest }} />}
          </span>
          {isProblem(control) && <CloseButton size="sm" aria-label={commonWords.dismiss} onClick={onDismiss} />}
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
