import { callPath, leaderApi } from '@lcs/contract';
import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** Whether the chain of the entries is intact. Verification reads all entries: it runs when a person asks for it. */
export function AuditVerificationPanel() {
  const { leader } = useServices();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.auditVerification,
    queryFn: ({ signal }) => leader.verifyAudit({ signal }),
    enabled: false,
  });
  return (
    <Panel
      title="Verification"
      aside={
        <Button size="xs" variant="default" loading={isFetching} onClick={() => refetch()}>
          Verify now
        </Button>
      }
    >
      <Stack gap="xs">
        {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
        {!data && !error && (
          <Text size="sm">Each entry contains the hash of the one before. Verification computes all hashes again.</Text>
        )}
        {data?.is_intact && (
          <>
            <Text size="sm" role="status">
              {data.entries} entries, none changed or removed. Keep the last hash in another place: it detects the
              removal of the newest entries.
            </Text>
            <Code block>{data.last_hash}</Code>
          </>
        )}
        {data && !data.is_intact && (
          <Alert color="red" icon={<WarningIcon />} title="The audit was manipulated">
            Entry {data.first_wrong} does not continue the chain of the {data.entries} entries before it. Compare the
            store with a backup from before.
          </Alert>
        )}
        <Group gap="md">
          <Anchor size="sm" href={callPath(leaderApi.exportAudit, { query: { format: 'csv' } })} download>
            Export as CSV
          </Anchor>
          <Anchor size="sm" href={callPath(leaderApi.exportAudit, { query: { format: 'json' } })} download>
            Export as JSON Lines
          </Anchor>
        </Group>
      </Stack>
    </Panel>
  );
}
