import type { FeedHeldJob, HeldJob } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';

/** The jobs of all units that a restart of their unit has interrupted and that wait for a person, by the last answer of each unit. */
export class HeldJobs {
  readonly #units = new Map<string, readonly HeldJob[]>();

  /** Those of the unit now; undefined: they are the same as before. */
  heartbeat(unit: string, jobs: readonly FeedHeldJob[]): readonly HeldJob[] | undefined {
    const before = this.#units.get(unit) ?? [];
    const now = jobs.map(
      ({ job_id, job_name, experiment, since, was_stopped }): HeldJob => ({
        reactor_unit: unit,
        experiment,
        job_name,
        job_id,
        since: toTimestamp(since),
        was_stopped,
      }),
    );
    const isSame = now.length === before.length && now.every(({ job_id }, at) => job_id === before[at]?.job_id);
    if (isSame) return undefined;
    this.#units.set(unit, now);
    return now;
  }

  /** The unit no longer belongs to the cluster. */
  forget(unit: string): void {
    this.#units.delete(unit);
  }

  all(): readonly HeldJob[] {
    return [...this.#units.values()].flat();
  }
}
