import { dosingAutomationJob } from '@lcs/domain';
import type { Services } from '../services/services.tsx';
import { stopsWords } from '../words/stops.ts';
import type { StoppedJob } from './start-again.ts';

/**
 * The request that starts a stopped job with the values that it had.
 * @param mayDilute without another decision of a person
 */
export const startOfStopped = (
  leader: Services['leader'],
  { unit, experiment, jobName, options, endsAt }: StoppedJob,
  { mayDilute, reason = '' }: { readonly mayDilute: boolean; readonly reason?: string },
) => ({
  unit,
  goal: { job: jobName, experiment, runs: true },
  request: () =>
    leader.runWorkerJob({
      params: { reactor_unit: unit, job: jobName, experiment },
      body: {
        options,
        env: { JOB_SOURCE: 'user' },
        confirm_dilution: mayDilute && jobName === dosingAutomationJob.name,
        ...(endsAt !== undefined && { ends_at: endsAt }),
      },
      reason: reason === '' ? stopsWords.startAgainAfterStop : reason,
    }),
});
