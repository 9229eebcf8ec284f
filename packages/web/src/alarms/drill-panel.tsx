import { AlarmDrillResult, leaderApi, taskResult } from '@lcs/contract';
import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';

const taskTimeoutMs = 120_000;

/** Sends a test alarm and shows the result of each step. */
export function DrillPanel() {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const drill = useMutation({
    mutationFn: async () => {
      const accepted = await leader.drillAlarms({ body: {} });
      return taskResult(await followTask(clock, accepted, taskTimeoutMs), AlarmDrillResult);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.alarmChannels }),
  });
  return (
    <Panel
      title={alarmsWords.testAlarm}
      aside={
        <Button
          size="xs"
          variant="default"
          loading={drill.isPending}
          onClick={() => drill.mutate()}
          {...may(leaderApi.drillAlarms)}
        >
          {alarmsWords.sendTestAlarm}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {alarmsWords.drillHelp}
      </Text>
      {drill.error && <ProblemAlert error={drill.error} />}
      {drill.data && (
        <div role="status">
          <ul aria-label={alarmsWords.resultOfTestAlarm}>
            <li>{drill.data.recorded ? alarmsWords.recordedOnDisk : alarmsWords.notRecorded}</li>
            <li>{drill.data.shown_live ? alarmsWords.shownLive : alarmsWords.notShownLive}</li>
            {drill.data.channels.map(({ channel_id, channel, delivered, error }) => (
              <li key={channel_id} {...(delivered ? {} : { className: 'danger' })}>
                {channel}: {delivered ? alarmsWords.delivered : alarmsWords.notDeliveredInline(error ?? '')}
              </li>
            ))}
            {drill.data.channels.length === 0 && <li>{alarmsWords.nobodyWasNotified}</li>}
          </ul>
        </div>
      )}
    </Panel>
  );
}
