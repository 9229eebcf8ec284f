import { Stack, Title } from '@mantine/core';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { AvailablePluginsPanel } from './available-plugins.tsx';
import { BackupsPanel } from './backups-panel.tsx';
import { PluginsPanel } from './plugins-panel.tsx';
import { usePluginChange, usePlugins } from './use-plugins.ts';

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
export function PluginsPage() {
  const plugins = usePlugins();
  const change = usePluginChange();
  return (
    <Stack>
      <title>Plugins – Leader Control Service</title>
      <Title order={1} size="h2">
        Plugins
      </Title>
      <PluginsPanel plugins={plugins} change={change} />
      <PartBoundary part="The list of available plugins">
        <AvailablePluginsPanel
          installed={plugins.data?.plugins ?? []}
          units={plugins.data?.answered ?? []}
          change={change}
        />
      </PartBoundary>
    </Stack>
  );
}
