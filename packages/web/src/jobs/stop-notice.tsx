import { leaderApi } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useMay } from '../services/use-may.ts';
import { useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { momentText } from '../time/moment-text.ts';
import { leftOffText } from './start-again.ts';
import styles from './stop-menu.module.css';
import { type Stops, titleOfStop } from './use-stops.ts';

/** What became of the last stop, and the way back: on every page until a person dismisses it or starts something else. */
export function StopNotice({ stops }: { readonly stops: Stops }) {
  const { command, record, again, leftOff, profiles, unknown, rescaled, unconfirmed, isChecking, startAgain, close } =
    stops;
  const may = useMay();
  const orderedAt = useTicking((nowMs) => (record === null ? '' : momentText(record.atMs, nowMs)));
  if (command.phase === 'idle' && record === null && unknown.length + rescaled.length === 0) return null;
  const toStart = [...new Set([...unconfirmed, ...[...unknown, ...rescaled].map(({ unit }) => unit)])];
  const units = new Set(again.map(({ unit }) => unit)).size;
  return (
    <section className={styles.outcome} aria-label="Last stop">
      <div className={styles.told}>
        {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={close} />}
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
        {again.length > 0 && (
          <Text size="sm">
            {again.length} {again.length === 1 ? 'job' : 'jobs'} on {units} {units === 1 ? 'unit' : 'units'} can be
            started again with the same values
            {leftOff.length > 0 && `; not ${leftOffText(leftOff)}`}.
          </Text>
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
