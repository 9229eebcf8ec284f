import { Stack, Title } from '@mantine/core';
import { BackupsPanel } from './backups-panel.tsx';
import { PluginsPanel } from './plugins-panel.tsx';

/** Copies of the leader's data. */
export const BackupsPage = () => (
  <Stack>
    <title>Backups – Leader Control Service</title>
    <Title order={1} size="h2">
      Backups
    </Title>
    <BackupsPanel />
  </Stack>
);

/** Programs that add jobs to units. */
export const PluginsPage = () => (
  <Stack>
    <title>Plugins – Leader Control Service</title>
    <Title order={1} size="h2">
      Plugins
    </Title>
    <PluginsPanel />
  </Stack>
);
