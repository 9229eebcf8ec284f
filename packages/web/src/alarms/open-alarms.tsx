import { type Alarm, leaderApi } from '@lcs/contract';
import { Button, Checkbox, EmptyState, Group, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LatestProvider, useReadingsOf } from '../latest/use-latest.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { CheckIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { AlarmCard } from './alarm-card.tsx';
import { byUrgency } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { latestOfAlarm } from './latest-of-alarm.ts';
import { isUnacknowledged } from './unacknowledged.ts';
import { useOpenAlarms } from './use-alarms.ts';

/** Acknowledges alarms one after the other: each keeps its own entry in the history and in the audit. */
function useAcknowledgeAll() {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (alarmIds: readonly string[]) => {
      for (const alarm_id of alarmIds)
        applyLiveEvent(cache, 'alarm', await leader.acknowledgeAlarm({ params: { alarm_id }, body: {} }), clock.now());
    },
  });
}

interface SelectionBarProps {
  readonly waiting: readonly Alarm[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Selects and acknowledges several alarms at once. */
function SelectionBar({ waiting, chosen, onChoose }: SelectionBarProps) {
  const acknowledge = useAcknowledgeAll();
  const may = useMay();
  const all = waiting.map(({ alarm_id }) => alarm_id);
  const concerned = chosen.length > 0 ? chosen : all;
  return (
    <>
      <Group gap="md" className={styles.bar ?? ''}>
        <Checkbox
          label={alarmsWords.selectAll}
          checked={chosen.length === all.length}
          indeterminate={chosen.length > 0 && chosen.length < all.length}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked ? all : [])}
        />
        <Button
          variant="default"
          leftSection={<CheckIcon size={16} />}
          loading={acknowledge.isPending}
          onClick={() => acknowledge.mutate(concerned, { onSettled: () => onChoose([]) })}
          {...may(leaderApi.acknowledgeAlarm)}
        >
          {chosen.length > 0 ? alarmsWords.acknowledgeSelected(chosen.length) : alarmsWords.acknowledgeAll(all.length)}
        </Button>
      </Group>
      {acknowledge.error && <ProblemAlert error={acknowledge.error} />}
    </>
  );
}

/** The present value of what the message is about. */
function LatestValue({ alarm }: { readonly alarm: Alarm }) {
  const latest = latestOfAlarm(alarm, useReadingsOf(alarm.reactor_unit ?? ''));
  if (latest === null) return null;
  return (
    <>
      {' '}
      <strong>{alarmsWords.latestEvent(latest.text, <Moment ms={latest.atMs} />)}</strong>
    </>
  );
}

const NoAlarms = () => (
  <EmptyState
    py={48}
    icon={<CheckIcon size={40} />}
    title={<h2 className="empty-title">{alarmsWords.noAlarms}</h2>}
    description={alarmsWords.noAlarmsHelp}
  >
    <EmptyState.Actions>
      <Link to="/alarms/$page" params={{ page: 'notifications' }} className="page-link">
        {alarmsWords.setUpNotifications}
      </Link>
    </EmptyState.Actions>
  </EmptyState>
);

/** All alarms that are not cleared, the most urgent first. */
export function OpenAlarms() {
  const open = useOpenAlarms();
  const [selected, setSelected] = useState<readonly string[]>([]);
  const alarms = byUrgency(open.data ?? []);
  const waiting = alarms.filter(isUnacknowledged);
  // Another person may have acknowledged some meanwhile.
  const chosen = selected.filter((id) => waiting.some(({ alarm_id }) => alarm_id === id));
  return (
    <>
      {open.error && !open.data && <ProblemAlert error={open.error} onRetry={() => open.refetch()} />}
      {open.isPending && !open.error && <Skeleton height={90} role="status" aria-label={alarmsWords.loadingAlarms} />}
      {open.data?.length === 0 && <NoAlarms />}
      {waiting.length > 1 && <SelectionBar waiting={waiting} chosen={chosen} onChoose={setSelected} />}
      {alarms.length > 0 && (
        <LatestProvider>
          <ol className={styles.list} aria-label={commonWords.alarms}>
            {alarms.map((alarm) => (
              <AlarmCard
                key={alarm.alarm_id}
                alarm={alarm}
                latest={<LatestValue alarm={alarm} />}
                {...(waiting.length > 1 &&
                  isUnacknowledged(alarm) && {
                    isChosen: chosen.includes(alarm.alarm_id),
                    onChoose: (isChosen: boolean) =>
                      setSelected(
                        isChosen ? [...chosen, alarm.alarm_id] : chosen.filter((id) => id !== alarm.alarm_id),
                      ),
                  })}
              />
            ))}
          </ol>
        </LatestProvider>
      )}
    </>
  );
}
