import { AlarmDrillResult, leaderApi, taskResult } from '@lcs/contract';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { followTask } from '../tasks/follow-task.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

const taskTimeoutMs = 120_000;

/** Starts a drill and shows the result of each step. */
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
      title="Drill"
      aside={
        <Button
          size="xs"
          variant="default"
          loading={drill.isPending}
          onClick={() => drill.mutate()}
          {...may(leaderApi.drillAlarms)}
        >
          Start a drill
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Raises a test alarm, sends it through all enabled channels, and clears it. The event log records the drill.
      </Text>
      {drill.error && <ProblemAlert error={drill.error} />}
      {drill.data && (
        <div role="status">
          <ul aria-label="Result of the drill">
            <li>{drill.data.recorded ? 'Recorded on disk.' : 'Not recorded.'}</li>
            <li>{drill.data.shown_live ? 'Shown live.' : 'Not shown live.'}</li>
            {drill.data.channels.map(({ channel_id, channel, delivered, error }) => (
              <li key={channel_id} {...(delivered ? {} : { className: 'danger' })}>
                {channel}: {delivered ? 'delivered.' : `not delivered. ${error ?? ''}`}
              </li>
            ))}
            {drill.data.channels.length === 0 && <li>No channels: no notification was sent.</li>}
          </ul>
        </div>
      )}
    </Panel>
  );
}
