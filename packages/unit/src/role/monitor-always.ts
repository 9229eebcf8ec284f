import { ApiError } from '@lcs/contract';
import type { Clock, JobRuntime, Living, Log } from '@lcs/platform';

const monitor = 'monitor';

/** People stop it to have it started anew. */
const pauseMs = 1_000;

/** Passing reasons for which a start is refused. */
const passing: readonly string[] = ['job_requested_recently', 'job_start_overtaken'];

/** Watches over the unit itself from the start of its node on, whatever it was before, and again whenever it has ended. */
export function monitorAlways(runtime: JobRuntime, log: Log, clock: Pick<Clock, 'after'>): Living {
  let cancel = () => {};
  let ignore = () => {};
  let wasReady = false;

  const run = async (): Promise<void> => {
    try {
      const { generation } = runtime.accept(monitor, { env: { JOB_SOURCE: 'node' } });
      await runtime.run(monitor, generation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (passing.includes(error.body.code)) return runSoon();
      // A unit that cannot watch itself can still measure; the log of the job says why.
      log.error('The monitor could not be started', { cause: error.body.cause });
    }
  };

  const runSoon = (): void => {
    cancel();
    cancel = clock.after(pauseMs, () => {
      run().catch((error: unknown) => log.error('The monitor could not be started again', { error }));
    });
  };

  return {
    name: 'start of the monitor',
    start: async () => {
      ignore = runtime.topics.states.listen(({ state }, job) => {
        if (job !== monitor) return;
        // One that could not even start would fail again.
        if (state === 'disconnected' && wasReady) runSoon();
        wasReady = state !== 'disconnected' && (wasReady || state === 'ready');
      });
      await run();
    },
    stop: async () => {
      ignore();
      cancel();
    },
  };
}
