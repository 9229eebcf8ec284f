import { leaderApi, nodeApi, ProfileRehearsal, type SimulateProfile, taskResult } from '@lcs/contract';
import { Button, NumberInput, Progress, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useExperiments, useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './rehearsal.module.css';
import { RehearsalResult } from './rehearsal-result.tsx';

interface RehearsalPanelProps {
  readonly text: string;
  /** Whether the text can be rehearsed: it has no errors. */
  readonly isValid: boolean;
  readonly textOf: (path: string) => string;
}

const organisms = [
  { value: 'yeast', label: 'Yeast' },
  { value: 'ecoli_glucose', label: 'E. coli, glucose medium' },
  { value: 'ecoli_lb', label: 'E. coli, LB' },
];
const usualDraws = 20;

interface Choices {
  readonly experiment: string | null;
  readonly organism: string | null;
  readonly fitted: string | null;
  readonly hours: number | string;
  readonly draws: number | string;
}

const requestOf = (body: string, { experiment, organism, fitted, hours, draws }: Choices): SimulateProfile => ({
  body,
  ...(experiment !== null && { experiment }),
  ...(typeof hours === 'number' && { hours }),
  ...(typeof draws === 'number' && { draws }),
  culture: { ...(organism !== null && { organism }), ...(fitted !== null && { from_experiment: fitted }) },
});

/** What the rehearsal assumes. */
function Assumptions({
  choices,
  onChange,
}: {
  readonly choices: Choices;
  readonly onChange: (change: Partial<Choices>) => void;
}) {
  const { data: experiments = [] } = useExperiments();
  const names = experiments.map(({ experiment }) => experiment);
  return (
    <>
      <Select
        size="xs"
        label="Units of experiment"
        placeholder="Units in the profile"
        clearable
        searchable
        data={names}
        value={choices.experiment}
        onChange={(experiment) => onChange({ experiment })}
      />
      <Select
        size="xs"
        label="Organism"
        data={organisms}
        value={choices.organism}
        onChange={(organism) => onChange({ organism })}
      />
      <Select
        size="xs"
        label="Fit to a past experiment"
        placeholder="No fit"
        clearable
        searchable
        data={names}
        value={choices.fitted}
        onChange={(fitted) => onChange({ fitted })}
      />
      <NumberInput
        size="xs"
        label="Hours"
        placeholder="To the end"
        min={1}
        max={2160}
        w={110}
        value={choices.hours}
        onChange={(hours) => onChange({ hours })}
      />
      <NumberInput
        size="xs"
        label="Simulations"
        min={1}
        max={200}
        w={110}
        value={choices.draws}
        onChange={(draws) => onChange({ draws })}
      />
    </>
  );
}

/** A rehearsal that was begun: its progress, then its result. */
function Rehearsal({ taskId, textOf }: { readonly taskId: string; readonly textOf: (path: string) => string }) {
  const { node } = useServices();
  const may = useMay();
  const { data: task, error } = useTask(taskId);
  const cancel = useMutation({ mutationFn: () => node.cancelTask({ params: { task_id: taskId } }) });
  const outcome = useMemo(() => {
    if (task?.status !== 'succeeded' && task?.status !== 'failed') return undefined;
    try {
      return { rehearsal: taskResult(task, ProfileRehearsal) };
    } catch (failure) {
      return { failure };
    }
  }, [task]);
  if (outcome?.rehearsal) return <RehearsalResult rehearsal={outcome.rehearsal} textOf={textOf} />;
  if (outcome) return <ProblemAlert error={outcome.failure} />;
  const progress = task && 'progress' in task ? task.progress : null;
  return (
    <Stack gap="xs">
      {error && <ProblemAlert error={error} />}
      <Progress
        value={progress === null ? 100 : 100 * progress}
        striped={progress === null}
        animated={progress === null}
        aria-label="The rehearsal is being computed"
      />
      <Text size="sm" role="status">
        {task?.message ?? (task?.status === 'running' ? 'Computing' : 'Queued')}
        {progress !== null && `: ${Math.round(100 * progress)} %`}
      </Text>
      {cancel.error && <ProblemAlert error={cancel.error} />}
      <div>
        <Button
          size="xs"
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
          {...may(nodeApi.cancelTask)}
        >
          Cancel
        </Button>
      </div>
    </Stack>
  );
}

/** Rehearses the text of a profile on simulated vials. */
export function RehearsalPanel({ text, isValid, textOf }: RehearsalPanelProps) {
  const { leader } = useServices();
  const may = useMay();
  const [choices, setChoices] = useState<Choices>({
    experiment: null,
    organism: 'yeast',
    fitted: null,
    hours: '',
    draws: usualDraws,
  });
  const begin = useMutation({ mutationFn: () => leader.simulateExperimentProfile({ body: requestOf(text, choices) }) });
  return (
    <Panel title="Rehearsal">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Carries out the profile on simulated vials, with the programs of a real run. Nothing is started on the units.
        </Text>
        <div className={styles.form}>
          <Assumptions choices={choices} onChange={(change) => setChoices({ ...choices, ...change })} />
          <Button
            size="xs"
            disabled={!isValid}
            {...(!isValid && { title: 'The text has errors' })}
            loading={begin.isPending}
            onClick={() => begin.mutate()}
            {...may(leaderApi.simulateExperimentProfile)}
          >
            Rehearse
          </Button>
        </div>
        {begin.error && <ProblemAlert error={begin.error} />}
        {begin.data && (
          <PartBoundary part="The rehearsal" resetKey={begin.data.task_id}>
            <Rehearsal key={begin.data.task_id} taskId={begin.data.task_id} textOf={textOf} />
          </PartBoundary>
        )}
      </Stack>
    </Panel>
  );
}
