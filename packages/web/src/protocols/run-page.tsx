import { callPath, leaderApi, type PlannedAction, type ProfilePlan, type ProfileRunDetails } from '@lcs/contract';
import { Anchor, Button, Code, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { isNotFound } from '../api/problem.ts';
import { ConcernedExperiment } from '../services/use-may.ts';
import { useDated } from '../services/use-ticking.ts';
import { ListIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { personText } from '../ui/people.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './editor.module.css';
import { markText } from './mark-text.ts';
import { PreflightFindings } from './preflight.tsx';
import { RunControls, RunNotices } from './run-controls.tsx';
import { hasFailures, runStateText, unitsOfRun } from './run-state.ts';
import { DoneSteps, NextSteps } from './run-steps.tsx';
import { actionsByPath, changeText, itemText, notDone, stepsByLine } from './run-words.ts';
import { isCut } from './step-groups.ts';
import { usePlan } from './use-profile-file.ts';
import { type RunKey, useRun, useRunActions, useRunControl, useStopper } from './use-run.ts';

const route = getRouteApi('/experiments/$experiment/profiles/$run');

/** Shown at first, and so many more each time. */
const actionsAtOnce = 100;

function Missing({ experiment }: { readonly experiment: string }) {
  return (
    <EmptyState
      py={48}
      icon={<ListIcon size={40} />}
      title={<h1 className="empty-title">{protocolsWords.hasNoSuchRun(experiment)}</h1>}
      description={protocolsWords.runDeletedOrMisspelled}
    >
      <EmptyState.Actions>
        <Button renderRoot={(props) => <Link to="/protocols" {...props} />} variant="default">
          {protocolsWords.allProfilesAndRuns}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

interface HeadProps {
  readonly params: RunKey;
  readonly run: ProfileRunDetails;
  readonly children: React.ReactNode;
}

function Head({ params, run, children }: HeadProps) {
  const stopper = useStopper(params, run);
  const dated = useDated();
  const state = runStateText(run, run.is_paused);
  const { experiment, profile_filename: file, started_at, ended_at, started_by } = run;
  const units = unitsOfRun(run);
  return (
    <Stack gap={6} component="header">
      <Text size="sm">
        <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
          {experiment}
        </Link>
      </Text>
      <Group justify="space-between">
        <Group gap="4px 16px" align="baseline">
          <Title order={1} size="h3">
            {run.experiment_profile_name}
          </Title>
          <Text fw={600} role="status" className={hasFailures(run) ? 'warning-text' : ''}>
            {run.outcome === null ? dated(state) : state}
          </Text>
        </Group>
        {children}
      </Group>
      <Text size="sm" c="dimmed">
        {protocolsWords.onStarted(
          file,
          units.join(', ') || protocolsWords.noUnits,
          <Moment ms={Date.parse(started_at)} />,
        )}
        {commonWords.byPersonAfter(started_by ?? commonWords.unknownPerson)}
        {ended_at !== null && (
          <>
            {protocolsWords.endedAt(<Moment ms={Date.parse(ended_at)} />)}
            {stopper && protocolsWords.stoppedBy(personText(stopper))}
          </>
        )}
        .
      </Text>
    </Stack>
  );
}

/** So many of the steps that were not carried out are listed at first, and so many more each time. */
const notDoneAtOnce = 30;

function NotDone({ left }: { readonly left: readonly PlannedAction[] }) {
  const [shown, setShown] = useState(notDoneAtOnce);
  if (left.length === 0) return null;
  return (
    <section aria-label={protocolsWords.notCarriedOut}>
      <Text component="h3" size="sm" fw={600} m={0} mt="sm">
        {protocolsWords.notCarriedOutStopped}
      </Text>
      <ul className={styles.notDone}>
        {left.slice(0, shown).map((action) => (
          <li key={`${action.path} ${action.iteration}`}>{markText({ action, isUncertain: false })}</li>
        ))}
      </ul>
      {left.length > shown && (
        <Button size="xs" variant="default" onClick={() => setShown(shown + notDoneAtOnce)}>
          {protocolsWords.countMore(left.length - shown)}
        </Button>
      )}
    </section>
  );
}

/** Who paused, resumed or skipped. */
function Changes({ changes }: { readonly changes: NonNullable<ProfileRunDetails['changes']> }) {
  return (
    <Panel title={protocolsWords.changesOfRun}>
      <ul className={styles.notDone}>
        {changes.map(({ at, kind, account }) => (
          <li key={`${at} ${kind}`}>
            <Moment ms={Date.parse(at)} />: {changeText({ kind, account })}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Done({
  params,
  run,
  known,
  plan,
}: {
  readonly params: RunKey;
  readonly run: ProfileRunDetails;
  readonly known: ReturnType<typeof actionsByPath>;
  readonly plan: ProfilePlan | undefined;
}) {
  const [limit, setLimit] = useState(actionsAtOnce);
  const isRunning = run.outcome === null;
  // Of a run that has ended, what was not carried out is what is missing among all of them.
  const { data, error, isFetching, refetch } = useRunActions(params, isRunning ? limit : undefined, isRunning);
  return (
    <Panel title={commonWords.done}>
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {data === undefined && error === null && (
        <Skeleton height={80} role="status" aria-label={protocolsWords.loadingActions} />
      )}
      {data !== undefined && <DoneSteps actions={data} known={known} />}
      {run.outcome === 'stopped' && data !== undefined && <NotDone left={notDone(plan, data)} />}
      {isRunning && data?.length === limit && (
        <Button size="xs" variant="default" onClick={() => setLimit(limit + actionsAtOnce)}>
          {commonWords.showMore}
        </Button>
      )}
    </Panel>
  );
}

interface RunProps {
  readonly params: RunKey;
  readonly run: ProfileRunDetails;
  /** Reads more of what waits. */
  readonly onMore: () => void;
}

function Run({ params, run, onMore }: RunProps) {
  const control = useRunControl(params);
  const { data: plan } = usePlan(run.profile_text, undefined, true);
  const known = useMemo(() => actionsByPath(plan), [plan]);
  const stepAt = useMemo(() => stepsByLine(plan), [plan]);
  return (
    <Stack>
      <title>{commonWords.pageTitle(run.experiment_profile_name)}</title>
      <Head params={params} run={run}>
        <RunControls run={run} control={control} />
      </Head>
      <RunNotices run={run} control={control} textOf={(item) => itemText(item, known)} />
      <PartBoundary part={protocolsWords.partNextActions}>
        <Panel title={commonWords.next}>
          <NextSteps
            run={run}
            known={known}
            onMore={onMore}
            onSkip={({ reactor_unit, path, iteration }) =>
              control.mutate({ kind: 'skip', to: { reactor_unit, path, iteration } })
            }
          />
        </Panel>
      </PartBoundary>
      <PartBoundary part={protocolsWords.partActionsOfRun}>
        <Done params={params} run={run} known={known} plan={plan} />
      </PartBoundary>
      {run.changes !== undefined && run.changes.length > 0 && <Changes changes={run.changes} />}
      {run.preflight !== null && (
        <Panel title={protocolsWords.checkBeforeStart}>
          <PreflightFindings report={run.preflight} stepAt={stepAt} />
        </Panel>
      )}
      <Panel
        title={protocolsWords.textOfProfileAtStart}
        aside={
          <Anchor
            href={callPath(leaderApi.exportProfileRun, { params: { ...params } })}
            download={`${run.profile_filename}-${run.run_id}.json`}
            size="sm"
          >
            {protocolsWords.downloadRecordOfRun}
          </Anchor>
        }
      >
        <details>
          <summary>{protocolsWords.showText}</summary>
          <Code block>{run.profile_text}</Code>
        </details>
      </Panel>
    </Stack>
  );
}

/** So many of the waiting actions are read at first, and so many more each time. */
const waitingAtOnce = 200;

/** One run of a profile: what it has done, what is next, and its controls. */
export function RunPage() {
  const { experiment, run: run_id } = route.useParams();
  const params = { experiment, run_id };
  const [limit, setLimit] = useState(waitingAtOnce);
  const { data: first, error, isFetching, refetch } = useRun(params, { waiting: limit });
  // A paused run may have been moved to any of its actions.
  const isPaused = first?.is_paused === true;
  const { data: whole } = useRun(params, { waiting: 'all', isEnabled: isPaused && isCut(first) });
  const run = isPaused && whole?.is_paused === true ? whole : first;
  if (isNotFound(error)) return <Missing experiment={experiment} />;
  return (
    <ConcernedExperiment value={experiment}>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {run === undefined && !error && <Skeleton height={240} role="status" aria-label={protocolsWords.loadingRun} />}
      {run !== undefined && <Run params={params} run={run} onMore={() => setLimit(limit + waitingAtOnce)} />}
    </ConcernedExperiment>
  );
}
