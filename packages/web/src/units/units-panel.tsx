import { leaderApi, type UnitStatus } from '@lcs/contract';
import { ActionIcon, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { AssignWorker } from '../assignments/assign-worker.tsx';
import { type AssignedWorker, assignedWorkers } from '../assignments/assigned-workers.ts';
import { UnassignDialog } from '../assignments/unassign-dialog.tsx';
import { unitStyle } from '../charts/unit-colours.ts';
import { useCatalogProblem } from '../jobs/use-job-catalog.ts';
import { LatestProvider } from '../latest/use-latest.tsx';
import { useAssignments, useJobs, useLabels, useModels, useUnits, useWorkers } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { PlusIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AllUnits } from './all-units.tsx';
import { UnitCard } from './unit-card.tsx';
import styles from './units-panel.module.css';

interface UnitsPanelProps {
  readonly experiment: string;
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The experiment has ended. */
  readonly isOver: boolean;
}

/** The units that are assigned to an experiment, and the failures of the lists that they are made of. */
function useAssigned(experiment: string) {
  const assignments = useAssignments();
  const workers = useWorkers();
  const labels = useLabels(experiment);
  const models = useModels();
  const assigned = useMemo(
    () =>
      assignedWorkers(experiment, {
        assignments: assignments.data ?? [],
        workers: workers.data ?? [],
        labels: labels.data ?? {},
        models: models.data ?? [],
      }),
    [experiment, assignments.data, workers.data, labels.data, models.data],
  );
  const active = useMemo(() => assigned.filter(({ isActive }) => isActive).map(({ unit }) => unit), [assigned]);
  return { assignments, assigned, active, error: workers.error ?? labels.error ?? models.error };
}

interface CardsProps {
  readonly experiment: string;
  readonly assigned: readonly AssignedWorker[];
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly statuses: readonly UnitStatus[] | undefined;
  readonly onUnassign: (unit: string) => void;
}

function Cards({ experiment, assigned, units, statuses, onUnassign }: CardsProps) {
  const scheme = useComputedColorScheme('light');
  const jobs = useJobs();
  return (
    <LatestProvider>
      <ul className={styles.cards} aria-label="Assigned workers">
        {assigned.map((worker) => (
          <PartBoundary key={worker.unit} part={worker.unit} resetKey={worker}>
            <UnitCard
              experiment={experiment}
              worker={worker}
              colour={unitStyle(Math.max(0, units.indexOf(worker.unit)), scheme).colour}
              status={statuses?.find(({ reactor_unit }) => reactor_unit === worker.unit)}
              jobs={jobs}
              onUnassign={onUnassign}
            />
          </PartBoundary>
        ))}
      </ul>
    </LatestProvider>
  );
}

/** Unassigns a unit after a question. */
function useUnassign(experiment: string) {
  const [leaving, setLeaving] = useState<{ readonly unit: string; readonly isOpen: boolean } | null>(null);
  const unassign = useCallback((unit: string) => setLeaving({ unit, isOpen: true }), []);
  const dialog = leaving && (
    <UnassignDialog
      unit={leaving.unit}
      experiment={experiment}
      isOpen={leaving.isOpen}
      onClose={() => setLeaving({ ...leaving, isOpen: false })}
      onClosed={() => setLeaving(null)}
    />
  );
  return { unassign, dialog };
}

interface PanelHeadProps {
  readonly count: number;
  readonly isAssigning: boolean;
  readonly onAssign: () => void;
  readonly children: ReactNode;
}

function PanelHead({ count, isAssigning, onAssign, children }: PanelHeadProps) {
  const may = useMay();
  const lastKnown = useLastKnown();
  return (
    <div className={styles.head}>
      <h2 className={styles.title}>Units</h2>
      <span className={styles.count}>{count}</span>
      <div className={styles.aside}>
        {children}
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Assign a unit"
          disabled={lastKnown !== null}
          aria-expanded={isAssigning}
          onClick={onAssign}
          {...may(leaderApi.assignWorker)}
        >
          <PlusIcon />
        </ActionIcon>
      </div>
    </div>
  );
}

/** The units of an experiment, each on its card. */
export function UnitsPanel({ experiment, units, nameOf, isOver }: UnitsPanelProps) {
  const { assignments, assigned, active, error } = useAssigned(experiment);
  const statuses = useUnits();
  const catalog = useCatalogProblem();
  const isOnline = useCallback(
    (unit: string) =>
      statuses.data?.some(({ reactor_unit, liveness }) => reactor_unit === unit && liveness === 'online') ?? false,
    [statuses.data],
  );
  const { unassign, dialog } = useUnassign(experiment);
  const [isAssigning, setAssigning] = useState(false);
  if (assignments.error && !assignments.data) {
    return (
      <ProblemAlert error={assignments.error} onRetry={() => assignments.refetch()} retrying={assignments.isFetching} />
    );
  }
  if (!assignments.data) return <Skeleton height={280} role="status" aria-label="Loading units" />;
  const shortfall = error ?? statuses.error ?? catalog.error;
  const showsAssign = isAssigning || (assigned.length === 0 && !isOver);

  return (
    <section aria-label="Units">
      <PanelHead count={assigned.length} isAssigning={showsAssign} onAssign={() => setAssigning(!isAssigning)}>
        {active.length > 0 && <AllUnits experiment={experiment} active={active} nameOf={nameOf} isOnline={isOnline} />}
      </PanelHead>
      {showsAssign && (
        <div className={styles.assign}>
          <AssignWorker key={experiment} experiment={experiment} />
        </div>
      )}
      {assigned.length === 0 && (
        <Text size="sm" c="dimmed" className={styles.none}>
          {isOver
            ? 'This experiment has ended. No unit is assigned to it.'
            : 'No unit is assigned to this experiment. Choose one above; then start its jobs here.'}
        </Text>
      )}
      <Cards experiment={experiment} assigned={assigned} units={units} statuses={statuses.data} onUnassign={unassign} />
      {shortfall && (
        <Stack mt="xs">
          <ProblemAlert error={shortfall} />
        </Stack>
      )}
      {dialog}
    </section>
  );
}
