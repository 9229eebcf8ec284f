import { type ActuatedOutput, type Actuation, clusterExperiment } from '@lcs/contract';
import { Button, Select, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { MomentToSecond } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { entryOfPump } from '../ui/pump-entry.ts';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { changeText, outputChoices, outputText, reasonText } from './actuation-text.ts';
import styles from './unit-actuations.module.css';
import { useActuations } from './use-actuations.ts';

interface UnitActuationsProps {
  readonly unit: string;
  readonly unitName: string;
  /** `null`: the unit is free. */
  readonly experiment: string | null;
  readonly onClose: () => void;
}

const all = 'all';
const choices = [{ value: all, label: unitsWords.allOutputs }, ...outputChoices];

/** After a moment that a person came for, so much more is shown: a dose is several runs of pumps. */
const afterShownMs = 60_000;

interface EntryProps {
  readonly actuation: Actuation;
  readonly experiment: string | null;
  /** A person came for it. */
  readonly isChosen: boolean;
}

/** A run of a pump is a dose of the timeline, or a part of one; the timeline finds the dose. */
const isOnTimeline = ({ output, from, experiment }: Actuation): boolean =>
  from === null && output.endsWith('_pump') && experiment !== clusterExperiment;

function Entry({ actuation, experiment, isChosen }: EntryProps) {
  const { timestamp, output, why, refused } = actuation;
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'center' });
  }, [isChosen]);
  return (
    <li
      ref={element}
      className={styles.entry}
      data-refused={refused !== null || undefined}
      data-chosen={isChosen || undefined}
    >
      <div className={styles.head}>
        <b>{outputText(output)}</b>
        <span>{changeText(actuation)}</span>
        <span className={styles.moment}>
          <MomentToSecond ms={Date.parse(timestamp)} />
        </span>
      </div>
      <div>{reasonText(actuation)}</div>
      {isOnTimeline(actuation) && (
        <Link
          to="/experiments/$experiment/timeline"
          params={{ experiment: actuation.experiment }}
          search={{ entry: entryOfPump(actuation.reactor_unit), at: timestamp }}
          className="page-link"
        >
          {unitsWords.showInTimeline}
        </Link>
      )}
      <details className={styles.details}>
        <summary>{commonWords.details}</summary>
        <code className={styles.why}>{why}</code>
      </details>
      {actuation.experiment !== experiment && (
        <div className={styles.moment}>{unitsWords.inExperiment(actuation.experiment)}</div>
      )}
    </li>
  );
}

interface ActuationListProps extends Omit<UnitActuationsProps, 'onClose'> {
  /** The moment that a person came for; `null` and absent: the newest are shown. */
  readonly shownAt?: number | null;
  readonly onNewest?: () => void;
}

/** The latest actuations of a unit, each with its reason. */
export function ActuationList({ unit, unitName, experiment, shownAt = null, onNewest }: ActuationListProps) {
  const [output, setOutput] = useState<ActuatedOutput | null>(null);
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActuations(
    unit,
    output,
    shownAt === null ? null : shownAt + afterShownMs,
  );
  const entries = (data?.pages ?? []).flatMap(({ actuations }) => actuations);
  const chosen = entries.find(({ timestamp, from }) => Date.parse(timestamp) === shownAt && from === null);
  return (
    <Stack gap="sm">
      <Select
        size="xs"
        label={unitsWords.output}
        data={choices}
        value={output ?? all}
        allowDeselect={false}
        onChange={(chosen) => setOutput(outputChoices.find(({ value }) => value === chosen)?.value ?? null)}
        comboboxProps={{ withinPortal: false }}
      />
      {shownAt !== null && (
        <Button variant="default" size="xs" w="fit-content" onClick={onNewest}>
          {unitsWords.newestActuations}
        </Button>
      )}
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={160} role="status" aria-label={unitsWords.loading} />}
      {data && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {unitsWords.noActuationsYet}
        </Text>
      )}
      {entries.length > 0 && (
        <ul className={styles.entries} aria-label={unitsWords.historyOf(unitName)}>
          {entries.map((actuation, index) => (
            <Entry
              // biome-ignore lint/suspicious/noArrayIndexKey: an actuation has no id, and several share a moment
              key={`${actuation.timestamp} ${actuation.output} ${index}`}
              actuation={actuation}
              experiment={experiment}
              isChosen={actuation === chosen}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {unitsWords.olderActuations}
        </Button>
      )}
    </Stack>
  );
}

/** The history of pumps, heater and light of a unit over the page. */
export const UnitActuations = ({ onClose, ...list }: UnitActuationsProps) => (
  <Dialog title={commonWords.whyHistoryOf(list.unitName)} isOpen onClose={onClose} size="lg">
    <ActuationList {...list} />
  </Dialog>
);
