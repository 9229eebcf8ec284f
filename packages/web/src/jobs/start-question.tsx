import { Button, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { reportOf } from '../tasks/unit-answers.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { Consequences } from './consequences.tsx';
import type { NamedJob } from './job-uses.ts';
import { waitingDosings } from './running-dosing.ts';
import { neededJobs } from './start-needs.ts';
import { useFactsOf } from './stop-question.tsx';

/** More than the leader gives a unit to finish. */
const taskTimeoutMs = 60_000;

interface StartTarget {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  /** Starts the job itself, or opens its form. */
  readonly onStart: () => void;
}

/** Starts a job at once where everything runs that it needs; otherwise says what is missing, and starts that first if a person wants it. */
export function useStart({ unit, experiment, jobName, onStart }: StartTarget) {
  const { leader, clock } = useServices();
  const factsOf = useFactsOf();
  const [needed, setNeeded] = useState<readonly NamedJob[]>([]);
  const close = (): void => setNeeded([]);
  const others = useMutation({
    // One after the other: each uses what the one before it does.
    mutationFn: async () => {
      // What runs by now, such as what an earlier attempt has started, is not started again.
      for (const { name: job } of neededJobs(jobName, factsOf(unit, experiment))) {
        const params = { reactor_unit: unit, job, experiment };
        const accepted = await leader.runWorkerJob({ params, body: { env: { JOB_SOURCE: 'user' } } });
        reportOf(await followTask(clock, accepted, taskTimeoutMs), unit);
      }
    },
    onSuccess: () => {
      close();
      onStart();
    },
  });
  return {
    needed,
    /** What the first readings of these jobs set off. */
    consequencesOn: (unitName: string): readonly string[] =>
      waitingDosings(
        [{ unit, jobs: [...needed.map(({ name }) => name), jobName] }],
        () => unitName,
        factsOf(unit, experiment).jobs,
      ),
    error: others.error,
    isPending: others.isPending,
    close,
    startOnlyThis: () => {
      close();
      onStart();
    },
    startAll: () => others.mutate(),
    ask: () => {
      others.reset();
      const missing = neededJobs(jobName, factsOf(unit, experiment));
      if (missing.length === 0) onStart();
      else setNeeded(missing);
    },
  };
}

interface StartQuestionProps {
  readonly title: string;
  readonly unitName: string;
  readonly start: ReturnType<typeof useStart>;
}

/** Says what a job needs and what does not run. */
export function StartQuestion({ title, unitName, start }: StartQuestionProps) {
  const { needed, consequencesOn, error, isPending, close, startOnlyThis, startAll } = start;
  const consequences = consequencesOn(unitName);
  return (
    <Dialog title={jobsWords.startOn(title, unitName)} isOpen={needed.length > 0} size="lg" onClose={close}>
      <Stack gap="md">
        <div>
          <Text size="sm">{jobsWords.needsOtherJobs(needed.length)}</Text>
          <List size="sm" mt={4}>
            {needed.map(({ name, title: missing }) => (
              <List.Item key={name}>{missing}</List.Item>
            ))}
          </List>
        </div>
        <Text size="sm">{jobsWords.valuesMissingWithout(needed.length)}</Text>
        {error !== null && <ProblemAlert error={error} />}
        <DialogActions>
          {consequences.length > 0 && <Consequences texts={consequences} />}
          <Button variant="default" onClick={close}>
            {commonWords.cancel}
          </Button>
          <Button variant="default" onClick={startOnlyThis} disabled={isPending}>
            {jobsWords.startOnlyThis}
          </Button>
          <Button onClick={startAll} loading={isPending} data-autofocus>
            {jobsWords.startAlso(needed.length)}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
