import { type AlarmChannel, AlarmChannelResult, leaderApi, taskResult } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { severityLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { ChannelForm } from './channel-form.tsx';
import { DrillPanel } from './drill-panel.tsx';
import { useAlarmChannels } from './use-alarms.ts';

const kindLabels = alarmsWords.kindLabels;
const taskTimeoutMs = 60_000;

function aboutOf({ kind, min_severity, remind_hours, every_minutes, to, url }: AlarmChannel): readonly string[] {
  if (kind === 'ping') return [alarmsWords.everyMinNamed(every_minutes), url ?? ''];
  const remind = remind_hours > 0 ? [alarmsWords.repeatsEveryH(remind_hours)] : [];
  return [
    alarmsWords.andWorse(severityLabels[min_severity]),
    ...remind,
    kind === 'email' ? to.join(', ') : (url ?? ''),
  ];
}

/** The result of the test of a channel. */
function TestOutcome({ result }: { readonly result: AlarmChannelResult }) {
  return (
    <Text size="sm" role="status">
      {result.delivered
        ? alarmsWords.testWasDeliveredInMs(result.took_ms)
        : alarmsWords.notDelivered(result.error ?? '')}
    </Text>
  );
}

/** When a channel has delivered and failed last. */
function Deliveries({ channel }: { readonly channel: AlarmChannel }) {
  const { waiting, last_error, last_error_at, last_success_at } = channel;
  return (
    <>
      {waiting > 0 && <span>{alarmsWords.countWaiting(waiting)}</span>}
      {last_success_at !== null && <span>{alarmsWords.deliveredAt(<Moment ms={Date.parse(last_success_at)} />)}</span>}
      {last_error_at !== null && hasFailed(channel) && (
        <span className="danger">{alarmsWords.failedAt(<Moment ms={Date.parse(last_error_at)} />, last_error)}</span>
      )}
    </>
  );
}

/** Whether the last delivery failed. */
const hasFailed = ({ last_error_at, last_success_at }: AlarmChannel): boolean =>
  last_error_at !== null && (last_success_at === null || last_success_at < last_error_at);

/** Tests and removes a channel. */
function useChannelCommands({ channel_id }: AlarmChannel) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const params = { channel_id };
  const refresh = () => cache.invalidateQueries({ queryKey: queryKeys.alarmChannels });
  const test = useMutation({
    mutationFn: async () => {
      const task = await followTask(clock, await leader.testAlarmChannel({ params }), taskTimeoutMs);
      return taskResult(task, AlarmChannelResult);
    },
    onSettled: refresh,
  });
  const remove = useMutation({ mutationFn: () => leader.deleteAlarmChannel({ params }), onSuccess: refresh });
  return { test, remove };
}

function Channel({ channel }: { readonly channel: AlarmChannel }) {
  const { test, remove } = useChannelCommands(channel);
  const [isChanging, setIsChanging] = useState(false);
  const may = useMay();
  const { name, kind, is_enabled } = channel;
  return (
    <li className={styles.alarm} data-channel={name} {...(hasFailed(channel) ? { 'data-severity': 'error' } : {})}>
      <div className={styles.head}>
        <h2 className={styles.title}>{name}</h2>
        <div className={styles.actions}>
          <Button
            size="xs"
            loading={test.isPending}
            onClick={() => test.mutate()}
            aria-label={alarmsWords.sendTestTo(name)}
            {...may(leaderApi.testAlarmChannel)}
          >
            {alarmsWords.sendTest}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => setIsChanging(true)}
            aria-label={alarmsWords.changeNamed(name)}
            {...may(leaderApi.updateAlarmChannel)}
          >
            {commonWords.change}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
            aria-label={commonWords.removeNamed(name)}
            {...may(leaderApi.deleteAlarmChannel)}
          >
            {commonWords.remove}
          </Button>
        </div>
      </div>
      <div className={styles.facts}>
        <span>{kindLabels[kind]}</span>
        {!is_enabled && <span>{commonWords.off}</span>}
        {aboutOf(channel).map((each) => (
          <span key={each}>{each}</span>
        ))}
        <Deliveries channel={channel} />
      </div>
      {test.data && <TestOutcome result={test.data} />}
      {test.error && <ProblemAlert error={test.error} />}
      {remove.error && <ProblemAlert error={remove.error} />}
      {isChanging && <ChannelForm channel={channel} isOpen onClose={() => setIsChanging(false)} />}
    </li>
  );
}

/** The channels that alarms are sent to. */
export function AlarmChannels() {
  const channels = useAlarmChannels();
  const [isAdding, setIsAdding] = useState(false);
  const may = useMay();
  return (
    <>
      <Panel
        title={commonWords.notifications}
        aside={
          <Button size="xs" onClick={() => setIsAdding(true)} {...may(leaderApi.createAlarmChannel)}>
            {alarmsWords.addNotification}
          </Button>
        }
      >
        {channels.error && !channels.data && <ProblemAlert error={channels.error} onRetry={() => channels.refetch()} />}
        {channels.isPending && !channels.error && (
          <Skeleton height={90} role="status" aria-label={alarmsWords.loadingNotifications} />
        )}
        {channels.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {alarmsWords.nobodyNotifiedYet}
          </Text>
        )}
        {channels.data !== undefined && channels.data.length > 0 && (
          <ul className={styles.list} aria-label={commonWords.notifications}>
            {channels.data.map((channel) => (
              <Channel key={channel.channel_id} channel={channel} />
            ))}
          </ul>
        )}
        {isAdding && <ChannelForm isOpen onClose={() => setIsAdding(false)} />}
      </Panel>
      <DrillPanel />
    </>
  );
}
