import type { Alarm } from '@lcs/contract';
import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { Elapsed, Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AlarmActionDialog } from './alarm-action-dialog.tsx';
import { actionLabels, isWaiting, severityLabels, stateLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { useAlarm } from './use-alarms.ts';

function History({ alarmId }: { readonly alarmId: string }) {
  const { data, error, refetch, isFetching } = useAlarm(alarmId);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton height={40} mt="xs" role="status" aria-label="Loading the history" />;
  return (
    <ol className={styles.history} aria-label="History">
      {data.history.map(({ timestamp, what, by, comment, until }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
        <li key={index}>
          <Moment ms={Date.parse(timestamp)} /> {actionLabels[what]}
          {by !== null && ` by ${by}`}
          {until !== null && (
            <>
              {' until '}
              <Moment ms={Date.parse(until)} />
            </>
          )}
          {comment !== null && `: ${comment}`}
        </li>
      ))}
    </ol>
  );
}

/** One alarm: what it is, how it stands, and what can be done about it. */
export function AlarmCard({ alarm }: { readonly alarm: Alarm }) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const [deed, setDeed] = useState<'acknowledge' | 'shelve'>('acknowledge');
  const [isAsking, setIsAsking] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const unshelve = useMutation({
    mutationFn: () => leader.unshelveAlarm({ params: { alarm_id: alarm.alarm_id }, body: {} }),
    onSuccess: (changed) => applyLiveEvent(cache, 'alarm', changed, clock.now()),
  });
  const ask = (what: 'acknowledge' | 'shelve'): void => {
    setDeed(what);
    setIsAsking(true);
  };
  const { severity, state, title, message, reactor_unit, experiment, since, occurrences, acknowledged_by, comment } =
    alarm;
  const where = [reactor_unit, experiment].filter((each) => each !== null).join(', ');
  const about = where === '' ? title : `${title}, ${where}`;
  return (
    <li
      className={styles.alarm}
      data-severity={severity}
      data-alarm={alarm.alarm_id}
      {...(isWaiting(alarm) ? {} : { 'data-quiet': true })}
    >
      <div className={styles.head}>
        <h3 className={styles.title}>{title}</h3>
        <div className={styles.actions}>
          {isWaiting(alarm) && (
            <Button size="xs" onClick={() => ask('acknowledge')} aria-label={`Acknowledge ${about}`}>
              Acknowledge
            </Button>
          )}
          {state === 'shelved' && (
            <Button size="xs" variant="default" loading={unshelve.isPending} onClick={() => unshelve.mutate()}>
              Take from the shelf
            </Button>
          )}
          {state !== 'shelved' && state !== 'cleared' && (
            <Button size="xs" variant="default" onClick={() => ask('shelve')} aria-label={`Shelve ${about}`}>
              Shelve
            </Button>
          )}
          <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            History
          </Button>
        </div>
      </div>
      <p className={styles.message}>{message}</p>
      <div className={styles.facts}>
        <span>{severityLabels[severity]}</span>
        <span>{stateLabels[state]}</span>
        {where !== '' && <span>{where}</span>}
        <span>
          <Moment ms={Date.parse(since)} />
          {state !== 'cleared' && (
            <>
              {' ('}
              <Elapsed sinceMs={Date.parse(since)} />
              {' ago)'}
            </>
          )}
        </span>
        {occurrences > 1 && <span>{occurrences} times</span>}
        {acknowledged_by !== null && <span>by {acknowledged_by}</span>}
        {comment !== null && <span>“{comment}”</span>}
      </div>
      {unshelve.error && <ProblemAlert error={unshelve.error} />}
      {isOpen && <History alarmId={alarm.alarm_id} />}
      <AlarmActionDialog alarm={alarm} deed={deed} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </li>
  );
}
