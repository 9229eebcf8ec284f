import { failureReason } from '@lcs/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { cameraOf } from './camera-of.ts';

/** Stills come every few minutes. */
const pollMs = 60_000;
const taskTimeoutMs = 60_000;

/** Its message is the reason that the unit reports. */
export class StillNotTaken extends Error {}

/** The camera of a unit with its newest still, and how to take a new one. */
export function useCamera(unit: string, experiment: string) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const params = { reactor_unit: unit, experiment };
  const queryKey = queryKeys.cameras(experiment);
  const cameras = useQuery({
    queryKey,
    queryFn: ({ signal }) => leader.listCameras({ params: { experiment }, signal }),
    refetchInterval: pollMs,
  });
  const take = useMutation({
    mutationFn: async () => {
      const task = await followTask(clock, await leader.takeStill({ params }), taskTimeoutMs);
      if (task.status === 'failed') throw new StillNotTaken(readable(failureReason(task)).cause);
      await cache.invalidateQueries({ queryKey });
    },
  });
  return { camera: cameras.data && cameraOf(cameras.data, unit), take };
}
