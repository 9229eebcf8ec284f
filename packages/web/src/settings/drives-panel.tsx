import { leaderApi, UsbStatus } from '@lcs/contract';
import { Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { followTask } from '../tasks/follow-task.ts';
import { answerOf } from '../tasks/unit-answers.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { sizeText } from '../ui/size-text.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';

const taskTimeoutMs = 15_000;

/** The USB drives of the computer of the leader. */
export function DrivesPanel({ leaderName }: { readonly leaderName: string }) {
  const { leader, clock } = useServices();
  const refused = useMay()(leaderApi.getUnitUsb);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: queryKeys.drives(leaderName),
    queryFn: async ({ signal }) => {
      const accepted = await leader.getUnitUsb({ params: { reactor_unit: leaderName }, signal });
      return answerOf(await followTask(clock, accepted, taskTimeoutMs, signal), leaderName, UsbStatus);
    },
    enabled: !refused.disabled,
    staleTime: 0,
  });
  if (refused.disabled) return null;
  return (
    <Panel title={settingsWords.drives}>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      {data === undefined && !error && <Skeleton height={40} role="status" aria-label={settingsWords.loadingDrives} />}
      {data?.partitions.length === 0 && <Text size="sm">{settingsWords.noDrives}</Text>}
      {data !== undefined && data.partitions.length > 0 && (
        <Table aria-label={settingsWords.drives}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{commonWords.name}</Table.Th>
              <Table.Th>{settingsWords.driveSize}</Table.Th>
              <Table.Th>{settingsWords.driveState}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.partitions.map((drive) => (
              <Table.Tr key={drive.device}>
                <Table.Td translate="no">{drive.display_name}</Table.Td>
                <Table.Td>{sizeText(drive.size_bytes)}</Table.Td>
                <Table.Td>
                  {drive.mounted
                    ? settingsWords.driveMounted(drive.free_bytes === undefined ? null : sizeText(drive.free_bytes))
                    : settingsWords.driveNotMounted}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
