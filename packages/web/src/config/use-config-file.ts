import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLeaderClient } from '../api/clients.ts';
import { type ConfigFileText, queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

/** The text of a file with its version, which only a header of the answer has. */
async function readConfigFile(unit: string | undefined, signal: AbortSignal): Promise<ConfigFileText> {
  let version: string | undefined;
  const client = createLeaderClient((response) => {
    version = response.headers.get('etag')?.replaceAll('"', '');
  });
  const text =
    unit === undefined
      ? await client.getSharedConfig({ signal })
      : await client.getSpecificConfig({ params: { reactor_unit: unit }, signal });
  return { text, version };
}

/** A configuration file; without `unit` the shared one. */
export const useConfigFile = (unit: string | undefined) =>
  useQuery({
    queryKey: queryKeys.configFile(unit),
    queryFn: ({ signal }) => readConfigFile(unit, signal),
  });

/** Its newest earlier versions, newest first. */
export function useConfigHistory(unit: string | undefined, limit: number) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.configHistory(unit, limit),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      unit === undefined
        ? leader.listSharedConfigHistory({ query: { limit, authors: true }, signal })
        : leader.listSpecificConfigHistory({ params: { reactor_unit: unit }, query: { limit, authors: true }, signal }),
  });
}

interface Save {
  readonly code: string;
  /** The version that was edited; undefined: the save replaces any version. */
  readonly basedOn: string | undefined;
}

/** Saves the file, unless another person has saved another version meanwhile. */
export function useSaveConfig(unit: string | undefined) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ code, basedOn }: Save) => {
      const body = { code, ...(basedOn !== undefined && { based_on: basedOn }) };
      return unit === undefined
        ? leader.saveSharedConfig({ body })
        : leader.saveSpecificConfig({ params: { reactor_unit: unit }, body });
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.allConfigFiles }),
  });
}
