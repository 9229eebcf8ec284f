import { minuteMs } from '@lcs/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import { readPlugins } from './read-plugins.ts';

const taskTimeoutMs = 20_000;
/** More than the leader gives its units to fetch a package from the registry. */
const longestChangeMs = 11 * minuteMs;

/** The plugins of all units. */
export function usePlugins() {
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

/** The index of plugins as the leader has read it. */
export function useAvailablePlugins() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.availablePlugins,
    queryFn: ({ signal }) => leader.listAvailablePlugins({ signal }),
    staleTime: 0,
  });
}

const nameOf = (unit: string): string => unit;

/** Installs and removes plugins on all units, one change at a time. */
export function usePluginChange() {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { command, send, dismiss } = useUnitCommand(null, nameOf, longestChangeMs);
  const change = useCallback(
    async (what: string, operation: 'installUnitPlugin' | 'uninstallUnitPlugin', name: string, version?: string) => {
      const body = { args: [name], ...(version !== undefined && { options: { version } }) };
      await send(what, () => leader[operation]({ params: { reactor_unit: broadcast }, body }));
      // Jobs and charts of plugins come and go with them.
      await cache.invalidateQueries();
    },
    [send, leader, cache],
  );
  return {
    command,
    dismiss,
    isBusy: command.phase === 'pending',
    /** Without a version: the newest of the registry. */
    install: (name: string, version?: string) =>
      void change(
        systemWords.installNamed(name, version === undefined ? '' : ` ${version}`),
        'installUnitPlugin',
        name,
        version,
      ),
    remove: (name: string) => void change(commonWords.removeNamed(name), 'uninstallUnitPlugin', name),
  };
}

export type PluginChange = ReturnType<typeof usePluginChange>;
