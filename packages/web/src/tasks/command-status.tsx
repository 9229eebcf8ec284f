import { CloseButton } from '@mantine/core';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';
import styles from './command-status.module.css';
import { doneCount, reasonsOf, type StopReport, type UnitCommand, unreachedText } from './unit-command.ts';
import { unitsText } from './units-text.ts';

/** Where something was stopped, and where there was nothing to stop. */
function stopText({ stopped, idle }: StopReport): string {
  const parts = [
    ...(stopped.length > 0 ? [startWords.stoppedOn(unitsText(stopped))] : []),
    ...(idle.length > 0 ? [startWords.nothingToStopOn(unitsText(idle))] : []),
  ];
  return parts.join('; ');
}

/** On how many units something was started, and where it ran already. */
const startText = (started: number, already: readonly string[]): string =>
  startWords.alreadyRunningOn(started, unitsText(already));

const doneText = (command: Extract<UnitCommand, { readonly phase: 'failed' }>): string => {
  if (command.reached === 'nothing') return unreachedText(command.refusals);
  if (command.stops !== undefined) return startWords.exceptAsFollows(stopText(command.stops));
  const count = doneCount(command);
  if (count !== null && command.already !== undefined)
    return startWords.exceptAsFollows(startText(count, command.already));
  return count === null ? startWords.notDoneEverywhere : startWords.doneOnOfUnits(count, command.units);
};

function endText({ what, units, stops, already }: Extract<UnitCommand, { readonly phase: 'done' }>): string {
  if (stops !== undefined) return `${what}: ${stopText(stops)}`;
  if (already !== undefined) return `${what}: ${startText(units - already.length, already)}`;
  return startWords.taskDone(what, units);
}

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
          <span className={styles.text} data-stopped={command.stops?.stopped.join(' ')}>
            {endText(command)}
          </span>
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
