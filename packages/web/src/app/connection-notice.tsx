import { Alert, Button, Group, Text } from '@mantine/core';
import { useConnection } from '../live/use-connection.ts';
import { localTimeText } from '../time/moments.tsx';
import { useTicking } from '../time/use-ticking.ts';
import { UnpluggedIcon } from '../ui/icons.tsx';
import { useServices } from './services.tsx';

/** A blink of the network is not worth moving the page for. */
const patienceMs = 4000;

/** Says that what is shown may be out of date, and that the page goes on working. */
export function ConnectionNotice() {
  const { live } = useServices();
  const state = useConnection();
  const overdue = useTicking((nowMs) => (nowMs - state.since > patienceMs ? 'yes' : 'no')) === 'yes';
  if (state.phase !== 'reconnecting' || !overdue) return null;
  return (
    <Alert color="orange" variant="light" icon={<UnpluggedIcon />} mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          The live connection to the leader broke at {localTimeText(state.since)}. What you see may be out of date; this
          page goes on trying.
        </Text>
        <Button size="xs" variant="default" onClick={() => live.wake()}>
          Try now
        </Button>
      </Group>
    </Alert>
  );
}
