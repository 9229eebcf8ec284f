import { Anchor, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useAssignments, useWorkers } from '../services/queries.ts';
import { ConcernedExperiment } from '../services/use-may.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CalibrationList } from './calibration-list.tsx';
import type { CalibrationsSearch } from './calibrations-search.ts';
import { ProtocolList } from './protocol-list.tsx';
import { SessionPanel } from './session-panel.tsx';

const route = getRouteApi('/calibrations');

/** Calibrations of the units, and guided sessions that make new ones. */
export function CalibrationsPage() {
  const { unit: requested, session } = route.useSearch();
  const navigate = route.useNavigate();
  const workers = useWorkers();
  const names = (workers.data ?? []).map(({ reactor_unit }) => reactor_unit);
  const unit = requested ?? names[0];
  // The protection of its experiment applies to a unit.
  const { data: assignments = [] } = useAssignments();
  const experiment = assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? undefined;
  const go = (search: CalibrationsSearch): void => void navigate({ to: '/calibrations', search });
  return (
    <Stack>
      <title>Calibrations – Leader Control Service</title>
      <Title order={1} size="h2">
        Calibrations
      </Title>
      {workers.isPending && <Skeleton height={120} />}
      {workers.error && <ProblemAlert error={workers.error} onRetry={() => void workers.refetch()} />}
      {workers.data && names.length === 0 && (
        <Text>
          There are no units yet, so there is nothing to calibrate. Add one on the page{' '}
          <Anchor renderRoot={(props) => <Link to="/units" {...props} />}>Units</Anchor>.
        </Text>
      )}
      {unit !== undefined && workers.data && names.length > 0 && (
        <ConcernedExperiment value={experiment}>
          <Select
            label="Unit"
            maw={320}
            data={names.includes(unit) ? names : [unit, ...names]}
            value={unit}
            allowDeselect={false}
            onChange={(value) => value !== null && go({ unit: value })}
            comboboxProps={{ withinPortal: false }}
          />
          {session === undefined ? (
            <>
              <ProtocolList key={unit} unit={unit} onOpen={(id) => go({ unit, session: id })} />
              <CalibrationList key={`${unit} stored`} unit={unit} />
            </>
          ) : (
            <SessionPanel key={session} unit={unit} sessionId={session} onLeave={() => go({ unit })} />
          )}
        </ConcernedExperiment>
      )}
    </Stack>
  );
}
