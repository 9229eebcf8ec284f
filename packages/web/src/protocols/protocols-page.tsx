import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { newProfile } from './editor-search.ts';
import { NewestRuns } from './newest-runs.tsx';
import { SavedProfiles } from './saved-profiles.tsx';
import { StartingPoints } from './starting-points.tsx';

/** The experiment profiles: saved ones, those to start from, and their runs. */
export function ProtocolsPage() {
  return (
    <Stack>
      <title>Protocols – Leader Control Service</title>
      <Group justify="space-between">
        <div>
          <Title order={1} size="h2">
            Protocols
          </Title>
          <Text size="sm" c="dimmed">
            A profile starts, changes and stops jobs on the units of an experiment, by time and by condition. Choose a
            starting point, set its values, save it and run it.
          </Text>
        </div>
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/protocols/$file" params={{ file: newProfile }} {...props} />}
        >
          Write a profile (YAML)
        </Button>
      </Group>
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
