import { callPath, leaderApi } from '@lcs/contract';
import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { auditWords } from '../words/audit.ts';

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
      title={auditWords.verification}
      aside={
        <Button size="xs" variant="default" loading={isFetching} onClick={() => refetch()}>
          {auditWords.verifyNow}
        </Button>
      }
    >
      <Stack gap="xs">
        {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
        {!data && !error && <Text size="sm">{auditWords.verificationHelp}</Text>}
        {data?.is_intact && (
          <>
            <Text size="sm" role="status">
              {auditWords.entriesNoneChangedOrRemoved(data.entries)}
            </Text>
            <Code block>{data.last_hash}</Code>
          </>
        )}
        {data && !data.is_intact && (
          <Alert color="red" icon={<WarningIcon />} title={auditWords.auditWasManipulated}>
            {auditWords.chainBroken(data.first_wrong, data.entries)}
          </Alert>
        )}
        <Group gap="md">
          <Anchor size="sm" href={callPath(leaderApi.exportAudit, { query: { format: 'csv' } })} download>
            {auditWords.exportAsCsv}
          </Anchor>
          <Anchor size="sm" href={callPath(leaderApi.exportAudit, { query: { format: 'json' } })} download>
            {auditWords.exportAsJsonLines}
          </Anchor>
        </Group>
      </Stack>
    </Panel>
  );
}
