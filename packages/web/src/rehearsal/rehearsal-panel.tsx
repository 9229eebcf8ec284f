import { leaderApi, nodeApi, ProfileRehearsal, type SimulateProfile, taskResult } from '@lcs/contract';
import { Button, Progress, Select, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { isNotFound } from '../api/problem.ts';
import { limitsFault, NumberField } from '../forms/number-field.tsx';
import { useExperiments, useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { rehearsalWords } from '../words/rehearsal.ts';
import { type BegunRehearsal, begunFor, readBegun, withBegun } from './begun-rehearsals.ts';
import styles from './rehearsal.module.css';
import { RehearsalResult } from './rehearsal-result.tsx';
import { leftText, type StepWords } from './rehearsal-view.ts';

interface RehearsalPanelProps {
  /** The saved profile; undefined: it is not saved yet. */
  readonly filename: string | undefined;
  readonly text: string;
  /** Whether the text can be rehearsed: it has no errors. */
  readonly isValid: boolean;
  readonly words: StepWords;
}

const organisms = [
  { value: 'yeast', label: rehearsalWords.yeast },
  { value: 'ecoli_glucose', label: rehearsalWords.eColiGlucoseMedium },
  { value: 'ecoli_lb', label: rehearsalWords.eColiLb },
];
const usualDraws = 20;
const hoursLimits = { min: 1, max: 2160 };
const drawsLimits = { min: 1, max: 200, isInteger: true };
const storageKey = 'lcs.rehearsals';

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
        label={rehearsalWords.unitsOfExperiment}
        placeholder={commonWords.unitsInProfile}
        clearable
        searchable
        data={names}
        value={choices.experiment}
        onChange={(experiment) => onChange({ experiment })}
      />
      <Select
        size="xs"
        label={commonWords.organism}
        data={organisms}
        value={choices.organism}
        onChange={(organism) => onChange({ organism })}
      />
      <Select
        size="xs"
        label={rehearsalWords.fitToPastExperiment}
        placeholder={rehearsalWords.noFit}
        clearable
        searchable
        data={names}
        value={choices.fitted}
        onChange={(fitted) => onChange({ fitted })}
      />
      <NumberField
        size="xs"
        label={rehearsalWords.hours}
        placeholder={rehearsalWords.toEnd}
        {...hoursLimits}
        w={110}
        value={choices.hours}
        onChange={(hours) => onChange({ hours })}
      />
      <NumberField
        size="xs"
        label={rehearsalWords.simulations}
        {...drawsLimits}
        w={110}
        value={choices.draws}
        onChange={(draws) => onChange({ draws })}
      />
    </>
  );
}

interface RehearsalProps {
  readonly taskId: string;
  /** Of another text than the present one. */
  readonly isOutdated: boolean;
  readonly words: StepWords;
}

/** A rehearsal that was begun: its progress, then its result. */
function Rehearsal({ taskId, isOutdated, words }: RehearsalProps) {
  const { node } = useServices();
  const may = useMay();
  const leaderNow = useLeaderNow();
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
  // The leader keeps tasks for a time only.
  if (isNotFound(error)) return null;
  const outdated = isOutdated && (
    <Text size="sm" c="var(--page-warning)">
      {rehearsalWords.rehearseAgain}
    </Text>
  );
  if (outcome?.rehearsal)
    return (
      <>
        {outdated}
        <RehearsalResult rehearsal={outcome.rehearsal} words={words} />
      </>
    );
  if (outcome) return <ProblemAlert error={outcome.failure} />;
  const progress = task && 'progress' in task ? task.progress : null;
  const left = progress === null ? '' : leftText(progress, task?.started_at ?? null, leaderNow());
  return (
    <Stack gap="xs">
      {outdated}
      {error && <ProblemAlert error={error} />}
      <Progress
        value={progress === null ? 100 : 100 * progress}
        striped={progress === null}
        animated={progress === null}
        aria-label={rehearsalWords.rehearsalIsBeingComputed}
      />
      <Text size="sm" role="status">
        {task?.message ?? (task?.status === 'running' ? rehearsalWords.computing : commonWords.queued)}
        {progress !== null && `: ${Math.round(100 * progress)} %${left}`}
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
          {commonWords.cancel}
        </Button>
      </div>
    </Stack>
  );
}

/** The last rehearsal of a profile: it is found again when the profile was saved or the page was left meanwhile. */
function useRehearsal(filename: string | undefined, text: string) {
  const [begun, setBegun] = useState(() => begunFor(readBegun(localStorage.getItem(storageKey)), filename, text));
  const keep = (rehearsal: BegunRehearsal): void => {
    localStorage.setItem(storageKey, JSON.stringify(withBegun(readBegun(localStorage.getItem(storageKey)), rehearsal)));
    setBegun(rehearsal);
  };
  return { begun, keep };
}

/** Rehearses the text of a profile on simulated vials. */
export function RehearsalPanel({ filename, text, isValid, words }: RehearsalPanelProps) {
  const { leader } = useServices();
  const may = useMay();
  const [choices, setChoices] = useState<Choices>({
    experiment: null,
    organism: 'yeast',
    fitted: null,
    hours: '',
    draws: usualDraws,
  });
  const { begun, keep } = useRehearsal(filename, text);
  const begin = useMutation({
    mutationFn: (rehearsed: string) => leader.simulateExperimentProfile({ body: requestOf(rehearsed, choices) }),
    onSuccess: ({ task_id }, rehearsed) =>
      keep({ task_id, text: rehearsed, ...(filename !== undefined && { file: filename }) }),
  });
  return (
    <Panel title={rehearsalWords.rehearsal}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {rehearsalWords.rehearsalHelp}
        </Text>
        <div className={styles.form}>
          <Assumptions choices={choices} onChange={(change) => setChoices({ ...choices, ...change })} />
          <Button
            size="xs"
            disabled={
              !isValid ||
              limitsFault(hoursLimits, choices.hours) !== null ||
              limitsFault(drawsLimits, choices.draws) !== null
            }
            {...(!isValid && { title: rehearsalWords.textHasErrors })}
            loading={begin.isPending}
            onClick={() => begin.mutate(text)}
            {...may(leaderApi.simulateExperimentProfile)}
          >
            {rehearsalWords.rehearse}
          </Button>
        </div>
        {begin.error && <ProblemAlert error={begin.error} />}
        {begun && (
          <PartBoundary part={commonWords.partRehearsal} resetKey={begun.task_id}>
            <Rehearsal key={begun.task_id} taskId={begun.task_id} isOutdated={begun.text !== text} words={words} />
          </PartBoundary>
        )}
      </Stack>
    </Panel>
  );
}
