import { leaderApi } from '@lcs/contract';
import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import styles from './plugins-panel.module.css';
import type { FleetPlugin } from './read-plugins.ts';
import type { PluginChange, usePlugins } from './use-plugins.ts';

function Plugin({ plugin, onRemove }: { readonly plugin: FleetPlugin; readonly onRemove: () => void }) {
  const { name, description, author, places } = plugin;
  const may = useMay();
  return (
    <li className={styles.plugin} data-plugin={name}>
      <div className={styles.about}>
        <h3 className={styles.name}>{name}</h3>
        <Text size="sm">
          {[description, author === 'Unknown' ? null : systemWords.byAuthorSentence(author)].filter(Boolean).join(' ')}
        </Text>
        <ul className={styles.places} aria-label={systemWords.unitsWith(name)}>
          {places.map(({ unit, version, error }) => (
            <li key={unit} data-broken={error !== null || undefined}>
              {unit} {version}
              {error !== null && systemWords.cannotBeUsed(error)}
            </li>
          ))}
        </ul>
      </div>
      <Button
        size="xs"
        variant="default"
        onClick={onRemove}
        aria-label={commonWords.removeNamed(name)}
        {...may(leaderApi.uninstallUnitPlugin)}
      >
        {commonWords.removeDialog}
      </Button>
    </li>
  );
}

/** Asks before a plugin is removed from all units. */
function RemovePlugin(props: { readonly name: string; readonly onClose: () => void; readonly onRemove: () => void }) {
  const { name, onClose, onRemove } = props;
  return (
    <Dialog title={systemWords.removeFromAllUnits(name)} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{systemWords.uninstallConsequence}</Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button color="red" onClick={onRemove}>
            {commonWords.remove}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

/** Installs a plugin of the registry by its name. */
function InstallPlugin({
  isBusy,
  onInstall,
}: {
  readonly isBusy: boolean;
  readonly onInstall: (name: string) => void;
}) {
  const [name, setName] = useState('');
  const may = useMay();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') onInstall(name.trim());
  };
  return (
    <form onSubmit={submit} className={styles.install}>
      <TextInput
        size="xs"
        label={systemWords.packageName}
        description={systemWords.installWarning}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button
        size="xs"
        type="submit"
        loading={isBusy}
        disabled={name.trim() === ''}
        {...may(leaderApi.installUnitPlugin)}
      >
        {systemWords.installOnAllUnits}
      </Button>
    </form>
  );
}

/** The plugins of all units; removes them, and installs others by their name. */
export function PluginsPanel({
  plugins,
  change,
}: {
  readonly plugins: ReturnType<typeof usePlugins>;
  readonly change: PluginChange;
}) {
  const { data, error, isFetching, refetch } = plugins;
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <Panel title={commonWords.plugins}>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={systemWords.loadingPlugins} />}
      {data && data.plugins.length === 0 && (
        <Text size="sm" c="dimmed">
          {systemWords.noPluginIsInstalled}
        </Text>
      )}
      {data && data.plugins.length > 0 && (
        <ul className={styles.plugins} aria-label={commonWords.plugins}>
          {data.plugins.map((plugin) => (
            <Plugin key={plugin.name} plugin={plugin} onRemove={() => setRemoving(plugin.name)} />
          ))}
        </ul>
      )}
      {data && data.unanswered.length > 0 && (
        <Text size="sm" c="var(--page-warning)">
          {systemWords.noAnswerFrom(data.unanswered.join(', '))}
        </Text>
      )}
      {change.command.phase !== 'idle' && <CommandStatus command={change.command} onDismiss={change.dismiss} />}
      <InstallPlugin isBusy={change.isBusy} onInstall={(name) => change.install(name)} />
      {removing !== null && (
        <RemovePlugin
          name={removing}
          onClose={() => setRemoving(null)}
          onRemove={() => {
            setRemoving(null);
            change.remove(removing);
          }}
        />
      )}
    </Panel>
  );
}
