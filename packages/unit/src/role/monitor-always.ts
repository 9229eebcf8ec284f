import { ApiError } from '@lcs/contract';
import type { JobRuntime, Living, Log } from '@lcs/platform';

const monitor = 'monitor';

/** Watches over the unit itself from the start of its node on, whatever it was before. */
export const monitorAlways = (runtime: JobRuntime, log: Log): Living => ({
  name: 'start of the monitor',
  start: async () => {
    try {
      const { generation } = runtime.accept(monitor, { env: { JOB_SOURCE: 'node' } });
      await runtime.run(monitor, generation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A unit that cannot watch itself can still measure; the log of the job says why.
      log.error('The monitor could not be started', { cause: error.body.cause });
    }
  },
  stop: async () => {},
});
