import { ProblemError, type ProfileDiagnostic } from '@lcs/contract';
import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLeaderClient } from '../api/clients.ts';
import { type ProfileFileText, queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

/** The live stream does not announce changes of profiles. */
const filePollMs = 15_000;

/** The text of a file with its version, which only a header of the answer has. */
async function readProfile(filename: string, signal: AbortSignal): Promise<ProfileFileText> {
  let version: string | undefined;
  const client = createLeaderClient((response) => {
    version = response.headers.get('etag') ?? undefined;
  });
  return { text: await client.getExperimentProfile({ params: { filename }, signal }), version };
}

/** A saved profile; without `filename` none. */
export const useProfileFile = (filename: string | undefined) =>
  useQuery({
    queryKey: queryKeys.profile(filename ?? ''),
    queryFn: filename === undefined ? skipToken : ({ signal }) => readProfile(filename, signal),
    staleTime: 0,
    refetchInterval: filePollMs,
  });

/** Another person has saved the file since it was read. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && error.body.code === 'profile_changed';

const nameFaults: readonly string[] = ['profile_exists', 'profile_name_invalid'];

/** The name of a new profile is not possible. */
export const isNameFault = (error: unknown): boolean =>
  error instanceof ProblemError && nameFaults.includes(error.body.code);

interface Save {
  readonly filename: string;
  readonly text: string;
  /** The version that was edited; undefined: the profile is new. */
  readonly replaced: ProfileFileText | undefined;
}

/** Saves a profile, unless another person has saved another version meanwhile. */
export function useSaveProfile() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ filename, text: body, replaced }: Save) => {
      if (replaced === undefined) await leader.createExperimentProfile({ body: { filename, body } });
      else
        await leader.saveExperimentProfile({
          params: { filename },
          query: {},
          body: { body },
          ...(replaced.version !== undefined && { ifMatch: replaced.version }),
        });
    },
    onSettled: async (_answer, _error, { filename }) => {
      void cache.invalidateQueries({ queryKey: queryKeys.profiles });
      await cache.invalidateQueries({ queryKey: queryKeys.profile(filename) });
    },
  });
}

/** Deletes a profile, unless another person has saved another version meanwhile. */
export function useDeleteProfile() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ filename, etag }: { readonly filename: string; readonly etag: string | undefined }) =>
      leader.deleteExperimentProfile({ params: { filename }, ...(etag !== undefined && { ifMatch: etag }) }),
    onSuccess: (_answer, { filename }) => {
      cache.removeQueries({ queryKey: queryKeys.profile(filename) });
      return cache.invalidateQueries({ queryKey: queryKeys.profiles });
    },
  });
}

/** When the actions of a valid text take place; the plan of the text before until it is known. */
export function usePlan(text: string, experiment: string | undefined, isValid: boolean) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.profilePlan(text, experiment),
    queryFn: isValid
      ? ({ signal }) =>
          leader.planExperimentProfile({
            body: { body: text, ...(experiment !== undefined && { experiment }) },
            signal,
          })
      : skipToken,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** What a run of a saved profile needs in an experiment, on the chosen units or on all, and does not have now. */
export function usePreflight(filename: string, experiment: string | null, chosen: readonly string[]) {
  const { leader } = useServices();
  const units = chosen.join(',');
  return useQuery({
    queryKey: queryKeys.profilePreflight(filename, experiment ?? '', units),
    queryFn:
      experiment === null
        ? skipToken
        : ({ signal }) =>
            leader.preflightExperimentProfile({ params: { experiment }, body: { filename, units }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

const noDiagnostics: readonly ProfileDiagnostic[] = [];

/** The findings in a text; those of the text before until it is checked. A check that is not needed any more is cancelled. */
export function useProfileCheck(text: string) {
  const { leader } = useServices();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: queryKeys.profileCheck(text),
    queryFn: ({ signal }) => leader.checkExperimentProfile({ body: { body: text }, signal }),
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return {
    diagnostics: data?.diagnostics ?? noDiagnostics,
    notRunnable: data?.not_runnable_because ?? [],
    isValid: data?.valid,
    isOfBefore: isPlaceholderData,
    error,
  };
}
