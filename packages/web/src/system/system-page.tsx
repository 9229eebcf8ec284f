import { Stack, Title } from '@mantine/core';
import { BackupsPanel } from './backups-panel.tsx';
import { PluginsPanel } from './plugins-panel.tsx';

/** What keeps the cluster itself: backups of the leader, plugins of the units. */
export function SystemPage() {
  return (
    <Stack>
      <title>System – Leader Control Service</title>
      <Title order={1} size="h2">
        System
      </Title>
      <BackupsPanel />
      <PluginsPanel />
    </Stack>
  );
}
