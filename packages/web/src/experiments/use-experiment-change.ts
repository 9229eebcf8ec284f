import type { ExperimentChange } from '@lcs/contract';
import { useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem.ts';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

/** Changes an experiment; the lists show the change at once. */
export function useExperimentChange(experiment: string, onDone?: () => void) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: ExperimentChange) => leader.updateExperiment({ params: { experiment }, body }),
    onSuccess: (saved) => {
      applyLiveEvent(cache, 'experiment', saved, clock.now());
      onDone?.();
    },
  });
}

/** Why a change was refused, in one line. */
export function refusalText(error: Error): string {
  const { error: what, cause } = problemText(error);
  return [...new Set([what, cause])].join(' ');
}
