import { ActionIcon, Button, Menu, Skeleton, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { AssignWorker } from '../assignments/assign-worker.tsx';
import { assignedWorkers } from '../assignments/assigned-workers.ts';
import { UnassignDialog } from '../assignments/unassign-dialog.tsx';
import { unitStyle } from '../charts/unit-colours.ts';
import { refusalWithTitle } from '../jobs/job-catalog.ts';
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
  const { command, send, sendEach, dismiss } = useUnitCommand(active, nameOf);
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
        <StartJob
          shown={starting}
          where={where}
          units={active}
          nameOf={nameOf}
          shortfalls={(shortfalls.get(starting.name) ?? []).map(({ unit, reason }) => ({ unit: nameOf(unit), reason }))}
          standing={{
            isPending: command.phase === 'pending',
            refusals:
              command.phase === 'failed' ? command.refusals.map((refusal) => refusalWithTitle(refusal, starting)) : [],
          }}
          isOpen
          onClose={() => setAsked(null)}
          onStart={(options) => {
            const params = { reactor_unit: everywhere, job: starting.name, experiment };
            const body = { options: { ...options }, env: { JOB_SOURCE: 'user' }, confirm_dilution: false };
            void send(
              `Start ${starting.title}`,
              () => leader.runWorkerJob({ params, body }),
              () => setAsked(null),
            );
          }}
          onConfirm={(options, refusals) => {
            const body = { options: { ...options }, env: { JOB_SOURCE: 'user' }, confirm_dilution: true };
            void sendEach(
              `Start ${starting.title}`,
              refusals.flatMap(({ unitId }) => (unitId === undefined ? [] : [unitId])),
              (unit) => leader.runWorkerJob({ params: { reactor_unit: unit, job: starting.name, experiment }, body }),
              () => setAsked(null),
            );
          }}
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

/** The units of an experiment, each on its card. */
export function UnitsPanel({ experiment, units, nameOf, isOver }: UnitsPanelProps) {
  const scheme = useComputedColorScheme('light');
  const assignments = useAssignments();
  const workers = useWorkers();
  const labels = useLabels(experiment);
  const models = useModels();
  const statuses = useUnits();
  const jobs = useJobs();
  const latest = useLatestReadings(experiment);
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

  if (assignments.error && !assignments.data) {
    return (
      <ProblemAlert error={assignments.error} onRetry={() => assignments.refetch()} retrying={assignments.isFetching} />
    );
  }
  if (!assignments.data) return <Skeleton height={280} role="status" aria-label="Loading units" />;
  const shortfall = workers.error ?? labels.error ?? models.error ?? statuses.error ?? catalog.error;

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
            aria-expanded={isAssigning || (assigned.length === 0 && !isOver)}
            onClick={() => setAssigning(!isAssigning)}
          >
            <PlusIcon />
          </ActionIcon>
        </div>
      </div>
      {(isAssigning || (assigned.length === 0 && !isOver)) && (
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
      <LatestProvider value={latest}>
        <ul className={styles.cards} aria-label="Assigned workers">
          {assigned.map((worker) => (
            <PartBoundary key={worker.unit} part={worker.unit} resetKey={worker}>
              <UnitCard
                experiment={experiment}
                worker={worker}
                colour={unitStyle(Math.max(0, units.indexOf(worker.unit)), scheme).colour}
                status={statuses.data?.find(({ reactor_unit }) => reactor_unit === worker.unit)}
                jobs={jobs}
                onUnassign={unassign}
              />
            </PartBoundary>
          ))}
        </ul>
      </LatestProvider>
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
