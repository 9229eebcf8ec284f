import { leaderApi } from '@lcs/contract';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useFleetJobs } from '../jobs/use-job-catalog.ts';
import { useJobs, useUnits } from '../services/queries.ts';
import { useOfAllUnits } from '../services/use-by-unit.ts';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { PlayIcon } from '../ui/icons.tsx';
import { usualStartWords } from '../words/usual-start.ts';
import { lacksUsualJob } from './usual-start.ts';

/** Not part of the first view of an experiment. */
const UsualStartDialog = lazy(() =>
  import('./usual-start-dialog.tsx').then((module) => ({ default: module.UsualStartDialog })),
);

interface UsualStartButtonProps {
  readonly experiment: string;
  /** The active units of the experiment. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
}

/** The dialog, drawn only while it is open: it asks for the capabilities of all units. */
function OpenDialog({ experiment, units, nameOf, sendSteps, onClose }: OpenDialogProps) {
  const { data: statuses } = useUnits();
  const isOnline = (unit: string): boolean =>
    statuses?.some(({ reactor_unit, liveness }) => reactor_unit === unit && liveness === 'online') ?? false;
  const fleet = useFleetJobs(units, isOnline);
  const jobs = useJobs() ?? [];
  return (
    <UsualStartDialog
      {...{ experiment, units, nameOf, isOnline, fleet, jobs, onClose }}
      onStart={(what, steps) => void sendSteps(what, steps)}
    />
  );
}

interface OpenDialogProps extends UsualStartButtonProps {
  readonly sendSteps: ReturnType<typeof useUnitCommand>['sendSteps'];
  readonly onClose: () => void;
}

/** Starts the usual jobs of an experiment; shown while one of them is off on a unit. */
export function UsualStartButton({ experiment, units, nameOf }: UsualStartButtonProps) {
  const activity = useOfAllUnits((jobs) => {
    if (jobs === undefined || !lacksUsualJob(jobs, units, experiment)) return 'complete';
    return jobs.some((job) => job.experiment === experiment && job.state === 'ready') ? 'some-missing' : 'idle';
  });
  const may = useMay();
  const lastKnown = useLastKnown();
  const { command, sendSteps, dismiss } = useUnitCommand(units, nameOf);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {(activity !== 'complete' || isOpen) && (
        <Button
          w="fit-content"
          variant={activity === 'idle' ? 'filled' : 'default'}
          leftSection={<PlayIcon size={14} />}
          loading={command.phase === 'pending'}
          disabled={lastKnown !== null}
          onClick={() => {
            dismiss();
            setOpen(true);
          }}
          {...may(leaderApi.runWorkerJob)}
        >
          {usualStartWords.startUsualJobsDialog}
        </Button>
      )}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
      {isOpen && (
        <Suspense fallback={null}>
          <OpenDialog {...{ experiment, units, nameOf, sendSteps }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
