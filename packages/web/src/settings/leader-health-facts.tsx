import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useLastKnown, useLeaderNow } from '../services/use-ticking.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import { healthFacts } from './health-text.ts';
import styles from './leader-page.module.css';

const pollMs = 30_000;

/** What the computer of the leader has left, as large figures. */
export function LeaderHealthFacts() {
  const { leader } = useServices();
  const nowMs = useLeaderNow();
  const lastKnown = useLastKnown();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.leaderHealth,
    queryFn: ({ signal }) => leader.getLeaderHealth({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
  if (!data)
    return error ? (
      <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton height={90} role="status" aria-label={settingsWords.loadingHealthOfLeader} />
    );
  return (
    <>
      <dl className={styles.figures} data-past={lastKnown !== null || undefined}>
        {healthFacts(data, nowMs()).map(({ name, value, detail, isBad }) => (
          <div key={name} className={styles.figure} data-bad={isBad || undefined}>
            <dt>{name}</dt>
            <dd>
              <span className={styles.value}>{value}</span>
              <span className={styles.detail}>{detail}</span>
            </dd>
          </div>
        ))}
      </dl>
      {lastKnown !== null && <p className={styles.past}>{commonWords.lastKnown(lastKnown)}</p>}
    </>
  );
}
