import { leaderApi, type RecentStop, sourceWithoutAccount } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, lazy, Suspense } from 'react';
import { useMay } from '../services/use-may.ts';
import { useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { withoutUnconfirmed } from '../tasks/unit-command.ts';
import { momentText } from '../time/moment-text.ts';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import { againTexts, leftOffText } from './start-again.ts';
import styles from './stop-menu.module.css';
import { titleOfStop } from './stop-record.ts';
import type { Stops } from './use-stops.ts';

/** Loaded when pumps would dilute at once. */
const ConfirmDilutionAlert = lazy(() =>
  import('./start-refusals.tsx').then(({ ConfirmDilutionAlert: alert }) => ({ default: alert })),
);

/** More stops than this are one incident. */
const mostLines = 3;

interface StopLineProps {
  readonly stop: RecentStop;
  readonly isStanding: boolean;
  readonly nameOf: Stops['nameOf'];
}

/** Who stopped what, and when. */
function StopLine({ stop, isStanding, nameOf }: StopLineProps) {
  const at = useTicking((nowMs) => momentText(Date.parse(stop.at), nowMs));
  const text =
    stop.by === sourceWithoutAccount
      ? stopsWords.orderedAt(titleOfStop(stop, nameOf), at)
      : stopsWords.orderedBy(titleOfStop(stop, nameOf), at, stop.by);
  return (
    <Text size="sm" fw={600} role="status">
      {isStanding ? text : stopsWords.startedSince(text)}
    </Text>
  );
}

/** What was stopped, by whomever, and the way back: on every page until a person dismisses it. */
export function StopNotice({ stops }: { readonly stops: Stops }) {
  const { command, nameOf, shown, again, leftOff, profiles, rescaled, unconfirmed, startsOthers } = stops;
  const { isChecking, startAgain, confirmDilution, close } = stops;
  const may = useMay();
  if (command.phase === 'idle' && shown.length === 0 && rescaled.length === 0) return null;
  const toStart = [...new Set(rescaled.map(({ unit }) => unit))];
  const told = withoutUnconfirmed(command);
  return (
    <section className={styles.outcome} aria-label={stopsWords.lastStop}>
      <div className={styles.told}>
        {told.phase !== 'idle' && <CommandStatus command={told} onDismiss={close} />}
        {command.phase !== 'pending' &&
          shown
            .slice(-mostLines)
            .map((stop) => (
              <StopLine key={stop.stop_id} stop={stop} isStanding={stops.isStanding(stop)} nameOf={nameOf} />
            ))}
        {profiles.length > 0 && <Text size="sm">{stopsWords.profileStillRunsIn(profiles.join(', '))}</Text>}
        {rescaled.length > 0 && (
          <Text size="sm" role="status">
            {stopsWords.scaleChanged(leftOffText(rescaled, nameOf))}
          </Text>
        )}
        {toStart.length > 0 && (
          <Text size="sm">
            {stopsWords.startOnPageOf}{' '}
            {toStart.map((unit, index) => (
              <Fragment key={unit}>
                {index > 0 && ', '}
                <Link to="/units/$unit" params={{ unit }} search={{ tab: 'control' }} className="page-link">
                  {nameOf(unit)}
                </Link>
              </Fragment>
            ))}
          </Text>
        )}
        {againTexts(again, nameOf).map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
        {again.length > 0 && leftOff.length > 0 && (
          <Text size="sm">{stopsWords.notStartedAgain(leftOffText(leftOff, nameOf))}</Text>
        )}
        {unconfirmed.length > 0 && told.phase === 'idle' && (
          <Text size="sm" fw={600} role="status">
            {startsOthers ? stopsWords.startedAgainExcept : stopsWords.notStartedYet}
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
            onClick={() => void startAgain()}
            loading={isChecking}
            {...may(leaderApi.runWorkerJob)}
          >
            {stopsWords.startAgain}
          </Button>
        )}
        {command.phase !== 'pending' && (
          <Button className={styles.act} size="xs" variant="subtle" color="gray" onClick={close}>
            {commonWords.dismiss}
          </Button>
        )}
      </Group>
    </section>
  );
}
