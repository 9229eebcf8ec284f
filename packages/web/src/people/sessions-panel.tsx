import type { SignedInSession } from '@lcs/contract';
import { Button, Skeleton, Table, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';

interface SessionTableProps {
  readonly sessions: readonly SignedInSession[];
  readonly onEnd: (sessionId: string) => void;
}

const SessionTable = ({ sessions, onEnd }: SessionTableProps) => (
  <Table.ScrollContainer minWidth={520}>
    <Table aria-label={peopleWords.sessions}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{commonWords.person}</Table.Th>
          <Table.Th>{peopleWords.signedIn}</Table.Th>
          <Table.Th>{peopleWords.lastUsed}</Table.Th>
          <Table.Th>{commonWords.from}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{commonWords.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map(({ session_id: id, person, tablet, created_at, last_seen_at, address, is_current }) => (
          <Table.Tr key={id}>
            <Table.Td>{tablet === null ? person : peopleWords.sharedTabletSetUpBy(tablet, person)}</Table.Td>
            <Table.Td>
              <Moment ms={Date.parse(created_at)} />
            </Table.Td>
            <Table.Td>{is_current ? peopleWords.thisSession : <Moment ms={Date.parse(last_seen_at)} />}</Table.Td>
            <Table.Td>{address}</Table.Td>
            <Table.Td>
              {!is_current && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => onEnd(id)}
                  aria-label={peopleWords.endSessionOfFrom(
                    tablet === null ? person : peopleWords.tablet(tablet),
                    address,
                  )}
                >
                  {peopleWords.end}
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
    <Panel title={peopleWords.sessions}>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {end.error && <ProblemAlert error={end.error} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label={peopleWords.loadingSessions} />}
      {data && <SessionTable sessions={data} onEnd={(id) => end.mutate(id)} />}
    </Panel>
  );
}
