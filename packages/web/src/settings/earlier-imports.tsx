import { Button, Skeleton, Table, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import { ImportReportView } from './import-report.tsx';

/** The list has each import soon after its end. */
const pollMs = 15_000;

const outcomeText = (isDryRun: boolean, isVerified: boolean | null): string => {
  if (isDryRun) return commonWords.plan;
  return isVerified === true ? settingsWords.complete : settingsWords.notComplete;
};

/** Reports of plans and imports that have ended. */
export function EarlierImports() {
  const { leader } = useServices();
  const [shown, setShown] = useState<string>();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.imports,
    queryFn: ({ signal }) => leader.listImports({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
  const report = useQuery({
    queryKey: queryKeys.importReport(shown ?? ''),
    queryFn:
      shown === undefined ? skipToken : ({ signal }) => leader.getImport({ params: { import_id: shown }, signal }),
  });
  return (
    <Panel title={settingsWords.earlierImportsAndPlans}>
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={60} role="status" aria-label={settingsWords.loadingImports} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {settingsWords.nothingWasImportedYet}
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Table aria-label={settingsWords.imports}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{commonWords.ended}</Table.Th>
                <Table.Th>{commonWords.outcome}</Table.Th>
                <Table.Th>{commonWords.source}</Table.Th>
                <Table.Th>{settingsWords.report}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ import_id, ended_at, is_dry_run, is_verified, source }) => (
                <Table.Tr key={import_id}>
                  <Table.Td>
                    <Moment ms={Date.parse(ended_at)} />
                  </Table.Td>
                  <Table.Td>{outcomeText(is_dry_run, is_verified)}</Table.Td>
                  <Table.Td translate="no">{source}</Table.Td>
                  <Table.Td>
                    <Button size="compact-sm" variant="default" onClick={() => setShown(import_id)}>
                      {settingsWords.show}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {shown !== undefined && (
        <Dialog title={settingsWords.reportOfImport} isOpen onClose={() => setShown(undefined)} size="lg">
          {report.error && <ProblemAlert error={report.error} />}
          {report.data === undefined && !report.error && (
            <Skeleton height={160} role="status" aria-label={settingsWords.loadingReport} />
          )}
          {report.data !== undefined && <ImportReportView report={report.data} />}
        </Dialog>
      )}
    </Panel>
  );
}
