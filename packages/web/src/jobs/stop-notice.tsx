import { leaderApi } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, lazy, Suspense } from 'react';
import { useMay } from '../services/use-may.ts';
import { useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { withoutUnconfirmed } from '../tasks/unit-command.ts';
import { momentText } from '../time/moment-text.ts';
import { againTexts, leftOffText } from './start-again.ts';
import styles from './stop-menu.module.css';
import { type Stops, titleOfStop } from './use-stops.ts';

/** Loaded when pumps would dilute at once. */
const ConfirmDilutionAlert = lazy(() =>
  import('./start-refusals.tsx').then(({ ConfirmDilutionAlert: alert }) => ({ default: alert })),
);

/** What became of the last stop, and the way back: on every page until a person dismisses it or starts something else. */
export function StopNotice({ stops }: { readonly stops: Stops }) {
  const { command, record, again, leftOff, profiles, unknown, rescaled, unconfirmed, confirmDilution } = stops;
  const { isChecking, startAgain, close } = stops;
  const may = useMay();
  const orderedAt = useTicking((nowMs) => (record === null ? '' : momentText(record.atMs, nowMs)));
  if (command.phase === 'idle' && record === null && unknown.length + rescaled.length === 0) return null;
  const toStart = [...new Set([...unknown, ...rescaled].map(({ unit }) => unit))];
  const told = withoutUnconfirmed(command);
  return (
    <section className={styles.outcome} aria-label="Last stop">
      <div className={styles.told}>
        {told.phase !== 'idle' && <CommandStatus command={told} onDismiss={close} />}
        {record !== null && command.phase !== 'pending' && (
          <Text size="sm" fw={600}>
            {titleOfStop(record)}: ordered at {orderedAt}
          </Text>
        )}
        {record !== null && profiles.length > 0 && (
          <Text size="sm">
            A profile still runs in {profiles.join(', ')}: its next action may start pumps again. “Stop everything” ends
            it.
          </Text>
        )}
        {unknown.length > 0 && (
          <Text size="sm" role="status">
            Not started again, since the planned end is not known: {leftOffText(unknown)}. Start each on the page of its
            unit.
          </Text>
        )}
        {rescaled.length > 0 && (
          <Text size="sm" role="status">
            Not started again, since the scale of the biomass has changed and the target would mean another density:{' '}
            {leftOffText(rescaled)}. Choose the target again on the page of the unit.
          </Text>
        )}
        {toStart.length > 0 && (
          <Text size="sm">
            Start on the page of{' '}
            {toStart.map((unit, index) => (
              <Fragment key={unit}>
                {index > 0 && ', '}
                <Link to="/units/$unit" params={{ unit }} search={{ tab: 'control' }} className="page-link">
                  {unit}
                </Link>
              </Fragment>
            ))}
          </Text>
        )}
        {againTexts(again).map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
        {again.length > 0 && leftOff.length > 0 && <Text size="sm">Not started again: {leftOffText(leftOff)}.</Text>}
        {unconfirmed.length > 0 && told.phase === 'idle' && (
          <Text size="sm" fw={600} role="status">
            Started again, except what needs your confirmation:
          </Text>
        )}
        {unconfirmed.length > 0 && (
          <Suspense fallback={null}>
            <ConfirmDilutionAlert refusals={unconfirmed} onConfirm={confirmDilution} />
          </Suspense>
        )}
      </div>
      <Group gap="xs">
        {again.length > 0 && (
          <Button
            className={styles.act}
            size="xs"
            variant="default"
            onClick={startAgain}
            loading={isChecking}
            {...may(leaderApi.runWorkerJob)}
          >
            Start again
          </Button>
        )}
        {command.phase !== 'pending' && (
          <Button className={styles.act} size="xs" variant="subtle" color="gray" onClick={close}>
            Dismiss
          </Button>
        )}
      </Group>
    </section>
  );
}
