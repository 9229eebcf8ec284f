import { leaderApi } from '@lcs/contract';
import { Anchor, Button, EmptyState, Group, Skeleton, Stack, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAllCalibrations, useWorkers } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { CurveIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { BlankDialog } from './blank-dialog.tsx';
import { ComparedCurves } from './compared-curves.tsx';
import { MatrixTable } from './matrix-table.tsx';
import { OpenSessionsList } from './open-sessions-list.tsx';
import { useBlanksInUse } from './use-calibrations.ts';
import { useOpenSessions } from './use-open-sessions.ts';

const route = getRouteApi('/calibrations');
const naturally = new Intl.Collator('en', { numeric: true });

const NoUnits = () => (
  <EmptyState
    py={48}
    icon={<CurveIcon size={40} />}
    title={<h2 className="empty-title">{calibrationsWords.thereAreNoUnitsYet}</h2>}
    description={calibrationsWords.noUnitsHelp}
  >
    <EmptyState.Actions>
      <Anchor renderRoot={(props) => <Link to="/units" {...props} />}>{commonWords.addUnit}</Anchor>
    </EmptyState.Actions>
  </EmptyState>
);

/** The calibrations of all units at a glance; each cell leads to the procedures of its unit. */
export function CalibrationsPage() {
  const { curves } = route.useSearch();
  const workers = useWorkers();
  const all = useAllCalibrations();
  const blanks = useBlanksInUse();
  const open = useOpenSessions();
  const [isBlanking, setBlanking] = useState(false);
  const may = useMay();
  const units = useMemo(
    () => (workers.data ?? []).map(({ reactor_unit }) => reactor_unit).sort(naturally.compare),
    [workers.data],
  );
  const error = workers.error ?? all.error;
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.calibrations)}</title>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {commonWords.calibrations}
        </Title>
        {units.length > 0 && (
          <Button variant="default" onClick={() => setBlanking(true)} {...may(leaderApi.runWorkerJob)}>
            {calibrationsWords.measureBlanksDialog}
          </Button>
        )}
      </Group>
      {error && <ProblemAlert error={error} onRetry={() => void Promise.all([workers.refetch(), all.refetch()])} />}
      <OpenSessionsList sessions={open} />
      {!error && (workers.isPending || all.isPending) && <Skeleton height={240} />}
      {workers.data && units.length === 0 && <NoUnits />}
      {units.length > 0 && all.data && (
        <MatrixTable units={units} summaries={all.data} blanks={blanks.data} open={open} />
      )}
      {curves !== undefined && <ComparedCurves key={curves} device={curves} />}
      <BlankDialog units={units} isOpen={isBlanking} onClose={() => setBlanking(false)} />
    </Stack>
  );
}
