import { leaderApi, minuteMs } from '@lcs/contract';
import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './plugins-panel.module.css';
import { type FleetPlugin, readPlugins } from './read-plugins.ts';

const taskTimeoutMs = 20_000;
/** More than the leader gives its units to fetch a package from the registry. */
const longestChangeMs = 11 * minuteMs;

function usePlugins() {
  const { leader, clock } = useServices();
  return useQuery({
    queryKey: ['plugins'],
    queryFn: async ({ signal }) => {
      const accepted = await leader.listUnitPlugins({ params: { reactor_unit: broadcast }, signal });
      return readPlugins(await followTask(clock, accepted, taskTimeoutMs, signal));
    },
    staleTime: 0,
  });
}

function Plugin({ plugin, onRemove }: { readonly plugin: FleetPlugin; readonly onRemove: () => void }) {
  const { name, description, author, places } = plugin;
  const may = useMay();
  return (
    <li className={styles.plugin} data-plugin={name}>
      <div className={styles.about}>
        <h3 className={styles.name}>{name}</h3>
        <Text size="sm">{[description, author === 'Unknown' ? null : `By ${author}.`].filter(Boolean).join(' ')}</Text>
        <ul className={styles.places} aria-label={`Units with ${name}`}>
          {places.map(({ unit, version, error }) => (
            <li key={unit} data-broken={error !== null || undefined}>
              {unit} {version}
              {error !== null && `: cannot be used. ${error}`}
            </li>
          ))}
        </ul>
      </div>
      <Button
        size="xs"
        variant="default"
        onClick={onRemove}
        aria-label={`Remove ${name}`}
        {...may(leaderApi.uninstallUnitPlugin)}
      >
        Remove…
      </Button>
    </li>
  );
}

/** Asks before a plugin is removed from all units. */
function RemovePlugin(props: { readonly name: string; readonly onClose: () => void; readonly onRemove: () => void }) {
  const { name, onClose, onRemove } = props;
  return (
    <Dialog title={`Remove ${name} from all units?`} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">Its jobs are stopped and can no longer be started. Their measurements are kept.</Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={onRemove}>
            Remove
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
        label="Package name"
        description="Its code runs on the leader and on all units: install only what you trust."
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
        Install on all units
      </Button>
    </form>
  );
}

const nameOf = (unit: string): string => unit;

/** The plugins of all units; installs and removes them. */
export function PluginsPanel() {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { data, error, isFetching, refetch } = usePlugins();
  const { command, send, dismiss } = useUnitCommand(null, nameOf, longestChangeMs);
  const [removing, setRemoving] = useState<string | null>(null);
  const change = useCallback(
    async (what: string, operation: 'installUnitPlugin' | 'uninstallUnitPlugin', name: string) => {
      await send(what, () => leader[operation]({ params: { reactor_unit: broadcast }, body: { args: [name] } }));
      // Jobs and charts of plugins come and go with them.
      await cache.invalidateQueries();
    },
    [send, leader, cache],
  );
  return (
    <Panel title="Plugins">
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label="Loading plugins" />}
      {data && data.plugins.length === 0 && (
        <Text size="sm" c="dimmed">
          No plugin is installed. Plugins add jobs, automations, charts and datasets.
        </Text>
      )}
      {data && data.plugins.length > 0 && (
        <ul className={styles.plugins} aria-label="Plugins">
          {data.plugins.map((plugin) => (
            <Plugin key={plugin.name} plugin={plugin} onRemove={() => setRemoving(plugin.name)} />
          ))}
        </ul>
      )}
      {data && data.unanswered.length > 0 && (
        <Text size="sm" c="var(--page-warning)">
          No answer from: {data.unanswered.join(', ')}.
        </Text>
      )}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
      <InstallPlugin
        isBusy={command.phase === 'pending'}
        onInstall={(name) => void change(`Install ${name}`, 'installUnitPlugin', name)}
      />
      {removing !== null && (
        <RemovePlugin
          name={removing}
          onClose={() => setRemoving(null)}
          onRemove={() => {
            setRemoving(null);
            void change(`Remove ${removing}`, 'uninstallUnitPlugin', removing);
          }}
        />
      )}
    </Panel>
  );
}
