import { Alert, Button, Group, Text } from '@mantine/core';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { UnpluggedIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';

/** Warns that the shown data may be out of date. */
export function ConnectionNotice() {
  const { live } = useServices();
  const phase = useConnectionPhase();
  const lastKnown = useLastKnown();
  if (lastKnown === null || phase === 'suspended') return null;
  return (
    <Alert color="orange" variant="light" icon={<UnpluggedIcon />} mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{appWords.leaderSilent(lastKnown)}</Text>
        <Button size="xs" variant="default" onClick={() => live.resume()}>
          {appWords.tryNow}
        </Button>
      </Group>
    </Alert>
  );
}
