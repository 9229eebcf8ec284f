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
      title="Test alarm"
      aside={
        <Button
          size="xs"
          variant="default"
          loading={drill.isPending}
          onClick={() => drill.mutate()}
          {...may(leaderApi.drillAlarms)}
        >
          Send test alarm
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Raises a test alarm, sends it to all enabled notifications, and clears it. The event log records it.
      </Text>
      {drill.error && <ProblemAlert error={drill.error} />}
      {drill.data && (
        <div role="status">
          <ul aria-label="Result of the test alarm">
            <li>{drill.data.recorded ? 'Recorded on disk.' : 'Not recorded.'}</li>
            <li>{drill.data.shown_live ? 'Shown live.' : 'Not shown live.'}</li>
            {drill.data.channels.map(({ channel_id, channel, delivered, error }) => (
              <li key={channel_id} {...(delivered ? {} : { className: 'danger' })}>
                {channel}: {delivered ? 'delivered.' : `not delivered. ${error ?? ''}`}
              </li>
            ))}
            {drill.data.channels.length === 0 && <li>Nobody was notified: there is no enabled notification.</li>}
          </ul>
        </div>
      )}
    </Panel>
  );
}
