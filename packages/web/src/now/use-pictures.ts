import type { CamerasOfExperiment } from '@lcs/contract';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { newestImageIn, pictureUrl } from '../units/picture-url.ts';

/** Stills come every few minutes. */
const pollMs = 60_000;

/** The address of the newest picture of a unit. */
export type Pictures = (unit: string, experiment: string) => string | undefined;

/** The newest picture of each unit that has one. */
const picturesIn = ({ cameras }: CamerasOfExperiment, experiment: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(cameras).flatMap(([unit, outcome]) => {
      const image = newestImageIn(outcome.ok ? outcome.value : null);
      return image === null ? [] : [[unit, pictureUrl(unit, experiment, image, 'small')] as const];
    }),
  );

/** The newest pictures of the units of some experiments: one request for each experiment. */
export function usePictures(experiments: readonly string[]): Pictures {
  const { leader } = useServices();
  const cache = useQueryClient();
  const answers = useQueries({
    queries: experiments.map((experiment) => ({
      queryKey: queryKeys.pictures(experiment),
      queryFn: async () => {
        const cameras = await cache.fetchQuery({
          queryKey: queryKeys.cameras(experiment),
          queryFn: ({ signal }) => leader.listCameras({ params: { experiment }, signal }),
          staleTime: 0,
        });
        return picturesIn(cameras, experiment);
      },
      structuralSharing: false,
      refetchInterval: pollMs,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return (unit, experiment) => answers[experiments.indexOf(experiment)]?.get(unit);
}
