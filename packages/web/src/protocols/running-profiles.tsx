import { countedFailures } from '@lcs/domain';
import { Alert, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ListIcon } from '../ui/icons.tsx';
import { useRunningProfiles } from './use-run.ts';

/** Links to the runs of profiles that are under way in an experiment. */
export function RunningProfiles({ experiment }: { readonly experiment: string }) {
  const { data = [] } = useRunningProfiles(experiment);
  const runs = data.flatMap((run) => (run.run_id === null ? [] : [{ ...run, run_id: run.run_id }]));
  return runs.map(({ run_id: run, settings, asks_about, failed_actions: failed }) => {
    const state =
      asks_about !== null ? 'asks about a missed action' : settings.$state === 'sleeping' ? 'is paused' : 'is running';
    return (
      <Alert key={run} color={failed > 0 ? 'yellow' : 'sea'} variant="light" icon={<ListIcon />} p="xs">
        <Text size="sm">
          The profile{' '}
          <Link to="/experiments/$experiment/profiles/$run" params={{ experiment, run }} className="page-link">
            {String(settings.experiment_profile_name)}
          </Link>{' '}
          {state}
          {failed > 0 && `, with ${countedFailures(failed)}: the link shows which steps were not done`}.
        </Text>
      </Alert>
    );
  });
}
