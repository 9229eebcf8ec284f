import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AlarmCard } from './alarm-card.tsx';
import { byUrgency } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { useOpenAlarms, usePastAlarms } from './use-alarms.ts';

function PastAlarms() {
  const [isWanted, setIsWanted] = useState(false);
  const past = usePastAlarms(isWanted);
  return (
    <Panel
      title="Earlier alarms"
      aside={
        <Button size="xs" variant="default" aria-expanded={isWanted} onClick={() => setIsWanted(!isWanted)}>
          {isWanted ? 'Hide' : 'Show'}
        </Button>
      }
    >
      {isWanted && past.error && <ProblemAlert error={past.error} onRetry={() => past.refetch()} />}
      {isWanted && past.isPending && <Skeleton height={60} role="status" aria-label="Loading earlier alarms" />}
      {isWanted && past.data && past.alarms.length === 0 && (
        <Text size="sm" c="dimmed">
          There were none.
        </Text>
      )}
      {isWanted && past.alarms.length > 0 && (
        <ol className={styles.list} aria-label="Earlier alarms">
          {past.alarms.map((alarm) => (
            <AlarmCard key={alarm.alarm_id} alarm={alarm} />
          ))}
        </ol>
      )}
      {isWanted && past.hasNextPage && (
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

/** Open alarms, and past ones. */
export function AlarmList() {
  const open = useOpenAlarms();
  return (
    <Stack gap="md">
      <Panel title="Now">
        {open.error && !open.data && <ProblemAlert error={open.error} onRetry={() => open.refetch()} />}
        {open.isPending && !open.error && <Skeleton height={90} role="status" aria-label="Loading the alarms" />}
        {open.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            No alarms. When a unit is gone, a value leaves its band or a job fails, it stands here until somebody has
            acknowledged it. Under “Channels” you say who is told when nobody looks at this page.
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
