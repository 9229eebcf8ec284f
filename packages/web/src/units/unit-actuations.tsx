import type { ActuatedOutput, Actuation } from '@lcs/contract';
import { Button, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { changeText, outputChoices, outputText } from './actuation-text.ts';
import styles from './unit-actuations.module.css';
import { useActuations } from './use-actuations.ts';

interface UnitActuationsProps {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
  readonly onClose: () => void;
}

const all = 'all';
const choices = [{ value: all, label: 'All outputs' }, ...outputChoices];

function Entry({ actuation, experiment }: { readonly actuation: Actuation; readonly experiment: string }) {
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
      <div>{why}</div>
      {actuation.experiment !== experiment && <div className={styles.moment}>In {actuation.experiment}</div>}
    </li>
  );
}

/** The latest actuations of a unit, each with its reason. */
export function UnitActuations({ unit, unitName, experiment, onClose }: UnitActuationsProps) {
  const [output, setOutput] = useState<ActuatedOutput | null>(null);
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActuations(
    unit,
    output,
  );
  const entries = (data?.pages ?? []).flatMap(({ actuations }) => actuations);
  return (
    <Dialog title={`What ${unitName} did, and why`} isOpen onClose={onClose} size="lg">
      <Stack gap="sm">
        <Select
          size="xs"
          label="Output"
          data={choices}
          value={output ?? all}
          allowDeselect={false}
          onChange={(chosen) => setOutput(outputChoices.find(({ value }) => value === chosen)?.value ?? null)}
          comboboxProps={{ withinPortal: false }}
        />
        {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
        {!data && !error && <Skeleton height={160} role="status" aria-label="Loading" />}
        {data && entries.length === 0 && (
          <Text size="sm" c="dimmed">
            No actuations yet. Changes of heater, stirrer, pumps and LEDs appear here with their reasons.
          </Text>
        )}
        {entries.length > 0 && (
          <ul className={styles.entries} aria-label={`What ${unitName} did`}>
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
            Older actuations
          </Button>
        )}
      </Stack>
    </Dialog>
  );
}
