import { waitForTask } from '@lcs/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../app/services.tsx';
import { seenCamera } from './seen-camera.ts';
import { sleepOn } from './use-job-control.ts';

/** Stills come every few minutes. */
const lookEveryMs = 60_000;
const taskTimeoutMs = 60_000;

/** The unit says why. */
export class StillNotTaken extends Error {}

/** The camera of a unit, its newest still, and the way to a new one. */
export function useCamera(unit: string, experiment: string) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const params = { reactor_unit: unit, experiment };
  const queryKey = queryKeys.cameras(experiment);
  const cameras = useQuery({
    queryKey,
    queryFn: ({ signal }) => leader.listCameras({ params: { experiment }, signal }),
    refetchInterval: lookEveryMs,
  });
  const take = useMutation({
    mutationFn: async () => {
      const signal = AbortSignal.timeout(taskTimeoutMs);
      const task = await waitForTask('', await leader.takeStill({ params }), { sleep: sleepOn(clock), signal });
      if (task.status === 'failed') throw new StillNotTaken(task.cause);
      await cache.invalidateQueries({ queryKey });
    },
  });
  return { camera: cameras.data && seenCamera(cameras.data, unit), take };
}
