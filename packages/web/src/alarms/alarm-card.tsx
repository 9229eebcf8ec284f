import { type Alarm, leaderApi } from '@lcs/contract';
import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { forPeople } from '../api/plain-words.ts';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { Elapsed, Moment } from '../ui/moments.tsx';
import { personText } from '../ui/people.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { AlarmActionDialog, type OperatorAction } from './alarm-action-dialog.tsx';
import { actionLabels, severityLabels, stateLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { isUnacknowledged } from './unacknowledged.ts';
import { useAlarm } from './use-alarms.ts';

function History({ alarmId }: { readonly alarmId: string }) {
  const { data, error, refetch, isFetching } = useAlarm(alarmId);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton height={40} mt="xs" role="status" aria-label={commonWords.loadingHistory} />;
  return (
    <ol className={styles.history} aria-label={alarmsWords.history}>
      {data.history.map(({ timestamp, what, by, comment, until }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
        <li key={index}>
          <Moment ms={Date.parse(timestamp)} /> {actionLabels[what]}
          {by !== null && commonWords.byPersonAfter(personText(by))}
          {until !== null && <> {alarmsWords.until(<Moment ms={Date.parse(until)} />)}</>}
          {comment !== null && `: ${comment}`}
        </li>
      ))}
    </ol>
  );
}

interface AlarmButtonsProps {
  readonly alarm: Alarm;
  /** The title, with the unit and the experiment. */
  readonly about: string;
  readonly isHistoryOpen: boolean;
  readonly isUnshelving: boolean;
  readonly onAsk: (action: OperatorAction) => void;
  readonly onUnshelve: () => void;
  readonly onHistory: () => void;
}

/** What a person can do with an alarm in its present state. */
function AlarmButtons(props: AlarmButtonsProps) {
  const { alarm, about, isHistoryOpen, isUnshelving, onAsk, onUnshelve, onHistory } = props;
  const { state } = alarm;
  const may = useMay();
  return (
    <div className={styles.actions}>
      {isUnacknowledged(alarm) && (
        <Button
          size="xs"
          onClick={() => onAsk('acknowledge')}
          aria-label={alarmsWords.acknowledgeNamed(about)}
          {...may(leaderApi.acknowledgeAlarm)}
        >
          {alarmsWords.acknowledge}
        </Button>
      )}
      {state === 'shelved' && (
        <Button
          size="xs"
          variant="default"
          loading={isUnshelving}
          onClick={onUnshelve}
          {...may(leaderApi.unshelveAlarm)}
        >
          {alarmsWords.unmute}
        </Button>
      )}
      {state !== 'shelved' && state !== 'cleared' && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onAsk('shelve')}
          aria-label={alarmsWords.muteNamed(about)}
          {...may(leaderApi.shelveAlarm)}
        >
          {alarmsWords.muteDialog}
        </Button>
      )}
      <Button size="xs" variant="subtle" aria-expanded={isHistoryOpen} onClick={onHistory}>
        {alarmsWords.history}
      </Button>
    </div>
  );
}

/** Until when, by whom and why an alarm is muted. */
function Muting({ alarmId, until }: { readonly alarmId: string; readonly until: string }) {
  const muted = useAlarm(alarmId).data?.history.findLast(({ what }) => what === 'shelved');
  return (
    <>
      <span>
        {alarmsWords.mutedUntil(<Moment ms={Date.parse(until)} />)}
        {muted !== undefined && muted.by !== null && commonWords.byPersonAfter(personText(muted.by))}
      </span>
      {muted !== undefined && muted.comment !== null && <span>“{muted.comment}”</span>}
    </>
  );
}

function AlarmFacts({ alarm, where }: { readonly alarm: Alarm; readonly where: string }) {
  const { severity, state, since, occurrences, acknowledged_by, acknowledged_at, comment, shelved_until } = alarm;
  const sinceMs = Date.parse(since);
  return (
    <div className={styles.facts}>
      <span>{severityLabels[severity]}</span>
      <span>{stateLabels[state]}</span>
      {where !== '' && <span>{where}</span>}
      <span>
        <Moment ms={sinceMs} />
        {state !== 'cleared' && <> {alarmsWords.sinceAgo(<Elapsed sinceMs={sinceMs} />)}</>}
      </span>
      {occurrences > 1 && <span>{alarmsWords.occurrences(occurrences)}</span>}
      {acknowledged_by !== null && (
        <span>
          {commonWords.byPerson(personText(acknowledged_by))}
          {acknowledged_at !== null && (
            <>
              {', '}
              <Moment ms={Date.parse(acknowledged_at)} />
            </>
          )}
        </span>
      )}
      {comment !== null && <span>“{comment}”</span>}
      {shelved_until !== null && <Muting alarmId={alarm.alarm_id} until={shelved_until} />}
    </div>
  );
}

interface AlarmCardProps {
  readonly alarm: Alarm;
  readonly isChosen?: boolean;
  /** Absent: it cannot be selected. */
  readonly onChoose?: (isChosen: boolean) => void;
  /** The latest value of what the alarm is about, beside the one of its raise. */
  readonly latest?: ReactNode;
}

/** One alarm with its state and history, and the actions on it. */
export function AlarmCard({ alarm, isChosen = false, onChoose, latest }: AlarmCardProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const [action, setAction] = useState<OperatorAction>('acknowledge');
  const [isAsking, setIsAsking] = useState(false);
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const unshelve = useMutation({
    mutationFn: () => leader.unshelveAlarm({ params: { alarm_id: alarm.alarm_id }, body: {} }),
    onSuccess: (changed) => applyLiveEvent(cache, 'alarm', changed, clock.now()),
  });
  const { alarm_id, severity, title, message, reactor_unit, experiment } = alarm;
  const where = [reactor_unit, experiment].filter((each) => each !== null).join(', ');
  // The message names its unit mostly.
  const unsaid = [reactor_unit, experiment].filter((each) => each !== null && !message.includes(each)).join(', ');
  const about = where === '' ? title : `${title}, ${where}`;
  return (
    <li
      className={styles.alarm}
      data-severity={severity}
      data-alarm={alarm_id}
      {...(isUnacknowledged(alarm) ? {} : { 'data-quiet': true })}
    >
      <div className={styles.head}>
        <div className={styles.naming}>
          {onChoose && (
            <Checkbox
              checked={isChosen}
              aria-label={commonWords.selectNamed(about)}
              onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
            />
          )}
          <h2 className={styles.title}>{title}</h2>
        </div>
        <AlarmButtons
          alarm={alarm}
          about={about}
          isHistoryOpen={isHistoryOpen}
          isUnshelving={unshelve.isPending}
          onAsk={(asked) => {
            setAction(asked);
            setIsAsking(true);
          }}
          onUnshelve={() => unshelve.mutate()}
          onHistory={() => setIsHistoryOpen(!isHistoryOpen)}
        />
      </div>
      <p className={styles.message}>
        {forPeople(message)}
        {latest}
      </p>
      <AlarmFacts alarm={alarm} where={unsaid} />
      {unshelve.error && <ProblemAlert error={unshelve.error} />}
      {isHistoryOpen && <History alarmId={alarm_id} />}
      <AlarmActionDialog alarm={alarm} action={action} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </li>
  );
}
