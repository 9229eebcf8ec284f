import { Stack, Text, Title } from '@mantine/core';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { NewestRuns } from './newest-runs.tsx';
import { SavedProfiles } from './saved-profiles.tsx';
import { StartingPoints } from './starting-points.tsx';

/** The experiment profiles: saved ones, those to start from, and their runs. */
export function ProtocolsPage() {
  return (
    <Stack>
      <title>Protocols – Leader Control Service</title>
      <div>
        <Title order={1} size="h2">
          Protocols
        </Title>
        <Text size="sm" c="dimmed">
          An experiment profile starts, changes and stops jobs on the units of an experiment, by time and by condition.
        </Text>
      </div>
      <PartBoundary part="The list of profiles">
        <SavedProfiles />
      </PartBoundary>
      <PartBoundary part="The library">
        <StartingPoints />
      </PartBoundary>
      <PartBoundary part="The list of runs">
        <NewestRuns />
      </PartBoundary>
    </Stack>
  );
}
