import { Button, List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { reportOf } from '../tasks/unit-answers.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { type DependentJob, dependentsOf } from './dependents.ts';
import { capabilitiesOf } from './job-catalog.ts';
import type { UnitFacts } from './job-uses.ts';

/** More than the leader gives a unit to finish. */
const taskTimeoutMs = 60_000;

interface StopTarget {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  /** Before anything is sent: the names of all jobs that will be stopped. */
  readonly onDecided: (names: readonly string[]) => void;
  /** Stops the job itself. */
  readonly onStop: () => void;
}

/** Reads what is known of a unit in an experiment. */
export function useFactsOf(): (unit: string, experiment: string) => UnitFacts {
  const cache = useQueryClient();
  return (unit, experiment) => ({
    jobs: (cache.getQueryData(queryKeys.jobs) ?? []).filter(
      (job) => job.reactor_unit === unit && job.experiment === experiment,
    ),
    capabilities: capabilitiesOf(cache.getQueryData(queryKeys.capabilities), unit) ?? [],
    descriptors: cache.getQueryData(queryKeys.jobDescriptors) ?? [],
  });
}

/** Reads the running jobs of a unit that need a job. */
export function useDependents(): (unit: string, experiment: string, jobName: string) => readonly DependentJob[] {
  const factsOf = useFactsOf();
  return (unit, experiment, jobName) => dependentsOf(jobName, factsOf(unit, experiment));
}

/** Stops a job at once where no running job needs it; otherwise asks first. */
export function useStop({ unit, experiment, jobName, onDecided, onStop }: StopTarget) {
  const { leader, clock } = useServices();
  const dependentsOn = useDependents();
  const [dependents, setDependents] = useState<readonly DependentJob[]>([]);
  const others = useMutation({
    // One after the other: none goes on without what it needs.
    mutationFn: async (names: readonly string[]) => {
      const failures: unknown[] = [];
      for (const name of names) {
        const params = { reactor_unit: unit, job_name: name, experiment };
        try {
          reportOf(await followTask(clock, await leader.stopWorkerJob({ params }), taskTimeoutMs), unit);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
    // The job itself ends whatever became of the others.
    onSettled: onStop,
  });
  const close = (): void => setDependents([]);
  const stopOnlyThis = (): void => {
    close();
    onDecided([jobName]);
    onStop();
  };
  return {
    dependents,
    /** Why a job that needs the stopped one was not stopped. */
    error: others.error,
    close,
    stopOnlyThis,
    stopAll: () => {
      const names = dependents.map(({ name }) => name);
      onDecided([...names, jobName]);
      others.mutate(names);
      close();
    },
    ask: () => {
      others.reset();
      const found = dependentsOn(unit, experiment, jobName);
      if (found.length === 0) stopOnlyThis();
      else setDependents(found);
    },
  };
}

interface StopDialogProps {
  readonly title: string;
  readonly where: string;
  /** The running jobs that need the one which a person stops; empty: the dialog is closed. */
  readonly dependents: readonly DependentJob[];
  readonly onClose: () => void;
  readonly onStopOnlyThis: () => void;
  readonly onStopAll: () => void;
}

/** Names the running jobs that need the job which a person stops. */
export function StopDialog({ title, where, dependents, onClose, onStopOnlyThis, onStopAll }: StopDialogProps) {
  return (
    <Dialog title={jobsWords.stopOn(title, where)} isOpen={dependents.length > 0} size="lg" onClose={onClose}>
      <Stack gap="md">
        <div>
          <Text size="sm">{jobsWords.theseRunningJobsNeedIt}</Text>
          <List size="sm" mt={4}>
            {dependents.map(({ name, title: needed, effect }) => (
              <List.Item key={name}>{jobsWords.effectWithoutIt(needed, effect)}</List.Item>
            ))}
          </List>
        </div>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button variant="default" onClick={onStopOnlyThis}>
            {jobsWords.stopOnlyThis}
          </Button>
          <Button color="red.9" onClick={onStopAll}>
            {jobsWords.stopAllOfThese}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

interface StopQuestionProps {
  readonly title: string;
  readonly unitName: string;
  readonly stop: ReturnType<typeof useStop>;
}

/** Asks before a job of one unit stops, and shows why others did not stop. */
export function StopQuestion({ title, unitName, stop }: StopQuestionProps) {
  const { dependents, error, close, stopOnlyThis, stopAll } = stop;
  return (
    <>
      {error !== null && <ProblemAlert error={error} />}
      <StopDialog
        title={title}
        where={unitName}
        dependents={dependents}
        onClose={close}
        onStopOnlyThis={stopOnlyThis}
        onStopAll={stopAll}
      />
    </>
  );
}
