import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AlarmCard } from './alarm-card.tsx';
import { byUrgency } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { useOpenAlarms, usePastAlarms } from './use-alarms.ts';

function PastAlarms() {
  const [isOpen, setIsOpen] = useState(false);
  const past = usePastAlarms(isOpen);
  return (
    <Panel
      title="Earlier alarms"
      aside={
        <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      }
    >
      {isOpen && past.error && <ProblemAlert error={past.error} onRetry={() => past.refetch()} />}
      {isOpen && past.isPending && <Skeleton height={60} role="status" aria-label="Loading earlier alarms" />}
      {isOpen && past.data && past.alarms.length === 0 && (
        <Text size="sm" c="dimmed">
          No earlier alarms.
        </Text>
      )}
      {isOpen && past.alarms.length > 0 && (
        <ol className={styles.list} aria-label="Earlier alarms">
          {past.alarms.map((alarm) => (
            <AlarmCard key={alarm.alarm_id} alarm={alarm} />
          ))}
        </ol>
      )}
      {isOpen && past.hasNextPage && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          loading={past.isFetchingNextPage}
          onClick={() => past.fetchNextPage()}
        >
          More
        </Button>
      )}
    </Panel>
  );
}

/** Open alarms and cleared ones. */
export function AlarmList() {
  const open = useOpenAlarms();
  return (
    <Stack gap="md">
      <Panel title="Now">
        {open.error && !open.data && <ProblemAlert error={open.error} onRetry={() => open.refetch()} />}
        {open.isPending && !open.error && <Skeleton height={90} role="status" aria-label="Loading the alarms" />}
        {open.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            No alarms. An alarm appears here when a unit is offline, a value leaves its range or a job fails, and stays
            until a person acknowledges it. Set up notifications under “Channels”.
          </Text>
        )}
        {open.data !== undefined && open.data.length > 0 && (
          <ol className={styles.list} aria-label="Alarms">
            {byUrgency(open.data).map((alarm) => (
              <AlarmCard key={alarm.alarm_id} alarm={alarm} />
            ))}
          </ol>
        )}
      </Panel>
      <PastAlarms />
    </Stack>
  );
}
