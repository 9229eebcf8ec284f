import { CloseButton } from '@mantine/core';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';
import styles from './command-status.module.css';
import { doneCount, reasonsOf, type UnitCommand } from './unit-command.ts';

const doneText = (command: Extract<UnitCommand, { readonly phase: 'failed' }>): string => {
  const count = doneCount(command);
  return count === null ? startWords.notDoneEverywhere : startWords.doneOnOfUnits(count, command.units);
};

/** The state of a command to one or several units. */
export function CommandStatus({
  command,
  onDismiss,
}: {
  readonly command: UnitCommand;
  readonly onDismiss: () => void;
}) {
  return (
    <div className={styles.line} role="status" data-phase={command.phase}>
      {command.phase === 'pending' && (
        <>
          <span className={styles.spinner} aria-hidden="true" />
          <span className={styles.text}>{startWords.waitingForAnswer(command.what)}</span>
        </>
      )}
      {command.phase === 'done' && (
        <>
          <CheckIcon size={14} />
          <span className={styles.text}>{startWords.taskDone(command.what, command.units)}</span>
        </>
      )}
      {command.phase === 'failed' && (
        <>
          <WarningIcon size={14} />
          <span className={styles.text}>
            {command.what}: {doneText(command)}
            {reasonsOf(command.refusals).map(({ units, text }) => (
              <span key={`${units.join(' ')} ${text}`} className={styles.cause}>
                {units.length === 0 ? '' : `${units.join(', ')}: `}
                {text}
              </span>
            ))}
          </span>
          <CloseButton size="sm" aria-label={commonWords.dismiss} onClick={onDismiss} />
        </>
      )}
    </div>
  );
}
