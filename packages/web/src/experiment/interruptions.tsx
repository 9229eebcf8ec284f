import type { Interruption } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { mostInterruptions, useInterruptions } from '../services/queries.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './interruptions.module.css';

interface InterruptionsProps {
  readonly experiment: string;
  readonly nameOf: (unit: string) => string;
}

const shownAtFirst = 20;

const kindTexts: { readonly [Kind in Interruption['kind']]: string } = {
  unit_off: 'Off',
  unit_stopped: 'Stopped',
  records_lost: 'Records missing',
};

/** The beginning, the end and the duration; only the end if the beginning is not known. */
function When({ from, to }: Pick<Interruption, 'from' | 'to'>) {
  const toMs = Date.parse(to);
  if (from === null)
    return (
      <>
        until <Moment ms={toMs} />
      </>
    );
  const fromMs = Date.parse(from);
  return (
    <>
      <Moment ms={fromMs} /> – <Moment ms={toMs} />{' '}
      <span className={styles.long}>({toMs < fromMs ? 'its clock was wrong' : elapsedText(toMs - fromMs)})</span>
    </>
  );
}

/** When units were off or lost records, and which jobs resumed. */
export function Interruptions({ experiment, nameOf }: InterruptionsProps) {
  const { data, error, refetch, isFetching } = useInterruptions(experiment);
  const [isAll, setAll] = useState(false);
  const shown = isAll ? data : data?.slice(0, shownAtFirst);
  const rest = (data?.length ?? 0) - (shown?.length ?? 0);
  return (
    <Panel title="Interruptions">
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={40} role="status" aria-label="Loading the interruptions" />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          None: no unit was off, and no record is missing.
        </Text>
      )}
      {shown && shown.length > 0 && (
        <ul className={styles.list} aria-label="What happened while power was off">
          {shown.map(({ reactor_unit, kind, from, to, message }, index) => (
            // Two gaps of one unit may end at one moment.
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and their order is their time
            <li key={`${reactor_unit} ${kind} ${to} ${index}`} className={styles.row} data-kind={kind}>
              <span className={styles.kind}>{kindTexts[kind]}</span>
              <span className={styles.unit}>{nameOf(reactor_unit)}</span>
              <span className={styles.when}>
                <When from={from} to={to} />
              </span>
              <span className={styles.message}>{message}</span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Button size="xs" variant="default" mt={8} onClick={() => setAll(true)}>
          Show {rest} more
        </Button>
      )}
      {isAll && data?.length === mostInterruptions && (
        <Text size="sm" c="dimmed" mt={8}>
          Only the newest {mostInterruptions} are listed; the dataset “Gaps” has all.
        </Text>
      )}
    </Panel>
  );
}
