import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAssignments, useLabels, useModels, useWorkers } from '../api/queries.ts';
import { PauseIcon, PlayIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './assigned-workers.module.css';
import { UnassignDialog } from './unassign-dialog.tsx';
import { type AssignedWorker, assignedWorkers } from './worker-facts.ts';

function WorkerRow({ worker, onUnassign }: { readonly worker: AssignedWorker; readonly onUnassign: () => void }) {
  return (
    <li className={styles.row}>
      <div className={styles.name}>
        <span className={styles.unit}>{worker.unit}</span>
        {worker.label !== null && <span className={styles.label}>{worker.label}</span>}
      </div>
      <span className={styles.model}>{worker.model ?? 'No model set'}</span>
      <span className={styles.state} data-active={worker.isActive}>
        {worker.isActive ? <PlayIcon size={13} /> : <PauseIcon size={13} />}
        {worker.isActive ? 'Active' : 'Inactive'}
      </span>
      <Button size="compact-sm" variant="default" fw={500} onClick={onUnassign} aria-label={`Unassign ${worker.unit}`}>
        Unassign
      </Button>
    </li>
  );
}

/** The workers of the experiment. */
export function AssignedWorkers({ experiment }: { readonly experiment: string }) {
  const assignments = useAssignments();
  const workers = useWorkers();
  const labels = useLabels(experiment);
  const models = useModels();
  const [leaving, setLeaving] = useState<{ readonly unit: string; readonly isOpen: boolean } | null>(null);

  if (assignments.error && !assignments.data) {
    return (
      <ProblemAlert error={assignments.error} onRetry={() => assignments.refetch()} retrying={assignments.isFetching} />
    );
  }
  if (!assignments.data) return <Skeleton height={92} role="status" aria-label="Loading workers" />;

  const assigned = assignedWorkers(experiment, {
    assignments: assignments.data,
    workers: workers.data ?? [],
    labels: labels.data ?? {},
    models: models.data ?? [],
  });
  const shortfall = workers.error ?? labels.error ?? models.error;

  return (
    <Stack gap="xs">
      {assigned.length === 0 ? (
        <Text size="sm" c="dimmed">
          No worker is assigned. Choose one above: it then measures for this experiment.
        </Text>
      ) : (
        <ul className={styles.list} aria-label="Assigned workers">
          {assigned.map((worker) => (
            <PartBoundary key={worker.unit} part={worker.unit} resetKey={worker}>
              <WorkerRow worker={worker} onUnassign={() => setLeaving({ unit: worker.unit, isOpen: true })} />
            </PartBoundary>
          ))}
        </ul>
      )}
      {shortfall && <ProblemAlert error={shortfall} />}
      {leaving && (
        <UnassignDialog
          unit={leaving.unit}
          experiment={experiment}
          isOpen={leaving.isOpen}
          onClose={() => setLeaving({ ...leaving, isOpen: false })}
          onClosed={() => setLeaving(null)}
        />
      )}
    </Stack>
  );
}
