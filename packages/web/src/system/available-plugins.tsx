import { type AvailablePlugin, type AvailablePlugins, leaderApi } from '@lcs/contract';
import { Anchor, Button, Code, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { SearchIcon } from '../ui/icons.tsx';
import { Day, Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import { matching, type Offer, offerOf, originText } from './available-text.ts';
import styles from './plugins-panel.module.css';
import type { FleetPlugin } from './read-plugins.ts';
import { type PluginChange, useAvailablePlugins } from './use-plugins.ts';

/** So many are shown; the search finds the others. */
const mostShown = 50;

function Available({
  plugin,
  offer: { action, present },
  isBusy,
  onInstall,
}: {
  readonly plugin: AvailablePlugin;
  readonly offer: Offer;
  readonly isBusy: boolean;
  readonly onInstall: () => void;
}) {
  const { name, version, description, author, homepage, published_at } = plugin;
  const may = useMay();
  return (
    <li className={styles.plugin} data-available={name}>
      <div className={styles.about}>
        <h3 className={styles.name} translate="no">
          {name} {version}
        </h3>
        <Text size="sm" translate="no">
          {description ?? systemWords.noDescription}
        </Text>
        <Text size="sm" c="dimmed">
          {author !== null && systemWords.byAuthor(author)}
          {published_at !== null && (
            <>
              {author !== null && ', '}
              <Day ms={Date.parse(published_at)} />
            </>
          )}
          {homepage !== null && (
            <>
              {' · '}
              <Anchor href={homepage} target="_blank" rel="noreferrer" size="sm">
                {systemWords.itsPage}
              </Anchor>
            </>
          )}
        </Text>
        {present !== null && <Text size="sm">{present}</Text>}
      </div>
      {action !== null && (
        <Button
          size="xs"
          variant="default"
          disabled={isBusy}
          onClick={onInstall}
          aria-label={`${action} ${name}`}
          {...may(leaderApi.installUnitPlugin)}
        >
          {action}…
        </Button>
      )}
    </li>
  );
}

/** Where the list comes from, how old it is, and why it is not newer. */
function Source({ source, checked_at, problem }: AvailablePlugins) {
  if (source === null) return <Text size="sm">{systemWords.listSwitchedOff}</Text>;
  return (
    <>
      {problem !== null && (
        <Text size="sm" role="status" c="var(--page-warning)" data-offline>
          {systemWords.listNotRead(problem)}
        </Text>
      )}
      {checked_at !== null && (
        <Text size="sm" c="dimmed">
          {systemWords.fromRead(source, <Moment ms={Date.parse(checked_at)} />)}
        </Text>
      )}
    </>
  );
}

/** Asks before code of others is installed. */
function ConfirmInstall(props: {
  readonly plugin: AvailablePlugin;
  readonly source: string | null;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  const { plugin, onClose, onConfirm } = props;
  return (
    <Dialog title={systemWords.installOnAllUnitsNamed(plugin.name, plugin.version)} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{systemWords.installConsequence(plugin.author, originText(props.source))}</Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button onClick={onConfirm}>{systemWords.installOnAllUnits}</Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

/** The plugins that can be installed from the index of the leader. */
export function AvailablePluginsPanel({
  installed,
  units,
  change,
}: {
  readonly installed: readonly FleetPlugin[];
  /** Those that have reported their plugins. */
  readonly units: readonly string[];
  readonly change: PluginChange;
}) {
  const { data, error, isFetching, refetch } = useAvailablePlugins();
  const [search, setSearch] = useState('');
  const [asked, setAsked] = useState<AvailablePlugin>();
  const found = matching(data?.plugins ?? [], search);
  return (
    <Panel title={systemWords.availablePlugins}>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={systemWords.loadingListOfPlugins} />}
      {data && <Source {...data} />}
      {data && data.install_problem !== null && (
        <Text size="sm" data-install-problem>
          {systemWords.pluginsCannotBeInstalledNow(<Code>{data.install_problem}</Code>)}
        </Text>
      )}
      {data && data.plugins.length > 0 && (
        <TextInput
          type="search"
          size="xs"
          mt="xs"
          maw={360}
          aria-label={systemWords.searchAvailablePlugins}
          placeholder={systemWords.nameDescriptionAuthor}
          leftSection={<SearchIcon size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {data && data.checked_at !== null && found.length === 0 && (
        <Text size="sm">
          {data.plugins.length === 0 ? systemWords.listHasNoPluginsYet : systemWords.noPluginMatches}
        </Text>
      )}
      {found.length > 0 && (
        <ul className={styles.plugins} aria-label={systemWords.availablePlugins}>
          {found.slice(0, mostShown).map((plugin) => (
            <Available
              key={plugin.name}
              plugin={plugin}
              offer={offerOf(plugin, installed, units)}
              isBusy={change.isBusy || (data !== undefined && data.install_problem !== null)}
              onInstall={() => setAsked(plugin)}
            />
          ))}
        </ul>
      )}
      {found.length > mostShown && <Text size="sm">{systemWords.moreFound(found.length - mostShown)}</Text>}
      {asked !== undefined && (
        <ConfirmInstall
          plugin={asked}
          source={data?.source ?? null}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            change.install(asked.name, asked.version);
          }}
        />
      )}
    </Panel>
  );
}
