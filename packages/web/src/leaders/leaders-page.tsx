import type { LeaderSummary, OtherLeader } from '@lcs/contract';
import { Anchor, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { leadersWords } from '../words/leaders.ts';
import { startWords } from '../words/start.ts';
import styles from './leaders-page.module.css';

const pollMs = 30_000;

function factsOf(summary: LeaderSummary): readonly (readonly [string, string])[] {
  const { units, units_online, jobs_running, alarms_open, worst_alarm, version } = summary;
  const worst = worst_alarm === null ? null : startWords.severityLabels[worst_alarm];
  return [
    [leadersWords.units, leadersWords.unitsOnline(units_online, units)],
    [leadersWords.jobs, String(jobs_running)],
    [leadersWords.alarms, leadersWords.alarmsOpen(alarms_open, worst)],
    [leadersWords.version, version],
  ];
}

function State({ leader: { state, since } }: { readonly leader: OtherLeader }) {
  if (since === null) return <Text size="sm">{leadersWords.waiting}</Text>;
  return (
    <Text size="sm">
      {state === 'reachable' ? leadersWords.reachableSince : leadersWords.unreachableSince}{' '}
      <Moment ms={Date.parse(since)} />
    </Text>
  );
}

function LeaderCard({ leader }: { readonly leader: OtherLeader }) {
  const { name, url, state, summary } = leader;
  const fault = leader.fault && readable(leader.fault);
  return (
    <Panel
      title={name}
      aside={
        <Anchor href={url} rel="noreferrer" aria-label={leadersWords.openLeader(name)}>
          {leadersWords.open}
        </Anchor>
      }
    >
      <Stack gap="xs" data-leader={name} data-state={state}>
        <State leader={leader} />
        {fault !== null && (
          <div role="note">
            <Text size="sm" fw={600}>
              {fault.error}
            </Text>
            <Text size="sm">{fault.cause}</Text>
            <Text size="sm">{fault.remediation}</Text>
          </div>
        )}
        {summary !== null && fault !== null && (
          <Text size="sm" c="dimmed">
            {leadersWords.lastKnown}
          </Text>
        )}
        {summary !== null && (
          <dl className={styles.facts}>
            {factsOf(summary).map(([what, value]) => (
              <div key={what} className={styles.fact}>
                <dt>{what}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Stack>
    </Panel>
  );
}

/** Several leaders in one view: each keeps the control of its units. */
export function LeadersPage() {
  const { leader } = useServices();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.otherLeaders,
    queryFn: ({ signal }) => leader.listOtherLeaders({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
  return (
    <Stack>
      <title>{commonWords.pageTitle(leadersWords.pageName)}</title>
      <Title order={1} size="h2">
        {leadersWords.pageName}
      </Title>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      {data === undefined && !error && <Skeleton height={120} role="status" aria-label={leadersWords.loading} />}
      {data?.leaders.length === 0 && (
        <Group gap={4}>
          <Text fw={600}>{leadersWords.none}</Text>
          <Text>{leadersWords.howToAdd}</Text>
        </Group>
      )}
      {data !== undefined && data.leaders.length > 0 && (
        <>
          <Text size="sm">{leadersWords.explained}</Text>
          <div className={styles.cards}>
            {data.leaders.map((one) => (
              <LeaderCard key={one.name} leader={one} />
            ))}
          </div>
        </>
      )}
    </Stack>
  );
}
