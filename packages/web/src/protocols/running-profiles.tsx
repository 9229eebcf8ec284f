import { countedFailures } from '@lcs/domain';
import { Alert, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useDated } from '../services/use-ticking.ts';
import { ListIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { runningProfilesWords } from '../words/running-profiles.ts';
import { hasFailures, runStateText } from './run-state.ts';
import { useLastRun, useRunningProfiles } from './use-run.ts';

interface RunNoticeProps {
  readonly experiment: string;
  readonly run: string;
  readonly name: string;
  readonly isFaulty: boolean;
  readonly children: ReactNode;
}

const RunNotice = ({ experiment, run, name, isFaulty, children }: RunNoticeProps) => (
  <Alert color={isFaulty ? 'yellow' : 'sea'} variant="light" icon={<ListIcon />} p="xs">
    <Text size="sm">
      {runningProfilesWords.partProfile}{' '}
      <Link to="/experiments/$experiment/profiles/$run" params={{ experiment, run }} className="page-link in-text">
        {name}
      </Link>{' '}
      {children}
    </Text>
  </Alert>
);

/** The newest run, if it has ended without having done all of its profile: that is not over with its end. */
function FailedRun({ experiment }: { readonly experiment: string }) {
  const { data = [] } = useLastRun(experiment);
  const [run] = data;
  if (run === undefined || run.ended_at === null || !hasFailures(run)) return null;
  return (
    <RunNotice {...{ experiment, run: run.run_id, name: run.experiment_profile_name }} isFaulty>
      {runningProfilesWords.endedWithFailuresAt(
        runStateText(run, false).replace(/^./, (first) => first.toLowerCase()),
        <Moment ms={Date.parse(run.ended_at)} />,
      )}
    </RunNotice>
  );
}

/** Links to the runs of profiles that are under way in an experiment, and to a last one with failures. */
export function RunningProfiles({ experiment }: { readonly experiment: string }) {
  const { data = [] } = useRunningProfiles(experiment);
  const dated = useDated();
  const runs = data.flatMap((run) => (run.run_id === null ? [] : [{ ...run, run_id: run.run_id }]));
  return (
    <>
      {runs.map(({ run_id: run, settings, asks_about, failed_actions: failed }) => {
        const state =
          asks_about !== null
            ? runningProfilesWords.asksAboutMissedAction
            : settings.$state === 'sleeping'
              ? runningProfilesWords.isPaused
              : runningProfilesWords.isRunning;
        const name = String(settings.experiment_profile_name);
        return (
          <RunNotice key={run} {...{ experiment, run, name }} isFaulty={failed > 0}>
            {dated(state)}
            {failed > 0 && runningProfilesWords.endedWithFailures(countedFailures(failed))}.
          </RunNotice>
        );
      })}
      <FailedRun experiment={experiment} />
    </>
  );
}
