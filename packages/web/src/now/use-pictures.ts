import type { CamerasOfExperiment } from '@lcs/contract';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { pictureUrl } from '../units/picture-url.ts';

/** Stills come every few minutes. */
const pollMs = 60_000;

/** The address of the newest picture of a unit. */
export type Pictures = (unit: string, experiment: string) => string | undefined;

/** The newest picture of each unit that has one. What checks the answers of units is loaded after the page has been drawn. */
async function picturesIn(cameras: CamerasOfExperiment, experiment: string): Promise<ReadonlyMap<string, string>> {
  const { cameraOf } = await import('../units/camera-of.ts');
  return new Map(
    Object.keys(cameras.cameras).flatMap((unit) => {
      const still = cameraOf(cameras, unit)?.latest_still;
      return still ? [[unit, pictureUrl(unit, experiment, still.image_id)] as const] : [];
    }),
  );
}

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
