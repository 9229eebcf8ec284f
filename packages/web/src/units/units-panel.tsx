import type { UnitStatus } from '@lcs/contract';
import { ActionIcon, Button, Menu, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { AssignWorker } from '../assignments/assign-worker.tsx';
import { type AssignedWorker, assignedWorkers } from '../assignments/assigned-workers.ts';
import { UnassignDialog } from '../assignments/unassign-dialog.tsx';
import { unitStyle } from '../charts/unit-colours.ts';
import { refusalWithTitle, type ShownJob } from '../jobs/job-catalog.ts';
import { StartJob } from '../jobs/start-job.tsx';
import { StopAll } from '../jobs/stop-all.tsx';
import { useCatalogProblem, useFleetJobs } from '../jobs/use-job-catalog.ts';
import { useAssignments, useJobs, useLabels, useModels, useUnits, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { PlusIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { UnitCard } from './unit-card.tsx';
import styles from './units-panel.module.css';
import { LatestProvider, useLatestReadings } from './use-latest.ts';

interface UnitsPanelProps {
  readonly experiment: string;
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The experiment has ended. */
  readonly isOver: boolean;
}

const everywhere = '$broadcast';

interface FleetStartProps {
  readonly experiment: string;
  readonly active: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly where: string;
  readonly job: ShownJob;
  readonly shortfalls: readonly { readonly unit: string; readonly reason: string }[];
  readonly fleet: ReturnType<typeof useUnitCommand>;
  readonly onClose: () => void;
}

/** The form that starts one job on all active units; it stays open until all units accept the start. */
function FleetStart({ experiment, active, nameOf, where, job, shortfalls, fleet, onClose }: FleetStartProps) {
  const { leader } = useServices();
  const { command, send, sendEach } = fleet;
  const title = `Start ${job.title}`;
  const run = (unit: string, options: object, confirm_dilution: boolean) =>
    leader.runWorkerJob({
      params: { reactor_unit: unit, job: job.name, experiment },
      body: { options: { ...options }, env: { JOB_SOURCE: 'user' }, confirm_dilution },
    });
  const refusals = command.phase === 'failed' ? command.refusals.map((each) => refusalWithTitle(each, job)) : [];
  return (
    <StartJob
      shown={job}
      where={where}
      units={active}
      nameOf={nameOf}
      shortfalls={shortfalls.map(({ unit, reason }) => ({ unit: nameOf(unit), reason }))}
      standing={{ isPending: command.phase === 'pending', refusals }}
      isOpen
      onClose={onClose}
      onStart={(options) => void send(title, () => run(everywhere, options, false), onClose)}
      onConfirm={(options, refused) => {
        const units = refused.flatMap(({ unitId }) => (unitId === undefined ? [] : [unitId]));
        void sendEach(title, units, (unit) => run(unit, options, true), onClose);
      }}
    />
  );
}

/** What can be done with all units of the experiment at once. */
function AllUnits({
  experiment,
  active,
  nameOf,
  isOnline,
}: {
  readonly experiment: string;
  readonly active: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly isOnline: (unit: string) => boolean;
}) {
  const { leader } = useServices();
  const fleet = useUnitCommand(active, nameOf);
  const { command, send, dismiss } = fleet;
  const { jobs, shortfalls } = useFleetJobs(active, isOnline);
  const lastKnown = useLastKnown();
  /** The job whose form is open; it stays open until all units have agreed. */
  const [asked, setAsked] = useState<string | null>(null);
  const [isStopping, setStopping] = useState(false);
  const starting = jobs.find(({ name }) => name === asked);
  const where = active.length === 1 ? '1 unit' : `all ${active.length} active units`;
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" loading={command.phase === 'pending'}>
            All units…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {jobs.map(({ name, title, missing }) => (
            <Menu.Item
              key={name}
              disabled={missing !== null || lastKnown !== null}
              onClick={() => {
                dismiss();
                setAsked(name);
              }}
            >
              Start {title}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item className="danger" onClick={() => setStopping(true)}>
            Stop all jobs…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {command.phase !== 'idle' && !(starting && command.phase === 'failed') && (
        <div className={styles.command}>
          <CommandStatus command={command} onDismiss={dismiss} />
        </div>
      )}
      {starting && (
        <FleetStart
          experiment={experiment}
          active={active}
          nameOf={nameOf}
          where={where}
          fleet={fleet}
          job={starting}
          shortfalls={shortfalls.get(starting.name) ?? []}
          onClose={() => setAsked(null)}
        />
      )}
      <StopAll
        where={where}
        isOpen={isStopping}
        onClose={() => setStopping(false)}
        onStop={() => {
          setStopping(false);
          const params = { reactor_unit: everywhere, experiment };
          void send('Stop all jobs', () => leader.stopWorkerJobsOfExperiment({ params }));
        }}
      />
    </>
  );
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
  const latest = useLatestReadings(experiment);
  return (
    <LatestProvider value={latest}>
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

/** The units of an experiment, each on its card. */
export function UnitsPanel({ experiment, units, nameOf, isOver }: UnitsPanelProps) {
  const { assignments, assigned, active, error } = useAssigned(experiment);
  const statuses = useUnits();
  const catalog = useCatalogProblem();
  const lastKnown = useLastKnown();
  const isOnline = useCallback(
    (unit: string) =>
      statuses.data?.some(({ reactor_unit, liveness }) => reactor_unit === unit && liveness === 'online') ?? false,
    [statuses.data],
  );
  const [leaving, setLeaving] = useState<{ readonly unit: string; readonly isOpen: boolean } | null>(null);
  const unassign = useCallback((unit: string) => setLeaving({ unit, isOpen: true }), []);
  const [isAssigning, setAssigning] = useState(false);
  if (assignments.error && !assignments.data) {
    return (
      <ProblemAlert error={assignments.error} onRetry={() => assignments.refetch()} retrying={assignments.isFetching} />
    );
  }
  if (!assignments.data) return <Skeleton height={280} role="status" aria-label="Loading units" />;
  const shortfall = error ?? statuses.error ?? catalog.error;
  const asksForUnit = isAssigning || (assigned.length === 0 && !isOver);

  return (
    <section aria-label="Units">
      <div className={styles.head}>
        <h2 className={styles.title}>Units</h2>
        <span className={styles.count}>{assigned.length}</span>
        <div className={styles.aside}>
          {active.length > 0 && (
            <AllUnits experiment={experiment} active={active} nameOf={nameOf} isOnline={isOnline} />
          )}
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Assign a unit"
            disabled={lastKnown !== null}
            aria-expanded={asksForUnit}
            onClick={() => setAssigning(!isAssigning)}
          >
            <PlusIcon />
          </ActionIcon>
        </div>
      </div>
      {asksForUnit && (
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
      {leaving && (
        <UnassignDialog
          unit={leaving.unit}
          experiment={experiment}
          isOpen={leaving.isOpen}
          onClose={() => setLeaving({ ...leaving, isOpen: false })}
          onClosed={() => setLeaving(null)}
        />
      )}
    </section>
  );
}
