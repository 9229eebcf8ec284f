import { Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAssignments, useJobs, useUnits } from '../services/queries.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
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

interface EndExperimentProps extends DialogFrame {
  readonly row: ExperimentRow;
  /** What the person wants: only an experiment that has ended can be archived. */
  readonly goal: 'end' | 'archive';
}

/** Ends an experiment, and archives it where that is the goal: states what stops, and asks what becomes of its units. */
export function EndExperiment({ row, goal, isOpen, onClose, onClosed }: EndExperimentProps) {
  const { experiment } = row.experiment;
  const running = useRunning(experiment);
  const nameOf = useUnitNames();
  const [units, setUnits] = useState<'free' | 'keep'>('free');
  const end = useExperimentChange(experiment, onClose);
  const words = experimentsWords.ends[goal];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    end.mutate({
      ended_at: true,
      ...(units === 'keep' && { keep_workers: true }),
      ...(goal === 'archive' && { archived: true }),
    });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={words.title(experiment)}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {goal === 'archive' && <Text size="sm">{experimentsWords.archiveNeedsEnd}</Text>}
          <Text size="sm">{runningJobsText(running)}</Text>
          {running.offline.length > 0 && (
            <Text size="sm" c="var(--page-warning)">
              {experimentsWords.notAnswer(running.offline.map(nameOf).join(', '), running.offline.length)}
            </Text>
          )}
          {running.units.length > 0 && (
            <Radio.Group
              label={experimentsWords.afterwardsItsUnits}
              value={units}
              onChange={(value) => setUnits(value === 'keep' ? 'keep' : 'free')}
            >
              <Stack gap={6} mt={6}>
                <Radio value="free" label={experimentsWords.areFreeForOtherExperiments} />
                <Radio value="keep" label={experimentsWords.stayHere} description={experimentsWords.keepAssignedHelp} />
              </Stack>
            </Radio.Group>
          )}
          <Text size="sm" c="dimmed">
            {experimentsWords.allDataAreKept}
          </Text>
          {end.error && <ProblemAlert error={end.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose} data-autofocus>
              {commonWords.cancel}
            </Button>
            <Button type="submit" color="red.9" loading={end.isPending}>
              {running.jobs > 0 ? words.stopAndEnd : words.end}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
