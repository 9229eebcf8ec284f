import type { SignedInSession } from '@lcs/contract';
import { Button, Skeleton, Table, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

interface SessionTableProps {
  readonly sessions: readonly SignedInSession[];
  readonly onEnd: (sessionId: string) => void;
}

const SessionTable = ({ sessions, onEnd }: SessionTableProps) => (
  <Table.ScrollContainer minWidth={520}>
    <Table aria-label="Sessions">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th>Signed in</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>From</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map(({ session_id: id, person, tablet, created_at, last_seen_at, address, is_current }) => (
          <Table.Tr key={id}>
            <Table.Td>{tablet === null ? person : `Shared tablet ${tablet}, set up by ${person}`}</Table.Td>
            <Table.Td>
              <Moment ms={Date.parse(created_at)} />
            </Table.Td>
            <Table.Td>{is_current ? 'this session' : <Moment ms={Date.parse(last_seen_at)} />}</Table.Td>
            <Table.Td>{address}</Table.Td>
            <Table.Td>
              {!is_current && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => onEnd(id)}
                  aria-label={`End the session of ${tablet === null ? person : `the tablet ${tablet}`} from ${address}`}
                >
                  End
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** Where people are signed in. */
export function SessionsPanel() {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: ({ signal }) => leader.listSessions({ signal }),
    staleTime: 0,
  });
  const end = useMutation({
    mutationFn: (id: string) => leader.endSession({ params: { session_id: id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
  return (
    <Panel title="Sessions">
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {end.error && <ProblemAlert error={end.error} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label="Loading sessions" />}
      {data && <SessionTable sessions={data} onEnd={(id) => end.mutate(id)} />}
    </Panel>
  );
}
