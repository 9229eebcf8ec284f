import { ApiError, type JobWarning, type Json } from '@lcs/contract';
import { byItself, type Clock, endsWithin } from '@lcs/platform';
import { expectConfirmed } from './job-changes.ts';
import {
  type ChangeOptions,
  type Job,
  type JobContext,
  type JobDefinition,
  type JobOrigin,
  SettingRefused,
} from './job-definition.ts';
import { JobEnded, type JobScope } from './job-scope.ts';
import { type EndReason, type JobState, type JobStateEvent, nextJobState, type RequestableState } from './job-state.ts';

/** The effects of a job's lifecycle. None of these may throw. */
export interface RunningJobHost {
  readonly clock: Clock;
  readonly wire: Clock;
  /** Its state has changed. Resolves with whether that is on disk; otherwise the write is retried. */
  stateChanged(job: RunningJob, state: JobState): Promise<boolean>;
  /** Something threw, or did not end in time. */
  logProblem(job: RunningJob, what: string, error?: unknown): void;
  /** Makes its outputs safe and revokes its rights; resolves with whether that was confirmed within the time. */
  revoke(job: JobOrigin, limitMs: number): Promise<boolean>;
}

const readyLimitMs = 10_000;
const stopLimitMs = 5_000;
/** A job switches off its own outputs. One that takes longer than this may be waiting for a disk; the guard does not wait. */
const leaveBeforeRevokeMs = 500;
/** How long the guard may take to confirm that the outputs of an ended job are safe. */
const revokeLimitMs = 2_000;

/** How a resumed job is restored. */
export interface Restoration {
  /** Applies the earlier values that the options of its start could not express. */
  readonly restore: (job: Job) => Promise<void>;
  readonly isAsleep: boolean;
}

/** One run of a job, from `init` to its end. An error of the job ends only this run. */
export class RunningJob {
  readonly origin: JobOrigin;
  readonly definition: JobDefinition;
  readonly startedAtMs: number;
  readonly #host: RunningJobHost;
  readonly #scope: JobScope;
  readonly #cut = Promise.withResolvers<never>();
  #state: JobState;
  #starting: Promise<Job> | undefined;
  /** The job to stop at its end, from the return of its `start`. */
  #opened: Job | undefined;
  /** The job, when it accepts changes. */
  #job: Job | undefined;
  #ending: Promise<void> | undefined;
  #isSafe = false;
  readonly #outputsOff = Promise.withResolvers<void>();
  /** Its end has begun, and by itself. */
  #hasFinished = false;
  /** Serialises changes from outside. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(
    origin: JobOrigin,
    definition: JobDefinition,
    scope: JobScope,
    host: RunningJobHost,
    startedAtMs: number,
  ) {
    this.origin = origin;
    this.definition = definition;
    this.startedAtMs = startedAtMs;
    this.#scope = scope;
    this.#host = host;
    this.#state = { kind: 'init', sinceMs: startedAtMs };
    // There may be no waiting call when it is aborted.
    this.#cut.promise.catch(() => {});
  }

  get state(): JobState {
    return this.#state;
  }

  /** Whether it has ended and its outputs are known to be safe. */
  get isSafe(): boolean {
    return this.#isSafe;
  }

  /** Resolves when its outputs are safe, or could not be made safe; its record may take longer. */
  get outputsOff(): Promise<void> {
    return this.#outputsOff.promise;
  }

  /** Whether its end has begun; no other change follows. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Starts it.
   * @throws ApiError `job_failed`, `job_setting_invalid`, `job_start_timeout`, `job_start_overtaken`, `shutting_down`
   */
  async start(context: JobContext, restoration?: Restoration): Promise<void> {
    await this.#host.stateChanged(this, this.#state);
    if (this.#ending === undefined) {
      this.#starting = Promise.resolve().then(() => this.#startJob(context, restoration));
      // Its failure is handled below, or by the end of the job.
      this.#starting.catch(() => {});
    }
    const job = this.origin.jobName;
    const late = new ApiError('job_start_timeout', { job, limitMs: readyLimitMs });
    const timeout = Promise.withResolvers<never>();
    const cancel = this.#host.wire.after(readyLimitMs, () => timeout.reject(late));
    try {
      this.#job = await Promise.race([this.#starting ?? this.#cut.promise, this.#cut.promise, timeout.promise]);
      if (this.#ending !== undefined) await this.#cut.promise;
      await this.#move({ kind: restoration?.isAsleep ? 'started_asleep' : 'started' });
      this.#watchDone();
    } catch (error) {
      if (!this.isEnding) {
        this.#host.logProblem(this, error === late ? 'It was not ready in time.' : 'It could not start.', error);
        await this.end('failed', failureText(error));
      }
      await this.#ending;
      throw this.#startError(error);
    } finally {
      cancel();
    }
  }

  /**
   * Ends it in any state; resolves when it has ended. The first reason is kept.
   * @param withinMs time limit of its clean-up; the guard has at most the same time again.
   */
  end(reason: EndReason, error?: string, withinMs = stopLimitMs): Promise<void> {
    this.#ending ??= this.#end(reason, error, withinMs);
    return this.#ending;
  }

  /** Something that runs for it threw. */
  fail(error: unknown): void {
    if (this.isEnding) {
      this.#host.logProblem(this, 'It failed while it ended.', error);
      return;
    }
    this.#host.logProblem(this, 'It failed.', error);
    // `end` never rejects.
    void this.end('failed', failureText(error));
  }

  /**
   * What values would do that a person must confirm; nothing is changed.
   * @throws ApiError `job_setting_invalid`
   */
  warningOf(values: Readonly<Record<string, Json>>): JobWarning | undefined {
    try {
      return this.#job?.warningOf?.(values);
    } catch (error) {
      throw error instanceof SettingRefused ? this.#settingRefused(error) : error;
    }
  }

  /**
   * Checks values before the change takes its turn: one that is refused must not overtake an earlier one.
   * @throws ApiError `job_setting_invalid`, `dilution_not_confirmed`, `job_failed`
   */
  expectAllowed(values: Readonly<Record<string, Json>>, how: ChangeOptions): void {
    try {
      this.#warningOf(values, how);
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /**
   * Passes checked values to the job, then to `publish`; returns the immediate consequences.
   * @throws ApiError `job_not_running`, `job_setting_invalid`, `dilution_not_confirmed`, `job_failed`
   */
  apply(
    values: Readonly<Record<string, Json>>,
    how: ChangeOptions,
    publish: () => Promise<void>,
  ): Promise<JobWarning | undefined> {
    return this.#inTurn(async () => {
      const { jobName: job } = this.origin;
      let warning: JobWarning | undefined;
      try {
        warning = this.#warningOf(values, how);
        await byItself(() => this.#job?.apply?.(values));
      } catch (error) {
        throw this.#refusal(error);
      }
      // The value may have ended the job: then it was applied but is not published.
      if (this.#hasFinished) return warning;
      if (this.isEnding) throw new ApiError('job_not_running', { job });
      await publish();
      return warning;
    });
  }

  /** @throws ApiError `dilution_not_confirmed`, and what the job throws */
  #warningOf(values: Readonly<Record<string, Json>>, how: ChangeOptions): JobWarning | undefined {
    const warning = this.#job?.warningOf?.(values);
    expectConfirmed(this.origin.jobName, warning, how);
    return warning;
  }

  #settingRefused({ setting, message: cause }: SettingRefused): ApiError {
    return new ApiError('job_setting_invalid', { job: this.origin.jobName, setting, cause });
  }

  /** Why a change is refused; an unexpected error ends the job. */
  #refusal(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    const { jobName: job } = this.origin;
    if (error instanceof SettingRefused) return this.#settingRefused(error);
    this.fail(error);
    return new ApiError('job_failed', { job, cause: failureText(error) });
  }

  /**
   * Changes the state of a running job as requested; a request for the present state does nothing. Resolves with whether it is on disk.
   * @throws ApiError `job_not_running`, `job_failed`, or that of the job, for example `job_cannot_pause`
   */
  async requestState(state: RequestableState): Promise<boolean> {
    if (state === 'disconnected') {
      await this.end('stopped');
      return true;
    }
    let recorded: Promise<boolean> = Promise.resolve(true);
    await this.#inTurn(async () => {
      if (state === this.#state.kind) return;
      try {
        await byItself(() => (state === 'sleeping' ? this.#job?.sleep?.() : this.#job?.wake?.()));
      } catch (error) {
        this.fail(error);
        if (error instanceof ApiError) throw error;
        throw new ApiError('job_failed', { job: this.origin.jobName, cause: failureText(error) });
      }
      if (this.isEnding) throw new ApiError('job_not_running', { job: this.origin.jobName });
      this.#scope.pause(state === 'sleeping');
      // The next change does not wait for the disk.
      recorded = this.#move({ kind: state === 'sleeping' ? 'sleep' : 'wake' });
    });
    return recorded;
  }

  /** Values are restored before a timer of the job runs, unless the job waits for its hardware. */
  async #startJob(context: JobContext, restoration: Restoration | undefined): Promise<Job> {
    const job = await this.definition.start(context);
    this.#opened = job;
    // Its work may fail before its state is on disk; `#watchDone` handles that.
    job.done?.catch(() => {});
    if (restoration === undefined || this.isEnding) return job;
    await restoration.restore(job);
    if (!restoration.isAsleep || this.isEnding) return job;
    await job.sleep?.();
    this.#scope.pause(true);
    return job;
  }

  /** Waits for earlier changes and for the start of the job. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changes.then(() => {
      if (this.isEnding || this.#job === undefined) throw new ApiError('job_not_running', { job: this.origin.jobName });
      return work();
    });
    // Only the order is kept here; the caller has the outcome.
    this.#changes = turn.catch(() => {});
    return turn;
  }

  #watchDone(): void {
    // `end` never rejects.
    void this.#job?.done?.then(
      () => {
        this.#hasFinished = !this.isEnding;
        void this.end('finished');
      },
      (error: unknown) => {
        if (!(error instanceof JobEnded)) this.fail(error);
      },
    );
  }

  /** Whether the new state is on disk. */
  async #move(event: JobStateEvent): Promise<boolean> {
    const next = nextJobState(this.#state, event, this.#host.clock.now());
    if (next === undefined) return true;
    this.#state = next;
    return this.#host.stateChanged(this, next);
  }

  async #end(reason: EndReason, error: string | undefined, withinMs: number): Promise<void> {
    this.#cut.reject(this.#cutError(reason, error));
    this.#scope.close();
    const { wire } = this.#host;
    const leaving = this.#leave(reason);
    const beforeRevokeMs = Math.min(withinMs, leaveBeforeRevokeMs);
    const hasLeft = await endsWithin(leaving, wire, beforeRevokeMs);
    this.#isSafe = await this.#host.revoke(this.origin, Math.min(withinMs, revokeLimitMs));
    this.#outputsOff.resolve();
    if (!hasLeft && !(await endsWithin(leaving, wire, withinMs - beforeRevokeMs)))
      this.#host.logProblem(this, `It did not end within ${withinMs} ms and was aborted.`);
    await this.#move({ kind: 'end', reason, ...(error === undefined ? {} : { error }) });
  }

  /** Calls the job's `stop`; never rejects. */
  async #leave(reason: EndReason): Promise<void> {
    try {
      // Waits for a starting job, because everything that it has opened must be closed.
      if (this.#opened === undefined) await this.#starting?.catch(() => {});
      await this.#opened?.stop?.(reason);
    } catch (error) {
      this.#host.logProblem(this, 'It failed while it ended.', error);
    }
  }

  /** The error of a failed start for its requester. */
  #startError(error: unknown): ApiError {
    const job = this.origin.jobName;
    if (error instanceof ApiError) return error;
    if (error instanceof SettingRefused)
      return new ApiError('job_setting_invalid', { job, setting: error.setting, cause: error.message });
    return new ApiError('job_failed', { job, cause: failureText(error) });
  }

  #cutError(reason: EndReason, error: string | undefined): ApiError {
    const job = this.origin.jobName;
    if (reason === 'node_stopped') return new ApiError('shutting_down', {});
    if (reason === 'failed') return new ApiError('job_failed', { job, cause: error ?? 'It failed.' });
    return new ApiError('job_start_overtaken', { job });
  }
}

/** The text of a failure, for the log and the record of a job. */
export const failureText = (error: unknown): string => {
  if (error instanceof ApiError) return error.body.cause;
  return error instanceof Error ? error.message : String(error);
};
