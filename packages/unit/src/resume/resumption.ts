import { ApiError, clusterExperiment } from '@lcs/contract';
import { effectiveStopGroup, type InterruptedJob, type JobRuntime } from '@lcs/node';
import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import type { UnitConfig } from '../config/unit-config.ts';
import type { DesiredStateManager } from '../desired/desired-state-manager.ts';
import { failureNote } from '../outbox/failure-note.ts';
import type { NewNote } from '../outbox/new-record.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { type ResumeDecision, resumeDecision } from './resume.ts';
import { resumePolicyOf, resumeWaitMs } from './resume-policy.ts';

export interface ResumptionOptions {
  /** Up before this. */
  readonly runtime: Pick<
    JobRuntime,
    'interrupted' | 'endedActions' | 'definition' | 'resume' | 'isOver' | 'dropInterrupted'
  >;
  /** Up before this. */
  readonly desiredState: Pick<
    DesiredStateManager,
    'status' | 'hasLeaderContact' | 'isOrderedToStop' | 'onChange' | 'noteResume'
  >;
  readonly config: Pick<UnitConfig, 'view'>;
  readonly outbox: Pick<Outbox, 'isFull'>;
  /** The wait for the leader. */
  readonly wire: Clock;
  readonly log: Log;
  /** To the unit's log. */
  readonly note: (note: NewNote) => void;
}

/** After a start of the node: brings back the jobs that its end has cut, as far and as soon as they may come back. */
export class Resumption implements Service {
  readonly name = 'resumption';
  readonly #options: ResumptionOptions;
  readonly #endings = new Set<Cancel>();
  readonly #outcome = { resumed: new Set<string>(), held: new Set<string>(), off: new Set<string>() };
  #recordedOutcome = '';
  #hasWaited = false;
  #isUp = false;
  #isAgain = false;
  /** The round under way; never rejects. */
  #round: Promise<void> | undefined;

  constructor(options: ResumptionOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { runtime, desiredState, config, wire } = this.#options;
    this.#isUp = true;
    for (const { jobName } of runtime.endedActions) this.#outcome.off.add(jobName);
    this.#endings.add(desiredState.onChange(() => this.#decide()));
    this.#endings.add(
      wire.after(resumeWaitMs(config.view()), () => {
        this.#hasWaited = true;
        this.#decide();
      }),
    );
    this.#decide();
    await this.#round;
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    for (const end of this.#endings) end();
    this.#endings.clear();
    await this.#round;
  }

  /** The jobs that wait for a person: started or stopped by one, they are interrupted no longer. */
  get held(): readonly InterruptedJob[] {
    return this.#options.runtime.interrupted.filter(({ jobName }) => this.#outcome.held.has(jobName));
  }

  /** Resolves when nothing is being brought back just now. */
  async settled(): Promise<void> {
    await this.#round;
  }

  /** Decides about all interrupted jobs again; a running round is followed by another one. */
  #decide(): void {
    if (!this.#isUp) return;
    this.#isAgain = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = undefined;
    });
  }

  async #rounds(): Promise<void> {
    const { log, desiredState } = this.#options;
    while (this.#isAgain && this.#isUp) {
      this.#isAgain = false;
      try {
        if (!(await this.#decideAll())) continue;
        const { resumed, held, off } = this.#outcome;
        const outcome = { resumed: [...resumed], held: [...held], off: [...off] };
        desiredState.noteResume(outcome);
        this.#recordOutcome(outcome);
      } catch (error) {
        log.error('Cut jobs could not be decided about', { error: String(error) });
      }
    }
  }

  /** Records the outcome of a restart when there is one, and again when it changes. */
  #recordOutcome(outcome: { readonly resumed: string[]; readonly held: string[]; readonly off: string[] }): void {
    const text = JSON.stringify(outcome);
    if (text === this.#recordedOutcome || Object.values(outcome).every((jobs) => jobs.length === 0)) return;
    this.#recordedOutcome = text;
    const about = { experiment_uid: clusterExperiment, source: 'resume', message: null };
    this.#options.note({ kind: 'event', name: 'jobs_resumed', ...about, data: outcome });
  }

  /** Whether every cut job is decided about. In the order in which they were started. */
  async #decideAll(): Promise<boolean> {
    const { runtime } = this.#options;
    let isDecided = true;
    for (const job of [...runtime.interrupted].sort((left, right) => left.jobId - right.jobId)) {
      // A stop, or a person who started it, may have come first.
      if (!this.#isUp || !runtime.interrupted.includes(job)) continue;
      if (runtime.isOver(job)) {
        await this.#leaveOff(job, 'NOTICE', 'Its planned end has passed.');
        continue;
      }
      const decision = this.#decisionOf(job);
      if (decision.kind === 'wait') isDecided = false;
      else await this.#carryOut(job, decision);
    }
    return isDecided;
  }

  #decisionOf(job: InterruptedJob): ResumeDecision {
    const { runtime, desiredState, config, outbox } = this.#options;
    const definition = runtime.definition(job.jobName);
    const isLongRunning = definition.isLongRunning ?? false;
    return resumeDecision({
      policy: resumePolicyOf(definition, config.view()),
      isActuating: definition.isActuating,
      belongsToNode: isLongRunning,
      // A job of an experiment that is unknown to the unit belongs to none, not even to "no experiment".
      experimentUid: job.experimentUid ?? '',
      desired: desiredState.status(),
      hasLeaderContact: desiredState.hasLeaderContact,
      hasWaited: this.#hasWaited,
      isOrderedToStop: desiredState.isOrderedToStop({
        ...job,
        isLongRunning,
        stopGroup: effectiveStopGroup(definition),
      }),
      isDiskFull: outbox.isFull,
    });
  }

  async #carryOut(job: InterruptedJob, decision: Exclude<ResumeDecision, { kind: 'wait' }>): Promise<void> {
    switch (decision.kind) {
      case 'resume':
        return this.#resume(job, decision.warning);
      case 'hold':
        return this.#hold(job);
      case 'off':
        return this.#leaveOff(job, 'NOTICE', decision.reason);
      case 'failed':
        return this.#leaveOff(job, 'ERROR', decision.reason);
    }
  }

  async #resume(job: InterruptedJob, warning: string | undefined): Promise<void> {
    const { runtime, log } = this.#options;
    const { jobName } = job;
    try {
      await runtime.resume(job);
    } catch (error) {
      // A person or the node was faster, or the node stops: there is nothing to decide any more.
      if (error instanceof ApiError && ['job_already_running', 'shutting_down'].includes(error.code)) return;
      const reason = error instanceof ApiError ? error.body.cause : String(error);
      return this.#leaveOff(job, 'ERROR', reason);
    }
    this.#outcome.resumed.add(jobName);
    log.info('A job continues after the restart', { job: jobName });
    const text = `${jobName} continues after the restart.`;
    if (warning === undefined) this.#note(job, 'NOTICE', text);
    else this.#note(job, 'WARNING', `${text} ${warning}`);
  }

  #hold(job: InterruptedJob): void {
    const { jobName } = job;
    if (this.#outcome.held.has(jobName)) return;
    this.#outcome.held.add(jobName);
    const what = 'was cut by a restart and waits for a person to start it.';
    this.#note(job, 'WARNING', `${jobName} ${what}`);
    this.#noteFailure(job, `It ${what}`);
  }

  async #leaveOff(job: InterruptedJob, level: 'NOTICE' | 'ERROR', reason: string): Promise<void> {
    const { runtime } = this.#options;
    const { jobName, jobId } = job;
    await runtime.dropInterrupted([jobId]);
    this.#outcome.held.delete(jobName);
    this.#outcome.off.add(jobName);
    this.#note(job, level, `${jobName} stays off after the restart. ${reason}`);
    if (level === 'ERROR') this.#noteFailure(job, reason);
  }

  /** No request receives this failure: leaders raise an alarm for it. */
  #noteFailure(job: InterruptedJob, reason: string): void {
    this.#options.note(failureNote(job, this.#placeOf(job) ?? clusterExperiment, reason));
  }

  /** Writes to the log of the job's experiment; unknown and scratch experiments have none. */
  #note(job: InterruptedJob, level: 'NOTICE' | 'WARNING' | 'ERROR', message: string): void {
    this.#options.note(unitLog(level, job.jobName, message, this.#placeOf(job)));
  }

  #placeOf({ experiment, experimentUid }: InterruptedJob): string | undefined {
    return experimentUid !== null && !experiment.startsWith('_testing_') ? experimentUid : undefined;
  }
}
