import { ApiError } from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type { JobRuntime } from './job-runtime.ts';

/** People stop such a job to have it started anew. */
const pauseMs = 1_000;
/** A store that takes nothing, for instance on a full disk, is asked again this often. */
const retryMs = 10_000;

/** Keeps a job running from the start of its node on, whatever it was before, and starts it again whenever it has ended. */
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
        log.error('A job that always runs could not be started, and is tried again', { job, error: String(error) });
        return runAfter(retryMs);
      }
      // Somebody else has started it meanwhile.
      if (error.code === 'job_already_running') return;
      if (error.code === 'job_start_overtaken') return runAfter(pauseMs);
      // The node works without it; the log of the job states the reason.
      log.error('A job that always runs could not be started', { job, cause: error.body.cause });
    }
  };

  const runAfter = (ms: number): void => {
    cancel();
    // A start that was under way then has failed: the process must be able to end.
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
        // One that could not even start would fail again.
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
