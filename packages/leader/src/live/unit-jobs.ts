import type { FeedJob, JobStateChange, JobStateName, Json, LiveJob } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';

/** A job, by the last answer or record of its unit. */
interface KnownJob {
  readonly reactor_unit: string;
  readonly experiment: string;
  readonly job_name: string;
  readonly job_id: number;
  readonly state: JobStateName;
  readonly sinceMs: number;
  readonly reason: string | null;
  readonly settings: Readonly<Record<string, Json>>;
}

/** The state of a job in a feed record, with the name of its experiment. */
export interface StateRecord {
  readonly experiment: string;
  readonly job_id: number;
  readonly job_name: string;
  readonly state: JobStateName;
  readonly atMs: number;
  readonly reason: string | null;
}

export interface HeartbeatChange {
  readonly job: JobStateChange;
  readonly wasLost: boolean;
}

const change = ({ settings: _, sinceMs, ...job }: KnownJob): JobStateChange => ({
  ...job,
  since: toTimestamp(sinceMs),
});

/**
 * The jobs that run on all units. The heartbeat of a unit has its jobs; its records have reasons and settings. Jobs that have
 * ended are removed; those of a unit that does not answer are lost until it reports them again.
 */
export class UnitJobs {
  readonly #units = new Map<string, Map<number, KnownJob>>();

  /** The jobs of the unit now. Returns the changes; `wasLost`: the leader had published the job as lost. */
  heartbeat(unit: string, jobs: readonly FeedJob[], atMs: number): readonly HeartbeatChange[] {
    const known = this.#of(unit);
    const changes: HeartbeatChange[] = [];
    const running = new Set<number>();
    for (const { job_id, job_name, experiment, state, since } of jobs) {
      running.add(job_id);
      const before = known.get(job_id);
      if (before?.state === state) continue;
      const job: KnownJob = {
        reactor_unit: unit,
        experiment,
        job_name,
        job_id,
        state,
        sinceMs: since,
        reason: null,
        settings: before?.settings ?? {},
      };
      known.set(job_id, job);
      changes.push({ job: change(job), wasLost: before?.state === 'lost' });
    }
    for (const job of known.values()) {
      if (running.has(job.job_id)) continue;
      known.delete(job.job_id);
      const ended: KnownJob = { ...job, state: 'disconnected', sinceMs: atMs, reason: null };
      changes.push({ job: change(ended), wasLost: job.state === 'lost' });
    }
    return changes;
  }

  /** A record of a state is stored. Returns the change; undefined when there is none or a newer one is known. */
  record(unit: string, record: StateRecord): JobStateChange | undefined {
    const known = this.#of(unit);
    const before = known.get(record.job_id);
    const { atMs, state, reason, job_id, job_name, experiment } = record;
    // The heartbeat of the same answer is newer than its records.
    if (before === undefined || before.sinceMs > atMs) return undefined;
    const isChange = before.state !== state || (reason !== null && before.reason !== reason);
    if (!isChange) return undefined;
    const job = { ...before, experiment, job_name, state, reason, sinceMs: atMs };
    if (state === 'disconnected') known.delete(job_id);
    else known.set(job_id, job);
    return change(job);
  }

  /** A setting has another value; null: it was cleared. False when its job does not run. */
  setting(unit: string, jobId: number, setting: string, value: Json): boolean {
    const known = this.#of(unit);
    const job = known.get(jobId);
    if (job === undefined) return false;
    const { [setting]: _, ...others } = job.settings;
    known.set(jobId, { ...job, settings: value === null ? others : { ...others, [setting]: value } });
    return true;
  }

  /** The settings of a job as they were stored before this run of the leader; what is known already is newer. */
  restoreSettings(unit: string, jobId: number, settings: Readonly<Record<string, Json>>): void {
    const known = this.#of(unit);
    const job = known.get(jobId);
    if (job !== undefined) known.set(jobId, { ...job, settings: { ...settings, ...job.settings } });
  }

  /** The unit does not answer: the state of its jobs is not known. */
  lost(unit: string, atMs: number): readonly JobStateChange[] {
    const known = this.#of(unit);
    const changes: JobStateChange[] = [];
    for (const job of known.values()) {
      if (job.state === 'lost') continue;
      const lost: KnownJob = { ...job, state: 'lost', sinceMs: atMs, reason: 'The unit does not answer.' };
      known.set(job.job_id, lost);
      changes.push(change(lost));
    }
    return changes;
  }

  /** Jobs that ran at the unit's last answer before this run of the leader: lost, unless the unit has reported them since. */
  addLost(unit: string, jobs: readonly Pick<StateRecord, 'experiment' | 'job_id' | 'job_name'>[], atMs: number) {
    const known = this.#of(unit);
    const reason = 'The unit does not answer.';
    const lost = jobs
      .filter(({ job_id }) => !known.has(job_id))
      .map((job): KnownJob => ({ ...job, reactor_unit: unit, state: 'lost', sinceMs: atMs, reason, settings: {} }));
    for (const job of lost) known.set(job.job_id, job);
    return lost.map(change);
  }

  /** The unit no longer belongs to the cluster. */
  forget(unit: string): void {
    this.#units.delete(unit);
  }

  idsOf(unit: string): readonly number[] {
    return [...this.#of(unit).keys()];
  }

  all(): readonly LiveJob[] {
    return [...this.#units.values()].flatMap((jobs) =>
      [...jobs.values()].map((job) => ({ ...change(job), settings: { ...job.settings } })),
    );
  }

  #of(unit: string): Map<number, KnownJob> {
    const known = this.#units.get(unit);
    if (known) return known;
    const none = new Map<number, KnownJob>();
    this.#units.set(unit, none);
    return none;
  }
}
