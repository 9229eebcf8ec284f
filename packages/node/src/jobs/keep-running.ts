import { ApiError } from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type { JobRuntime } from './job-runtime.ts';

/** Users stop such a job to restart it. */
const pauseMs = 1_000;
/** The interval of retries when the store rejects the start, for instance on a full disk. */
const retryMs = 10_000;

/** Starts a job at the start of its node and again whenever it has ended. */
export function keepRunning(
  job: string,
  runtime: Pick<JobRuntime, 'runOwn' | 'topics'>,
  log: Log,
  clock: Pick<Clock, 'after'>,
): Service {
  const stopped = new AbortController();
  let cancel = () => {};
  let ignore = () => {};
  let wasReady = false;

  const run = async (): Promise<void> => {
    try {
      await runtime.runOwn(job, { env: { JOB_SOURCE: 'node' } });
    } catch (error) {
      if (!(error instanceof ApiError)) {
        log.error('A permanent job could not be started; the node retries', { job, error: String(error) });
        return runAfter(retryMs);
      }
      // It was started by another request.
      if (error.code === 'job_already_running') return;
      if (error.code === 'job_start_overtaken') return runAfter(pauseMs);
      // The node works without it; the log of the job has the reason.
      log.error('A permanent job could not be started', { job, cause: error.body.cause });
    }
  };

  const runAfter = (ms: number): void => {
    cancel();
    // A pending start has failed: let the process end.
    if (stopped.signal.aborted) return;
    cancel = clock.after(ms, () => {
      // Its errors are handled there.
      void run();
    });
  };

  return {
    name: `start of ${job}`,
    start: async () => {
      ignore = runtime.topics.states.listen(({ state }, name) => {
        if (name !== job) return;
        // A job that could not start would fail again.
        if (state === 'disconnected' && wasReady) runAfter(pauseMs);
        wasReady = state !== 'disconnected' && (wasReady || state === 'ready');
      });
      await run();
    },
    stop: async () => {
      stopped.abort();
      ignore();
      cancel();
    },
  };
}
