import type { ProfileRun } from '@lcs/contract';
import { Skeleton, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useJobs } from '../services/queries.ts';
import { useDated } from '../services/use-ticking.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { hasFailures, jobOfRun, runStateText } from './run-state.ts';
import { useNewestRuns } from './use-profiles.ts';

/** Runs that are under way, and the newest of those that have ended, in all experiments. */
export function NewestRuns() {
  const { data, error, isPending, isFetching, refetch } = useNewestRuns();
  const jobs = useJobs() ?? [];
  const dated = useDated();
  const stateOf = (run: ProfileRun): string => {
    const state = runStateText(run, jobOfRun(jobs, run)?.state === 'sleeping');
    return run.outcome === null ? dated(state) : state;
  };
  return (
    <Panel title={commonWords.runs}>
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {isPending && <Skeleton height={60} role="status" aria-label={protocolsWords.loadingRuns} />}
      {data?.length === 0 && <Text size="sm">{protocolsWords.noRunsYet}</Text>}
      {data !== undefined && data.length > 0 && (
        <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={protocolsWords.runsOfProfiles}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{protocolsWords.profile}</Table.Th>
                <Table.Th>{commonWords.experiment}</Table.Th>
                <Table.Th>{commonWords.state}</Table.Th>
                <Table.Th>{protocolsWords.started}</Table.Th>
                <Table.Th>{protocolsWords.by}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((run) => (
                <Table.Tr key={run.run_id} data-run={run.run_id}>
                  <Table.Td>
                    <Link
                      to="/experiments/$experiment/profiles/$run"
                      params={{ experiment: run.experiment, run: run.run_id }}
                      className="page-link"
                    >
                      {run.experiment_profile_name}
                    </Link>
                  </Table.Td>
                  <Table.Td>
                    <Link to="/experiments/$experiment" params={{ experiment: run.experiment }} className="page-link">
                      {run.experiment}
                    </Link>
                  </Table.Td>
                  <Table.Td className={hasFailures(run) ? 'warning-text' : ''}>{stateOf(run)}</Table.Td>
                  <Table.Td>
                    <Moment ms={Date.parse(run.started_at)} />
                  </Table.Td>
                  <Table.Td>{run.started_by ?? commonWords.unknownPerson}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}
