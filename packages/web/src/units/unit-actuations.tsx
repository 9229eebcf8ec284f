import type { ActuatedOutput, Actuation } from '@lcs/contract';
import { Button, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
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

function Entry({ actuation, experiment }: { readonly actuation: Actuation; readonly experiment: string | null }) {
  const { timestamp, output, why, refused } = actuation;
  return (
    <li className={styles.entry} data-refused={refused !== null || undefined}>
      <div className={styles.head}>
        <b>{outputText(output)}</b>
        <span>{changeText(actuation)}</span>
        <span className={styles.moment}>
          <Moment ms={Date.parse(timestamp)} />
        </span>
      </div>
      <div>{reasonText(actuation)}</div>
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

/** The latest actuations of a unit, each with its reason. */
export function ActuationList({ unit, unitName, experiment }: Omit<UnitActuationsProps, 'onClose'>) {
  const [output, setOutput] = useState<ActuatedOutput | null>(null);
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActuations(
    unit,
    output,
  );
  const entries = (data?.pages ?? []).flatMap(({ actuations }) => actuations);
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
