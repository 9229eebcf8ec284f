import { useQueries } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { pictureUrl } from '../units/picture-url.ts';
import { cameraOf } from '../units/unit-status.ts';

/** Stills come every few minutes. */
const pollMs = 60_000;

/** The address of the newest picture of a unit. */
export type Pictures = (unit: string, experiment: string) => string | undefined;

/** The newest pictures of the units of some experiments: one request for each experiment. */
export function usePictures(experiments: readonly string[]): Pictures {
  const { leader } = useServices();
  const answers = useQueries({
    queries: experiments.map((experiment) => ({
      queryKey: queryKeys.cameras(experiment),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => leader.listCameras({ params: { experiment }, signal }),
      refetchInterval: pollMs,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return (unit, experiment) => {
    const cameras = answers[experiments.indexOf(experiment)];
    const still = cameras && cameraOf(cameras, unit)?.latest_still;
    return still ? pictureUrl(unit, experiment, still.image_id) : undefined;
  };
}
