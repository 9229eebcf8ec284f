import { Button, Group, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useSession } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useTicking } from '../services/use-ticking.ts';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import styles from './acting-bar.module.css';

/** On a shared tablet: who acts, and for how long; or that it only shows. */
export function ActingBar() {
  const { leader, pinPrompt } = useServices();
  const session = useSession();
  const { acting } = useSyncExternalStore(pinPrompt.subscribe, pinPrompt.state);
  const left = useTicking((nowMs) => String(Math.max(0, Math.ceil(((acting?.endsMs ?? nowMs) - nowMs) / 1000))));
  const leave = useMutation({
    // The page forgets the token whatever the leader answers.
    mutationFn: async () => {
      pinPrompt.end();
      await leader.endActing();
    },
  });
  if (session?.kind !== 'tablet') return null;
  if (acting === null)
    return (
      <Text size="sm" c="dimmed" mb="xs">
        {appWords.tabletAsksForPin(session.name)}
      </Text>
    );
  return (
    <Group className={styles.bar} justify="space-between" gap="xs">
      <Text size="sm" fw={600}>
        {appWords.actsHereForSeconds(acting.name, left)}
      </Text>
      <Button size="xs" variant="default" onClick={() => leave.mutate()}>
        {commonWords.done}
      </Button>
    </Group>
  );
}
