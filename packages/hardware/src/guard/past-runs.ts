import { hourMs } from '@lcs/contract/durations';
import type { OutputId, PastRun } from './guard-types.ts';

interface Run {
  readonly output: OutputId;
  readonly percent: number;
  readonly fromMs: number;
  /** The guard ends it then at the latest. */
  readonly untilMs: number;
}

/**
 * The node's record of the timed runs of the last hour, for a new guard. It may overestimate: a run
 * that the guard has cut counts for all of its time.
 */
export class PastRuns {
  #runs: Run[] = [];
  readonly #running = new Map<OutputId, Run>();

  /** The output was set. `forMs`: for that long; undefined: it does not run for a time. */
  set(output: OutputId, percent: number, forMs: number | undefined, nowMs: number): void {
    this.ended([output], nowMs);
    if (percent > 0 && forMs !== undefined)
      this.#running.set(output, { output, percent, fromMs: nowMs, untilMs: nowMs + forMs });
  }

  /** They are off. */
  ended(outputs: readonly OutputId[], nowMs: number): void {
    for (const output of outputs) {
      const run = this.#running.get(output);
      if (run === undefined) continue;
      this.#running.delete(output);
      this.#runs.push({ ...run, untilMs: Math.min(nowMs, run.untilMs) });
    }
    this.#runs = this.#runs.filter(({ untilMs }) => untilMs > nowMs - hourMs);
  }

  /** Runs from before. */
  add(runs: readonly PastRun[], nowMs: number): void {
    for (const { output, percent, ranMs, endedAgoMs } of runs) {
      const untilMs = nowMs - endedAgoMs;
      this.#runs.push({ output, percent, fromMs: untilMs - ranMs, untilMs });
    }
  }

  /** The list that a new guard receives. */
  lastHour(nowMs: number): readonly PastRun[] {
    return [...this.#runs, ...this.#running.values()]
      .map(({ output, percent, fromMs, untilMs }) => {
        const endMs = Math.min(untilMs, nowMs);
        return { output, percent, ranMs: endMs - fromMs, endedAgoMs: nowMs - endMs };
      })
      .filter(({ ranMs, endedAgoMs }) => ranMs > 0 && endedAgoMs < hourMs);
  }
}
