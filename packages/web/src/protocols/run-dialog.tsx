import { leaderApi, nodeApi, type ProfilePlan, profileJobName, StartedJob, taskResult } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { Button, Checkbox, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { useExperiments } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { ConcernedExperiment, useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { unitNameText } from '../words/unit-name.ts';
import { LiquidConsequences } from './liquid-consequences.tsx';
import { isBlocking, Preflight } from './preflight.tsx';
import { stepsByLine } from './run-words.ts';
import { lastActionS } from './timeline-layout.ts';
import { usePlan, usePreflight } from './use-profile-file.ts';

interface RunDialogProps {
  readonly filename: string;
  readonly text: string;
  /** The experiment that is chosen at first. */
  readonly experiment?: string;
  readonly onClose: () => void;
}

/** More than the leader needs to read the profile and to check it. */
const startTimeoutMs = 60_000;

interface StartRequest {
  readonly experiment: string;
  readonly isDry: boolean;
  /** Whether findings of the check before the start do not block it. */
  readonly isIgnored: boolean;
  /** Empty: all to which the profile applies. */
  readonly units: readonly string[];
}

/** Starts a run, and finds out its ID. */
function useStart(filename: string) {
  const { node, leader, clock } = useServices();
  return useMutation({
    mutationFn: async ({ experiment, isDry, isIgnored, units }: StartRequest) => {
      const body = {
        args: ['execute', filename, experiment],
        options: {
          ...(isDry && { 'dry-run': null }),
          ...(isIgnored && { 'ignore-findings': null }),
          ...(units.length > 0 && { units: units.join(',') }),
        },
        env: { JOB_SOURCE: 'user' },
      };
      const accepted = await node.runJob({ params: { job: profileJobName }, body });
      taskResult(await followTask(clock, accepted, startTimeoutMs), StartedJob);
      const [newest] = await leader.listRecentProfileRuns({ params: { experiment }, query: { limit: 1 } });
      return newest?.run_id;
    },
  });
}

const nameOf = ({ reactor_unit, label }: ProfilePlan['units'][number]): string => unitNameText(reactor_unit, label);

/** What the run will do, in words. */
function Consequences({
  plan,
  experiment,
  isDry,
}: {
  readonly plan: ProfilePlan;
  readonly experiment: string;
  readonly isDry: boolean;
}) {
  const units = plan.units.map(nameOf);
  const jobs = [...new Set(plan.units.flatMap(({ actions }) => actions.map(({ job_name }) => job_name)))].map(
    plainWords,
  );
  const lastS = lastActionS(plan);
  const end =
    lastS === null
      ? protocolsWords.itsEndDependsOnConditions
      : protocolsWords.lastActionIsDueAfter(elapsedText(lastS * 1000));
  if (units.length === 0) return <Text size="sm">{protocolsWords.noActiveUnits(experiment)}</Text>;
  return (
    <>
      <Text size="sm">
        {protocolsWords.runSummary(isDry, jobs.join(', '), units.join(', '), end)} {!isDry && protocolsWords.jobsStayOn}
      </Text>
      {!isDry && <LiquidConsequences plan={plan} />}
    </>
  );
}

/** Chooses the experiment of a run, shows what it will do, and starts it. */
export function RunDialog({ filename, text, experiment: first, onClose }: RunDialogProps) {
  const { data: experiments } = useExperiments();
  const open = (experiments ?? []).filter(({ ended_at }) => ended_at === null || ended_at === undefined);
  const [chosen, setExperiment] = useState<string | null>(first ?? null);
  // Where there is one, nobody chooses.
  const experiment = chosen ?? (open.length === 1 ? (open[0]?.experiment ?? null) : null);
  const [isDry, setDry] = useState(false);
  const [isIgnored, setIgnored] = useState(false);
  const { data: whole, error: planError } = usePlan(text, experiment ?? undefined, experiment !== null);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const units = ticked.filter((unit) => whole?.units.some(({ reactor_unit }) => reactor_unit === unit));
  const plan = useMemo(
    () =>
      whole && units.length > 0
        ? { ...whole, units: whole.units.filter(({ reactor_unit }) => ticked.includes(reactor_unit)) }
        : whole,
    [whole, units.length, ticked],
  );
  const preflight = usePreflight(filename, experiment, units);
  const report = preflight.data;
  const stepAt = useMemo(() => stepsByLine(plan), [plan]);
  const isBlocked = !isDry && !isIgnored && isBlocking(report);
  const start = useStart(filename);
  const isDirty = chosen !== (first ?? null) || ticked.length > 0 || isDry || isIgnored;
  const navigate = useNavigate();
  const may = useMay();
  const submit = (): void => {
    if (experiment === null) return;
    start.mutate(
      { experiment, isDry, isIgnored: isIgnored && isBlocking(report), units },
      {
        onSuccess: (run) => {
          onClose();
          if (run !== undefined)
            void navigate({ to: '/experiments/$experiment/profiles/$run', params: { experiment, run } });
        },
      },
    );
  };
  return (
    <Dialog title={protocolsWords.runNamed(filename)} isOpen onClose={onClose} isDirty={isDirty} size="lg">
      <ConcernedExperiment value={experiment ?? undefined}>
        <Stack gap="md">
          <Select
            label={commonWords.experiment}
            placeholder={protocolsWords.chooseExperimentOfRun}
            searchable
            allowDeselect={false}
            data={open.map((each) => each.experiment)}
            value={experiment}
            onChange={(other) => {
              setExperiment(other);
              // Another experiment has other units.
              setTicked([]);
            }}
          />
          {experiments !== undefined && open.length === 0 && (
            <Text size="sm">
              {protocolsWords.noExperimentIsRunning(
                <Link to="/experiments" className="page-link in-text">
                  {protocolsWords.createOne}
                </Link>,
              )}
            </Text>
          )}
          {whole !== undefined && whole.units.length > 1 && (
            <MultiSelect
              label={commonWords.units}
              placeholder={units.length === 0 ? commonWords.all : ''}
              data={whole.units.map((each) => ({ value: each.reactor_unit, label: nameOf(each) }))}
              value={[...units]}
              onChange={setTicked}
              clearable
              comboboxProps={{ withinPortal: false }}
              withScrollArea={false}
            />
          )}
          <Checkbox
            label={protocolsWords.dryRun}
            description={protocolsWords.dryRunHelp}
            checked={isDry}
            onChange={(event) => setDry(event.currentTarget.checked)}
          />
          {planError && <ProblemAlert error={planError} />}
          {experiment !== null && plan !== undefined && (
            <Consequences plan={plan} experiment={experiment} isDry={isDry} />
          )}
          {preflight.error && <ProblemAlert error={preflight.error} />}
          {experiment !== null && !isDry && !preflight.error && (
            <Preflight
              report={report}
              stepAt={stepAt}
              isIgnored={isIgnored}
              onIgnore={setIgnored}
              onStopped={() => void preflight.refetch()}
            />
          )}
          {start.error && <ProblemAlert error={start.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {commonWords.cancel}
            </Button>
            <Button
              disabled={experiment === null || isBlocked || (!isDry && preflight.isPending)}
              loading={start.isPending}
              onClick={submit}
              {...may(nodeApi.runJob, leaderApi.listRecentProfileRuns)}
            >
              {isDry ? protocolsWords.startDryRun : protocolsWords.startRun}
            </Button>
          </DialogActions>
        </Stack>
      </ConcernedExperiment>
    </Dialog>
  );
}
