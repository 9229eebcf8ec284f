import { leaderApi, type UnitStatus } from '@lcs/contract';
import { Button, SegmentedControl, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { AssignUnits } from '../assignments/assign-units.tsx';
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
import { useFullNames } from '../ui/unit-name.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { AllUnits, StartOnAll } from './all-units.tsx';
import { UnitCard } from './unit-card.tsx';
import { UnitsMatrix } from './units-matrix.tsx';
import styles from './units-panel.module.css';
import { type UnitsView, unitsViewOf, unitsViews } from './units-view.ts';

interface UnitsPanelProps {
  readonly experiment: string;
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The experiment has ended. */
  readonly isOver: boolean;
  /** How the units are shown; `null`: as suits their number. */
  readonly view: UnitsView | null;
  readonly onView: (view: UnitsView) => void;
  /** The job whose form for all units is open; `null`: none. */
  readonly starting: string | null;
  readonly onStarted: () => void;
}

/** With more units than this the matrix is shown at first: their cards would be pages long. */
const mostCards = 6;

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
    <ul className={styles.cards} aria-label={commonWords.assignedUnits}>
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
  );
}

/** Unassigns a unit after a question. */
function useUnassign(experiment: string, nameOf: (unit: string) => string) {
  const [leaving, setLeaving] = useState<{ readonly unit: string; readonly isOpen: boolean } | null>(null);
  const unassign = useCallback((unit: string) => setLeaving({ unit, isOpen: true }), []);
  const dialog = leaving && (
    <UnassignDialog
      unit={leaving.unit}
      name={nameOf(leaving.unit)}
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
  readonly view: UnitsView;
  readonly onView: (view: UnitsView) => void;
  readonly onAssign: () => void;
  readonly children: ReactNode;
}

function PanelHead({ count, view, onView, onAssign, children }: PanelHeadProps) {
  const may = useMay();
  const lastKnown = useLastKnown();
  return (
    <div className={styles.head}>
      <h2 className={styles.title}>{commonWords.units}</h2>
      <span className={styles.count}>{count}</span>
      <div className={styles.aside}>
        {count > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={unitsWords.howUnitsAreShown}
            data={unitsViews.map((value) => ({
              value,
              label: value === 'cards' ? unitsWords.cards : commonWords.table,
            }))}
            value={view}
            onChange={(value) => onView(unitsViewOf(value) ?? view)}
          />
        )}
        {children}
        <Button
          size="xs"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          disabled={lastKnown !== null}
          onClick={onAssign}
          {...may(leaderApi.assignWorker)}
        >
          {commonWords.assignUnits}
        </Button>
      </div>
    </div>
  );
}

/** The units of an experiment: each on its card, or all in a table. */
export function UnitsPanel(props: UnitsPanelProps) {
  const { experiment, units, nameOf, isOver, view: chosenView, onView, starting, onStarted } = props;
  const { assignments, assigned, active, error } = useAssigned(experiment);
  const statuses = useUnits();
  const catalog = useCatalogProblem();
  const isOnline = useCallback(
    (unit: string) =>
      statuses.data?.some(({ reactor_unit, liveness }) => reactor_unit === unit && liveness === 'online') ?? false,
    [statuses.data],
  );
  const fullNameOf = useFullNames(nameOf);
  const { unassign, dialog } = useUnassign(experiment, fullNameOf);
  const [isAssigning, setAssigning] = useState(false);
  if (assignments.error && !assignments.data) {
    return (
      <ProblemAlert error={assignments.error} onRetry={() => assignments.refetch()} retrying={assignments.isFetching} />
    );
  }
  if (!assignments.data) return <Skeleton height={280} role="status" aria-label={commonWords.loadingUnits} />;
  const shortfall = error ?? statuses.error ?? catalog.error;
  const view = chosenView ?? (assigned.length > mostCards ? 'table' : 'cards');

  return (
    <section aria-label={commonWords.units}>
      <PanelHead count={assigned.length} view={view} onView={onView} onAssign={() => setAssigning(true)}>
        {active.length > 0 && view === 'cards' && (
          <AllUnits experiment={experiment} active={active} nameOf={fullNameOf} isOnline={isOnline} />
        )}
      </PanelHead>
      {active.length > 0 && (
        <StartOnAll
          key={experiment}
          experiment={experiment}
          active={active}
          nameOf={fullNameOf}
          isOnline={isOnline}
          jobName={starting}
          onClose={onStarted}
        />
      )}
      {isAssigning && <AssignUnits key={experiment} experiment={experiment} onClose={() => setAssigning(false)} />}
      {assigned.length === 0 && (
        <Text size="sm" c="dimmed" className={styles.none}>
          {isOver ? unitsWords.experimentEnded : unitsWords.noUnitsYet}
        </Text>
      )}
      <LatestProvider>
        {view === 'cards' ? (
          <Cards
            experiment={experiment}
            assigned={assigned}
            units={units}
            statuses={statuses.data}
            onUnassign={unassign}
          />
        ) : (
          assigned.length > 0 && (
            <UnitsMatrix experiment={experiment} assigned={assigned} statuses={statuses.data} nameOf={nameOf} />
          )
        )}
      </LatestProvider>
      {shortfall && (
        <Stack mt="xs">
          <ProblemAlert error={shortfall} />
        </Stack>
      )}
      {dialog}
    </section>
  );
}
