import { Stack, Title } from '@mantine/core';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import { AvailablePluginsPanel } from './available-plugins.tsx';
import { BackupsPanel } from './backups-panel.tsx';
import { PluginsPanel } from './plugins-panel.tsx';
import { usePluginChange, usePlugins } from './use-plugins.ts';

/** Copies of the leader's data. */
export const BackupsPage = () => (
  <Stack>
    <title>{commonWords.pageTitle(commonWords.backups)}</title>
    <Title order={1} size="h2">
      {commonWords.backups}
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
      <title>{commonWords.pageTitle(commonWords.plugins)}</title>
      <Title order={1} size="h2">
        {commonWords.plugins}
      </Title>
      <PluginsPanel plugins={plugins} change={change} />
      <PartBoundary part={systemWords.listOfAvailablePlugins}>
        <AvailablePluginsPanel
          installed={plugins.data?.plugins ?? []}
          units={plugins.data?.answered ?? []}
          change={change}
        />
      </PartBoundary>
    </Stack>
  );
}
