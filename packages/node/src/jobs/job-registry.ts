import type { Json, RunJob } from '@lcs/contract';
import { type QueryTarget, queryBuilder, runOn } from '@lcs/platform';
import type { Selectable } from 'kysely';
import type { JobOrigin } from './job-definition.ts';
import { firstSource } from './job-source.ts';
import type { JobState, JobStateKind } from './job-state.ts';
import type { JobTables } from './job-tables.ts';

/** The part of `Database` that jobs need; satisfied by a Database of any schema that includes `JobTables`. */
export interface JobDatabase {
  readonly read: QueryTarget;
  write<Result>(work: (transaction: QueryTarget) => Promise<Result>): Promise<Result>;
}

/** A job that the end of its node interrupted. */
export interface InterruptedJob extends JobOrigin {
  readonly body: RunJob;
  /** The values at the interruption; null: explicitly cleared. Includes `$state` if it slept. */
  readonly settings: Readonly<Record<string, Json>>;
  /** `lost` when the node crashed, `disconnected` when it was stopped. */
  readonly state: JobStateKind;
  /** After a crash the start of the next run. */
  readonly endedAtMs: number;
}

/** The jobs that the last run of the node has left. */
export interface Interrupted {
  /** Running then. */
  readonly lost: readonly JobOrigin[];
  /** Those, and earlier ones without a decision. */
  readonly cut: readonly InterruptedJob[];
  /** Jobs that had already ended. */
  readonly stopped: readonly JobOrigin[];
}

export interface NewJob extends Omit<JobOrigin, 'jobId'> {
  readonly unit: string;
  readonly isLongRunning: boolean;
  readonly body: RunJob;
  readonly startedAtMs: number;
  /** The values from its start, in addition to its body. */
  readonly settings: Readonly<Record<string, Json>>;
}

export interface JobHistoryRow {
  readonly jobId: number;
  readonly jobName: string;
  readonly experiment: string;
  readonly jobSource: string;
  readonly startedBy?: string;
  readonly unit: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** The settings of a job at its end. */
export interface LastUsed {
  readonly jobName: string;
  readonly automation: string | undefined;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Undefined: an older version recorded it. */
  readonly experiment: string | undefined;
  /** Of its first start; undefined: an older version recorded it. */
  readonly jobSource: string | undefined;
  readonly endedAtMs: number;
}

const isScalar = (value: Json): value is number | string | boolean =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';

const build = queryBuilder<JobTables>();

/** The most records of ended jobs; running jobs and those that wait for a resume are kept in addition. */
const maxJobs = 10_000;

const originOf = (row: Selectable<JobTables['jobs']>): JobOrigin => ({
  jobId: row.job_id,
  jobName: row.job_name,
  experiment: row.experiment,
  experimentUid: row.experiment_uid,
  jobSource: row.job_source,
  ...(row.started_by !== null && { startedBy: row.started_by }),
});

async function newestId(target: QueryTarget): Promise<number> {
  const newest = build.selectFrom('jobs').select('job_id').orderBy('job_id', 'desc').limit(1);
  return (await runOn(target, newest)).rows[0]?.job_id ?? 0;
}

/** The durable record of jobs, with all queries on it. */
export class JobRegistry {
  readonly #database: JobDatabase;
  /** The newest ID of all jobs. */
  #lastId = 0;
  /** Running jobs without a record: it is inserted with the first change of them. */
  readonly #unrecorded = new Map<number, NewJob>();

  constructor(database: JobDatabase) {
    this.#database = database;
  }

  /**
   * The jobs that the end of the last run interrupted, and all that wait for a decision.
   * @param ended IDs of jobs that had ended before it, perhaps without a record in the database
   */
  async interrupted(ended: readonly number[], nowMs: number): Promise<Interrupted> {
    const { read } = this.#database;
    const isOver = (row: { readonly job_id: number }) => ended.includes(row.job_id);
    const { rows } = await runOn(
      read,
      build
        .selectFrom('jobs')
        .selectAll()
        .where((where) => where.or([where('ended_at_ms', 'is', null), where('resume_pending', '=', 1)]))
        .orderBy('job_id'),
    );
    // The ID of a job that ended before it was recorded is not reused either.
    this.#lastId = Math.max(await newestId(read), ...ended);
    const waiting = rows.filter((row) => !isOver(row));
    const cut: InterruptedJob[] = [];
    for (const row of waiting) {
      const settings = build.selectFrom('job_settings').selectAll().where('job_id', '=', row.job_id);
      const values = (await runOn(read, settings)).rows.map(({ setting, value }): [string, Json] => [
        setting,
        JSON.parse(value),
      ]);
      cut.push({
        ...originOf(row),
        body: JSON.parse(row.request),
        settings: Object.fromEntries(values),
        state: row.state === 'disconnected' ? 'disconnected' : 'lost',
        endedAtMs: row.ended_at_ms ?? nowMs,
      });
    }
    return {
      lost: waiting.filter((row) => row.ended_at_ms === null).map(originOf),
      cut,
      stopped: rows.filter(isOver).map(originOf),
    };
  }

  /** Records the ends of the jobs of `interrupted`. */
  async recordInterrupted({ lost, stopped }: Interrupted, nowMs: number): Promise<void> {
    const ids = (jobs: readonly JobOrigin[]) => jobs.map(({ jobId }) => jobId);
    const ended = build.updateTable('jobs').set({ ended_at_ms: nowMs }).where('ended_at_ms', 'is', null);
    if (lost.length + stopped.length === 0) return;
    await this.#database.write(async (transaction) => {
      await this.#rememberSettings(transaction, ids([...lost, ...stopped]), nowMs);
      await runOn(transaction, ended.set({ state: 'lost', resume_pending: 1 }).where('job_id', 'in', ids(lost)));
      await runOn(
        transaction,
        ended.set({ state: 'disconnected', reason: 'stopped' }).where('job_id', 'in', ids(stopped)),
      );
      await this.#settle(transaction, ids(stopped), 'job_id');
    });
  }

  /** Records a new job. Returns its ID; IDs are never reused. */
  async insert(job: NewJob): Promise<number> {
    return this.#database.write(async (transaction) => {
      this.#lastId = Math.max(this.#lastId, await newestId(transaction)) + 1;
      const jobId = this.#lastId;
      await this.#insert(transaction, jobId, job);
      return jobId;
    });
  }

  /** The same for a job that does not wait for the disk. */
  insertLater(job: NewJob): number {
    this.#lastId += 1;
    this.#unrecorded.set(this.#lastId, job);
    return this.#lastId;
  }

  /**
   * The state `sleeping` is recorded like a setting, so that a restart does not wake the job. A job that is up replaces one with its name
   * that waited for a resume; a failed start does not.
   */
  async saveState(jobId: number, { kind, sinceMs }: JobState): Promise<void> {
    await this.#change(jobId, async (transaction) => {
      await runOn(transaction, build.updateTable('jobs').set({ state: kind }).where('job_id', '=', jobId));
      // A resumed job sleeps again as soon as it has started.
      if (kind === 'init') return;
      await this.#putSetting(transaction, jobId, '$state', kind === 'sleeping' ? kind : undefined, sinceMs);
      const own = build.selectFrom('jobs').select('job_name').where('job_id', '=', jobId);
      const names = (await runOn(transaction, own)).rows.map(({ job_name }) => job_name);
      await this.#settle(transaction, names, 'job_name');
    });
  }

  /** Ends a job; its settings are kept only for one that is to be resumed. */
  async end(jobId: number, state: JobState & { kind: 'disconnected' }, isToBeResumed: boolean): Promise<void> {
    await this.#change(jobId, async (transaction) => {
      await this.#rememberSettings(transaction, [jobId], state.sinceMs);
      await runOn(
        transaction,
        build
          .updateTable('jobs')
          .set({
            state: state.kind,
            ended_at_ms: state.sinceMs,
            reason: state.reason,
            error: state.error ?? null,
            resume_pending: isToBeResumed ? 1 : 0,
          })
          .where('job_id', '=', jobId),
      );
      if (!isToBeResumed) await this.#forgetSettings(transaction, [jobId]);
    });
  }

  /** All or none; undefined removes a value. */
  async saveSettings(jobId: number, values: Readonly<Record<string, Json | undefined>>, nowMs: number): Promise<void> {
    await this.#change(jobId, async (transaction) => {
      for (const [setting, value] of Object.entries(values))
        await this.#putSetting(transaction, jobId, setting, value, nowMs);
    });
  }

  /** Records that these interrupted jobs have a decision. */
  async settle(jobIds: readonly number[]): Promise<void> {
    await this.#database.write((transaction) => this.#settle(transaction, jobIds, 'job_id'));
  }

  /** The settings that each job had at its last end. */
  async lastUsed(): Promise<readonly LastUsed[]> {
    const { rows } = await runOn(this.#database.read, build.selectFrom('job_last_used').selectAll());
    return rows.map(({ job_name, automation, settings, experiment, job_source, ended_at_ms }) => ({
      jobName: job_name,
      automation: automation === '' ? undefined : automation,
      settings: JSON.parse(settings),
      experiment: experiment ?? undefined,
      jobSource: job_source ?? undefined,
      endedAtMs: ended_at_ms,
    }));
  }

  /** Newest first. */
  async history(limit: number): Promise<readonly JobHistoryRow[]> {
    const newest = build
      .selectFrom('jobs')
      .selectAll()
      .orderBy('started_at_ms', 'desc')
      .orderBy('job_id', 'desc')
      .limit(limit);
    return (await runOn(this.#database.read, newest)).rows.map((row) => ({
      jobId: row.job_id,
      jobName: row.job_name,
      experiment: row.experiment,
      jobSource: row.job_source,
      ...(row.started_by !== null && { startedBy: row.started_by }),
      unit: row.unit,
      startedAtMs: row.started_at_ms,
      endedAtMs: row.ended_at_ms,
    }));
  }

  /** Changes the record of a job, after its insertion. */
  async #change(jobId: number, work: (transaction: QueryTarget) => Promise<void>): Promise<void> {
    await this.#database.write(async (transaction) => {
      const job = this.#unrecorded.get(jobId);
      if (job !== undefined) await this.#insert(transaction, jobId, job);
      await work(transaction);
    });
    this.#unrecorded.delete(jobId);
  }

  async #insert(transaction: QueryTarget, jobId: number, job: NewJob): Promise<void> {
    await runOn(
      transaction,
      build.insertInto('jobs').values({
        job_id: jobId,
        unit: job.unit,
        experiment: job.experiment,
        experiment_uid: job.experimentUid,
        job_name: job.jobName,
        job_source: job.jobSource,
        started_by: job.startedBy ?? null,
        is_long_running: job.isLongRunning ? 1 : 0,
        request: JSON.stringify(job.body),
        started_at_ms: job.startedAtMs,
        ended_at_ms: null,
        state: 'init',
        reason: null,
        error: null,
        resume_pending: 0,
      }),
    );
    for (const [setting, value] of Object.entries(job.settings))
      await this.#putSetting(transaction, jobId, setting, value, job.startedAtMs);
    await this.#forgetJobs(transaction, jobId - maxJobs);
  }

  async #settle(
    target: QueryTarget,
    which: readonly (string | number)[],
    column: 'job_id' | 'job_name',
  ): Promise<void> {
    const waiting = build.selectFrom('jobs').select('job_id').where('resume_pending', '=', 1);
    const chosen = (await runOn(target, waiting.where(column, 'in', [...which]))).rows.map((row) => row.job_id);
    if (chosen.length === 0) return;
    await runOn(target, build.updateTable('jobs').set({ resume_pending: 0 }).where('job_id', 'in', chosen));
    await this.#forgetSettings(target, chosen);
  }

  async #putSetting(
    target: QueryTarget,
    jobId: number,
    setting: string,
    value: Json | undefined,
    nowMs: number,
  ): Promise<void> {
    if (value === undefined) {
      await runOn(target, build.deleteFrom('job_settings').where('job_id', '=', jobId).where('setting', '=', setting));
      return;
    }
    const change = { value: JSON.stringify(value), updated_at_ms: nowMs };
    await runOn(
      target,
      build
        .insertInto('job_settings')
        .values({ job_id: jobId, setting, ...change })
        .onConflict((conflict) => conflict.columns(['job_id', 'setting']).doUpdateSet(change)),
    );
  }

  /** Up to this ID, except those that are still needed. */
  async #forgetJobs(target: QueryTarget, lastId: number): Promise<void> {
    const over = build
      .selectFrom('jobs')
      .select('job_id')
      .where('job_id', '<=', lastId)
      .where('ended_at_ms', 'is not', null)
      .where('resume_pending', '=', 0);
    await runOn(target, build.deleteFrom('job_settings').where('job_id', 'in', over));
    await runOn(target, build.deleteFrom('jobs').where('job_id', 'in', over));
  }

  /** Keeps the settings of jobs that end now, unless they never were ready. */
  async #rememberSettings(target: QueryTarget, jobIds: readonly number[], endedAtMs: number): Promise<void> {
    const jobs = build.selectFrom('jobs').select(['job_id', 'job_name', 'experiment', 'job_source', 'request']);
    const { rows } = await runOn(target, jobs.where('job_id', 'in', [...jobIds]).where('state', '!=', 'init'));
    for (const { job_id, job_name, experiment, job_source, request } of rows) {
      const values = build.selectFrom('job_settings').select(['setting', 'value']).where('job_id', '=', job_id);
      const known = (await runOn(target, values)).rows.map(
        ({ setting, value }) => [setting, JSON.parse(value)] as const,
      );
      const settings = Object.fromEntries(known.filter(([name, value]) => isScalar(value) && !name.startsWith('$')));
      if (Object.keys(settings).length === 0) continue;
      const { automation_name: automation = '' } = settings;
      const source = firstSource({ body: JSON.parse(request), jobSource: job_source });
      const row = { settings: JSON.stringify(settings), experiment, job_source: source, ended_at_ms: endedAtMs };
      await runOn(
        target,
        build
          .insertInto('job_last_used')
          .values({ job_name, automation: String(automation), ...row })
          .onConflict((conflict) => conflict.columns(['job_name', 'automation']).doUpdateSet(row)),
      );
    }
  }

  async #forgetSettings(target: QueryTarget, jobIds: readonly number[]): Promise<void> {
    await runOn(target, build.deleteFrom('job_settings').where('job_id', 'in', [...jobIds]));
  }
}
