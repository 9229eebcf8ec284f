import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { newProfile } from './editor-search.ts';
import { NewestRuns } from './newest-runs.tsx';
import { SavedProfiles } from './saved-profiles.tsx';
import { StartingPoints } from './starting-points.tsx';

/** The experiment profiles: saved ones, those to start from, and their runs. */
export function ProtocolsPage() {
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.protocols)}</title>
      <Group justify="space-between">
        <div>
          <Title order={1} size="h2">
            {commonWords.protocols}
          </Title>
          <Text size="sm" c="dimmed">
            {protocolsWords.profileHelp}
          </Text>
        </div>
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/protocols/$file" params={{ file: newProfile }} {...props} />}
        >
          {protocolsWords.writeProfileYaml}
        </Button>
      </Group>
      <PartBoundary part={protocolsWords.listOfProfiles}>
        <SavedProfiles />
      </PartBoundary>
      <PartBoundary part={protocolsWords.library}>
        <StartingPoints />
      </PartBoundary>
      <PartBoundary part={protocolsWords.listOfRuns}>
        <NewestRuns />
      </PartBoundary>
    </Stack>
  );
}
