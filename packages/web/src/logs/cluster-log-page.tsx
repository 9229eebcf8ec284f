import { Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { broadcast } from '../api/broadcast.ts';
import { useWorkers } from '../services/queries.ts';
import { commonWords } from '../words/common.ts';
import { logsWords } from '../words/logs.ts';
import { EventLog } from './event-log.tsx';

const route = getRouteApi('/settings/log');

const ownName = (unit: string): string => (unit === broadcast ? commonWords.allUnits : unit);

/** The log of all units in all experiments, and of the leader. */
export function ClusterLogPage() {
  const { unit, at } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: workers = [] } = useWorkers();
  return (
    <Stack>
      <title>{commonWords.pageTitle(logsWords.clusterLog)}</title>
      <Title order={1} size="h2">
        {logsWords.clusterLog}
      </Title>
      <EventLog
        key={unit ?? ''}
        experiment={null}
        {...(unit !== undefined && { firstUnit: unit })}
        units={workers.map(({ reactor_unit }) => reactor_unit)}
        nameOf={ownName}
        untilMs={at === undefined ? null : Date.parse(at)}
        onGoTo={(ms) =>
          void navigate({
            to: '/settings/log',
            search: {
              ...(unit !== undefined && { unit }),
              at: ms === null ? undefined : new Date(ms).toISOString(),
            },
            replace: true,
          })
        }
      />
    </Stack>
  );
}
