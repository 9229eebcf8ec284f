import { Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAssignments, useJobs, useUnits } from '../services/queries.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame } from './dialogs.ts';
import { type RunningJobs, runningJobsOf, runningJobsText } from './end-consequences.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { useExperimentChange } from './use-experiment-change.ts';

/** What runs in the experiment now, and on which of its units. */
function useRunning(experiment: string): RunningJobs {
  const jobs = useJobs();
  const { data: assignments = [] } = useAssignments();
  const { data: units = [] } = useUnits();
  return runningJobsOf(experiment, jobs ?? [], assignments, units);
}

/** Ends an experiment: states what stops, and asks what becomes of its units. */
export function EndExperiment({ row, isOpen, onClose, onClosed }: DialogFrame & { readonly row: ExperimentRow }) {
  const { experiment } = row.experiment;
  const running = useRunning(experiment);
  const [units, setUnits] = useState<'free' | 'keep'>('free');
  const end = useExperimentChange(experiment, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    end.mutate({ ended_at: true, ...(units === 'keep' && { keep_workers: true }) });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={`End ${experiment}?`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{runningJobsText(running)}</Text>
          {running.offline.length > 0 && (
            <Text size="sm" c="var(--page-warning)">
              {running.offline.join(', ')} {running.offline.length === 1 ? 'does' : 'do'} not answer: its jobs stop when
              it reconnects.
            </Text>
          )}
          {running.units.length > 0 && (
            <Radio.Group
              label="Afterwards its units"
              value={units}
              onChange={(value) => setUnits(value === 'keep' ? 'keep' : 'free')}
            >
              <Stack gap={6} mt={6}>
                <Radio value="free" label="are free for other experiments" />
                <Radio
                  value="keep"
                  label="stay here"
                  description="Until they are emptied and cleaned: nobody takes them by mistake."
                />
              </Stack>
            </Radio.Group>
          )}
          <Text size="sm" c="dimmed">
            All data are kept. The experiment can be reopened; jobs stay off until you start them.
          </Text>
          {end.error && <ProblemAlert error={end.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={end.isPending}>
              {running.jobs > 0 ? 'Stop all jobs and end' : 'End experiment'}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
