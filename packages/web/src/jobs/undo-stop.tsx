import { type LiveJob, leaderApi } from '@lcs/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown, useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { jobsWords } from '../words/jobs.ts';
import { isUndo, type StoppedJob, stoppedBy } from './start-again.ts';
import { startOfStopped } from './start-stopped.ts';

/** The stop of a job of a unit, with those that need it. */
interface SingleStop {
  readonly atMs: number;
  readonly jobs: readonly StoppedJob[];
}

/** Remembers what a stop on one unit ends, so that it can be undone at once. */
export function useUndo(unitName: string) {
  const { leader, clock } = useServices();
  const [stop, setStop] = useState<SingleStop | null>(null);
  const { command, sendEach, dismiss } = useUnitCommand(null, () => unitName);
  return {
    stop,
    command,
    dismiss,
    /** Call it before the stop is sent. */
    note: (experiment: string, running: readonly LiveJob[], names: readonly string[]): void => {
      const jobs = stoppedBy({ what: 'everything', experiment }, running);
      setStop({ atMs: clock.now(), jobs: jobs.filter(({ jobName }) => names.includes(jobName)) });
    },
    undo: (what: string): void => {
      if (stop === null) return;
      setStop(null);
      // It is as a person decided before.
      void sendEach(
        what,
        stop.jobs.map((job) => startOfStopped(leader, job, { mayDilute: true })),
      );
    },
  };
}

interface UndoStopProps {
  readonly undo: ReturnType<typeof useUndo>;
  readonly title: string;
  /** Whether the job is off. */
  readonly isOff: boolean;
}

/** Undoes the stop of a job for some seconds. */
export function UndoStop({ undo: { stop, command, undo, dismiss }, title, isOff }: UndoStopProps) {
  const may = useMay();
  const lastKnown = useLastKnown();
  const isOffered = useTicking((nowMs) =>
    stop !== null && stop.jobs.length > 0 && isUndo(stop.atMs, nowMs) ? 'offered' : '',
  );
  return (
    <>
      {isOffered !== '' && isOff && (
        <Button
          size="xs"
          variant="default"
          style={{ gridColumn: '1 / -1', justifySelf: 'start' }}
          disabled={lastKnown !== null}
          onClick={() => undo(jobsWords.undoStop(title))}
          {...may(leaderApi.runWorkerJob)}
        >
          {jobsWords.undoStop(title)}
        </Button>
      )}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
    </>
  );
}
