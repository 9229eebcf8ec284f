import type { JobOrigin } from '@lcs/node';
import type { Clock } from '@lcs/platform';

/** A stretch of a pump; below 0 ms: it ran shorter than announced. */
export interface PumpStretch {
  readonly output: string;
  readonly percent: number;
  readonly ranMs: number;
}

export interface UnaccountedRunsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly isPump: (output: string) => boolean;
  /** Whether an open dose of this job accounts for this output. */
  readonly isAccounted: (jobId: number, output: string) => boolean;
  /** On disk when it resolves. @throws StoreError; it is written with the next entry */
  readonly enter: (job: JobOrigin, stretch: PumpStretch) => Promise<void>;
  /** A pump that stood still runs now. */
  readonly began: (job: JobOrigin, output: string, forMs: number) => void;
}

/** The present run of an output. */
interface Run {
  readonly percent: number;
  readonly untilMs: number;
}

/** Shorter differences are the precision of a timer, ms. */
const noTimeMs = 1;

const keyOf = (job: JobOrigin, output: string): string => `${job.jobId}/${output}`;

/**
 * Runs of pumps that no dose accounts for: jobs of plugins drive the outputs of pumps themselves. Their times are in the ledger before the
 * pump runs, so that the next guard knows them; the volume is what the plugin reports.
 */
export class UnaccountedRuns {
  readonly #options: UnaccountedRunsOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: UnaccountedRunsOptions) {
    this.#options = options;
  }

  /**
   * An output is about to be driven for a time; the returned function takes that back when the guard refuses it.
   * @throws StoreError: it must not be driven
   */
  async begin(job: JobOrigin, output: string, percent: number, forMs: number): Promise<() => Promise<void>> {
    const { clock, isPump, isAccounted, enter, began } = this.#options;
    if (!isPump(output) || isAccounted(job.jobId, output)) return async () => {};
    const key = keyOf(job, output);
    const nowMs = clock.monotonic();
    const before = this.#runs.get(key);
    // A renewal of a run is entered with the time that it adds.
    const addedMs = nowMs + forMs - Math.max(nowMs, before?.untilMs ?? nowMs);
    const run: Run = { percent, untilMs: nowMs + forMs };
    this.#runs.set(key, run);
    if (Math.abs(addedMs) >= noTimeMs) await enter(job, { output, percent, ranMs: addedMs });
    if (before === undefined || before.untilMs < nowMs) began(job, output, forMs);
    return async () => {
      // Its end has taken it back already, or a later run counts from its end.
      if (this.#runs.get(key) !== run) return;
      if (before === undefined) this.#runs.delete(key);
      else this.#runs.set(key, before);
      await enter(job, { output, percent, ranMs: -addedMs });
    };
  }

  /** An output is off: takes back the time that did not pass. Never rejects: an entry that the disk refuses is written with the next one. */
  async end(job: JobOrigin, output: string): Promise<void> {
    const key = keyOf(job, output);
    const run = this.#runs.get(key);
    if (run === undefined) return;
    this.#runs.delete(key);
    const leftMs = run.untilMs - this.#options.clock.monotonic();
    if (leftMs < noTimeMs) return;
    await this.#options.enter(job, { output, percent: run.percent, ranMs: -leftMs }).catch(() => {});
  }
}
