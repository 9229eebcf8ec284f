import { leaderApi } from '@lcs/contract';
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { auditWords } from '../words/audit.ts';
import { commonWords } from '../words/common.ts';
import { AuditTable } from './audit-table.tsx';

const shownEntries = 20;

/** The newest entries of the audit that concern an experiment, for whoever may read the audit. */
export function ExperimentAudit({ experiment }: { readonly experiment: string }) {
  const { leader } = useServices();
  const { disabled } = useMay()(leaderApi.listAudit);
  const query = { experiment, limit: shownEntries };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...queryKeys.audit, query],
    queryFn: ({ signal }) => leader.listAudit({ query, signal }),
    enabled: !disabled,
    staleTime: 0,
  });
  if (disabled) return null;
  return (
    <Panel title={commonWords.audit} foldsOnPhone>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label={auditWords.loadingAudit} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {auditWords.noEntryConcernsThisExperiment}
        </Text>
      )}
      {data && data.length > 0 && <AuditTable entries={data} />}
      {data?.length === shownEntries && (
        <Text size="sm" c="dimmed">
          {auditWords.theseAreNewestEntries(shownEntries)}
        </Text>
      )}
    </Panel>
  );
}
