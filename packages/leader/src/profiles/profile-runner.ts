import { ApiError, type LogLevel, ownValue, type PreflightReport, profileJobName } from '@lcs/contract';
import { countedFailures, type Profile, type ProfileUnits, parsePluginConstraint, satisfies } from '@lcs/domain';
import type {
  EndedJobs,
  EndReason,
  InterruptedJob,
  Job,
  JobContext,
  JobDefinition,
  JobRuntime,
  TextReader,
} from '@lcs/node';
import { actingAccount, onBehalfOf, type Service, toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { setUnitLabel } from '../experiments/unit-labels.ts';
import { Lane } from '../fleet/lane.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { expectSupported, expectValid, type ValidProfile } from './expect-profile.ts';
import type { ProfilePreflight } from './preflight/profile-preflight.ts';
import type { ActiveRun } from './profile-controls.ts';
import type { ProfileFile, ProfileFiles } from './profile-files.ts';
import type { LeaderJobLog } from './profile-log.ts';
import { chosenUnits, profileJobDeclaration, profileRequest, refuseProfileArgs } from './profile-request.ts';
import { ProfileRun, type ProfileRunOptions } from './profile-run.ts';
import { runBeginning } from './run-beginning.ts';
import { noItems, type RunOutcome, RunStore, type StoredRun } from './run-store.ts';
import { type SentCommand, stopSourceCommand } from './step-commands.ts';

export interface ProfileRunnerOptions {
  readonly context: LeaderContext;
  readonly files: ProfileFiles;
  readonly texts: TextReader;
  readonly log: LeaderJobLog;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** Called for each command of a run; must not throw. */
  readonly onCommand: (sent: SentCommand) => void;
  /** Called for each failed action of a run; must not throw. */
  readonly onFailure: ProfileRunOptions['onFailure'];
  /** The jobs of this node; there before anything is asked. */
  readonly runtime: Pick<JobRuntime, 'resume'>;
  readonly stoppedRuns: EndedJobs;
  readonly preflight: Pick<ProfilePreflight, 'check'>;
  /** The usable plugins of this node. */
  readonly plugins: () => readonly { readonly name: string; readonly version: string }[];
}

/** Longest wait of a stop for the units, in milliseconds; then it continues in the background. */
const stopWaitMs = 4_000;

/** Jobs that the refusal of a run names. */
const shownConflicts = 5;
/** Findings that it names. */
const shownFindings = 5;

const requestedBy = (account: string | null): string => (account === null ? '' : ` Requested by ${account}.`);

/** Executes profiles: each run is a job of the leader's node. */
export class ProfileRunner implements Service {
  readonly name = 'profile runner';
  readonly definition: JobDefinition;
  readonly #options: ProfileRunnerOptions;
  readonly #store: RunStore;
  /** Interrupted runs that are about to continue, by UID. */
  readonly #interrupted = new Map<string, StoredRun>();
  readonly #begins = new Lane(1);
  /** By id of the job. */
  readonly #runs = new Map<number, ProfileRun>();
  /** Background work that the stop of the leader awaits. */
  readonly #pending = new Set<Promise<void>>();

  constructor(options: ProfileRunnerOptions) {
    this.#options = options;
    this.#store = new RunStore(options);
    this.definition = {
      ...profileJobDeclaration,
      argsFault: (args) => refuseProfileArgs(args, (run) => this.#interrupted.has(run)),
      experimentOf: (args) => {
        const request = profileRequest(args);
        return request?.verb === 'execute' ? request.experiment : undefined;
      },
      // Without arguments `refuseArgs` is not called.
      validate: ({ args }) => {
        const cause = refuseProfileArgs(args, (run) => this.#interrupted.has(run));
        if (cause !== undefined) throw new ApiError('job_options_invalid', { job: profileJobName, cause });
      },
      start: (job) => this.#begin(job),
    };
  }

  async start(): Promise<void> {}

  /** Stop it after the fleet has cancelled its commands, and before the store. */
  async stop(): Promise<void> {
    await Promise.all(this.#pending);
    await this.#store.stop();
  }

  /** The run that a job carries out; undefined: none, or it has ended. */
  runOf(jobId: number): Pick<ProfileRun, 'run' | 'asksAbout' | 'progress' | 'counts'> | undefined {
    return this.#runs.get(jobId);
  }

  /** Undefined: it has ended. */
  active(runId: string): ActiveRun | undefined {
    const found = [...this.#runs].find(([, { run }]) => run.uid === runId);
    return found && { jobId: found[0], run: found[1] };
  }

  /** Continues the runs that the end of the leader has interrupted. The jobs of the node and the fleet must be running. */
  async resumeAll(): Promise<void> {
    for (const run of await this.#store.open()) {
      if (run.isStopping) await this.#closeInterrupted(run, 'stopped');
      else await this.#resume(run);
    }
  }

  /** Stops the jobs of an interrupted run; a run with an unreadable text does not prevent the start of the leader. */
  async #closeInterrupted(run: StoredRun, outcome: RunOutcome): Promise<void> {
    try {
      this.#track(this.#stopAndClose(await this.#restored(run), outcome));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const why = `its text is no longer readable (${error.body.cause})`;
      this.#log(run, 'ERROR', `${run.profileName} is closed: ${why}. Jobs that it started are being stopped.`);
      this.#track(this.#stopWithoutText(run));
    }
  }

  async #stopWithoutText({ id, experiment, firstJobId, isDryRun, commonUnits, ownUnits }: StoredRun): Promise<void> {
    const { fleet, clock } = this.#options.context;
    const sender = { experiment: experiment.name, source: `${profileJobName}/${firstJobId}` };
    const units = isDryRun ? [] : [...new Set([...commonUnits, ...ownUnits])];
    const outcomes = await fleet.command(
      units.map((unit) => stopSourceCommand(unit, sender)),
      { lane: 'stop' },
    );
    for (const outcome of Object.values(outcomes)) {
      if (outcome.ok) continue;
      const message = `Its jobs could not be stopped: ${outcome.error.message}`;
      const about = { experiment: experiment.name, unit: outcome.unit, task: profileJobName };
      this.#options.log.log({ ...about, level: 'ERROR', message });
    }
    await this.#store.end(id, 'failed', clock.now());
  }

  async #resume(run: StoredRun): Promise<void> {
    const { filename, experiment, uid, firstJobId: jobId, isDryRun, pausedAfterMs, startedBy } = run;
    this.#interrupted.set(uid, run);
    const body = { args: ['execute', filename, experiment.name, uid], options: { dry_run: isDryRun } };
    const settings: InterruptedJob['settings'] = pausedAfterMs === undefined ? {} : { $state: 'sleeping' };
    const account = startedBy === null ? {} : { startedBy };
    const origin = { jobId, jobName: profileJobName, experimentUid: null, jobSource: 'resume', ...account } as const;
    try {
      await this.#options.runtime.resume({ ...origin, experiment: experiment.name, body, settings, state: 'lost' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#log(
        run,
        'ERROR',
        `${run.profileName} could not continue after the restart of the leader: ${error.body.cause}`,
      );
      await this.#closeInterrupted(run, 'failed');
    } finally {
      this.#interrupted.delete(uid);
    }
  }

  async #begin(job: JobContext): Promise<Job> {
    const request = profileRequest(job.args);
    if (request === undefined) throw new Error('These arguments are validated before.');
    if (request.verb === 'verify') {
      const file = await this.#options.files.named(request.file);
      await this.#expectUsable(file);
      job.log('INFO', `The profile ${file.filename} can be executed.`);
      return { done: Promise.resolve() };
    }
    const interrupted = request.run === undefined ? undefined : this.#interrupted.get(request.run);
    // One after the other: a run is compared with those that have begun.
    const run = await this.#begins.run(async () => {
      const begun = interrupted ? await this.#restored(interrupted) : await this.#newRun(request, job);
      this.#runs.set(job.jobId, begun);
      return begun;
    });
    job.publish('experiment_profile_name', run.run.profileName);
    job.publish('start_time_utc', toTimestamp(run.run.startedAt));
    job.publish('profile_filename', run.run.filename);
    this.#logBegin(run, interrupted !== undefined);
    return {
      done: onBehalfOf(run.run.startedBy, () => this.#perform(run, job)),
      sleep: () => run.pause(null),
      wake: () => run.resume(null),
      stop: (why) => this.#end(run, job, why),
    };
  }

  async #perform(run: ProfileRun, job: JobContext): Promise<void> {
    await run.perform(job);
    if (job.signal.aborted) return;
    await this.#store.end(run.run.id, 'finished', this.#options.context.clock.now());
    const { failed } = run.counts;
    const failures = failed === 0 ? '' : ` with ${countedFailures(failed)}`;
    const { startedJobs } = run;
    const continues = startedJobs.length === 0 ? 'no job' : startedJobs.join(', ');
    const message = `${run.run.profileName} is finished${failures}. Of what it started, ${continues} continues.`;
    this.#log(run.run, failed === 0 ? 'NOTICE' : 'ERROR', message);
  }

  async #end(run: ProfileRun, job: JobContext, why: EndReason): Promise<void> {
    this.#runs.delete(job.jobId);
    if (why === 'finished') return;
    // The next start of the leader continues the run; pending commands are awaited.
    if (why === 'node_stopped') return this.#track(run.settled());
    const { settled, all } = run.counts;
    const { context } = this.#options;
    const outcome = why === 'stopped' ? 'stopped' : 'failed';
    const how = outcome === 'stopped' ? 'was stopped' : 'has failed';
    const jobs = run.run.isDryRun ? '' : ' The jobs that it started are being stopped.';
    const who = outcome === 'stopped' ? requestedBy(actingAccount()) : '';
    const message = `${run.run.profileName} ${how} after ${settled} of ${all} steps.${jobs}${who}`;
    this.#log(run.run, outcome === 'stopped' ? 'NOTICE' : 'ERROR', message);
    const stopped = this.#stopAndClose(run, outcome);
    this.#track(stopped);
    const waited = new AbortController();
    const limit = context.wire.sleep(stopWaitMs, waited.signal).catch(() => {});
    await Promise.race([stopped, limit]);
    waited.abort();
  }

  /** Stops the jobs of the run, then closes it; it is repeated after a crash. Never rejects. */
  async #stopAndClose(run: ProfileRun, outcome: RunOutcome): Promise<void> {
    const { clock } = this.#options.context;
    await Promise.all([this.#store.stopping(run.run.id, clock.now()), run.stopJobs()]);
    await this.#store.end(run.run.id, outcome, clock.now());
  }

  /** @throws ApiError profile_unreadable, profile_invalid */
  async #read(text: string): Promise<ValidProfile> {
    return expectValid(await this.#options.texts.read('profile', text));
  }

  /** @throws ApiError profile_not_found, profile_unreadable, profile_invalid, profile_not_supported, profile_plugin_missing */
  async #expectUsable({ filename, text }: ProfileFile): Promise<ValidProfile> {
    const valid = await this.#read(text);
    expectSupported(filename, valid);
    const installed = this.#options.plugins();
    for (const { name, version } of valid.profile.plugins) {
      const constraint = parsePluginConstraint(version);
      const found = installed.find((plugin) => plugin.name === name);
      if (found && constraint && satisfies(found.version, constraint)) continue;
      const present = found ? `version ${found.version} is installed` : 'it is not installed on the leader';
      const cause = `It requires ${name} ${version}; ${present}.`;
      throw new ApiError('profile_plugin_missing', { filename, cause });
    }
    return valid;
  }

  async #newRun(
    { file, experiment: name }: { file: string; experiment: string },
    job: JobContext,
  ): Promise<ProfileRun> {
    const { context, files } = this.#options;
    const { filename, text, ...found } = await files.named(file);
    const valid = await this.#expectUsable({ filename, text, ...found });
    const { profile } = valid;
    const experiment = await experimentKey(context.database.read, name).executeTakeFirst();
    if (!experiment) throw new ApiError('profile_experiment_unknown', { experiment: name });
    await this.#expectOngoing(experiment);
    const workers = await workersOfExperiment(context.database.read, name).execute();
    const members = workers.map(({ reactor_unit }) => reactor_unit);
    const isChosen = chosenUnits(job.options.units, members);
    const named = Object.keys(profile.reactors).filter((unit) => !members.includes(unit) || isChosen(unit));
    const isDryRun = job.options.dry_run === true;
    const own = named.filter((unit) => members.includes(unit));
    const about = {
      experiment: { id: experiment.id, uid: experiment.uid, name },
      profileName: profile.experiment_profile_name,
    };
    for (const unit of named) {
      if (own.includes(unit)) continue;
      this.#log(about, 'WARNING', `${unit} is not assigned to ${name}: its part of the profile is left out.`);
    }
    const active = workers.filter(({ is_active }) => is_active === 1).map(({ reactor_unit }) => reactor_unit);
    const common = active.filter(isChosen);
    if (!isDryRun) this.#expectNoConflict(filename, experiment.id, profile, { common, own });
    const preflight = await this.#preflight(valid, { common, own }, { filename, experiment: name, job });
    if (!isDryRun) await this.#pushLabels(about, profile.reactors, own);
    const beginning = await runBeginning(context.database.read, [...new Set([...common, ...own])]);
    const begun = {
      ...about,
      uid: context.newId(),
      startedAt: context.clock.now(),
      filename,
      text,
      isDryRun,
      commonUnits: common,
      ownUnits: own,
      firstJobId: job.jobId,
      startedBy: job.startedBy ?? null,
    };
    const run = await this.#store.begin(begun, beginning, preflight);
    return new ProfileRun(run, profile, noItems, { ...this.#options, store: this.#store });
  }

  /** @throws ApiError profile_preflight_failed */
  async #preflight(
    valid: ValidProfile,
    units: ProfileUnits,
    { filename, experiment, job }: { filename: string; experiment: string; job: JobContext },
  ): Promise<PreflightReport> {
    const report = await this.#options.preflight.check(valid, units, experiment);
    const blocking = report.findings.filter(({ severity }) => severity === 'blocks');
    const { dry_run: isDryRun, ignore_findings: isIgnored } = job.options;
    if (blocking.length === 0 || isDryRun === true || isIgnored === true) return report;
    const findings = blocking.slice(0, shownFindings).map(({ message }) => message);
    const more = blocking.length > shownFindings ? [`${blocking.length - shownFindings} more.`] : [];
    throw new ApiError('profile_preflight_failed', { filename, findings: [...findings, ...more] }, report.findings);
  }

  /** Two runs must not change the same job of a unit. @throws ApiError profile_conflict */
  #expectNoConflict(filename: string, experimentId: number, profile: Profile, units: ProfileUnits): void {
    for (const other of this.#runs.values()) {
      if (other.run.isDryRun || other.run.experiment.id !== experimentId) continue;
      const jobs = other.changedAlsoBy(profile, units);
      if (jobs.length === 0) continue;
      const more = jobs.length > shownConflicts ? ` and ${jobs.length - shownConflicts} more` : '';
      const shown = `${jobs.slice(0, shownConflicts).join(', ')}${more}`;
      throw new ApiError('profile_conflict', { filename, other: other.run.profileName, jobs: shown });
    }
  }

  /** @throws ApiError profile_experiment_ended */
  async #expectOngoing({ id, name }: StoredRun['experiment']): Promise<void> {
    const row = await this.#options.context.database.read
      .selectFrom('experiments')
      .where('id', '=', id)
      .where('ended_at', 'is not', null)
      .select('id')
      .executeTakeFirst();
    if (row) throw new ApiError('profile_experiment_ended', { experiment: name });
  }

  async #restored(run: StoredRun): Promise<ProfileRun> {
    const stored = await this.#store.items(run.id);
    const { profile } = await this.#read(run.text);
    return new ProfileRun(run, profile, stored, { ...this.#options, store: this.#store });
  }

  /** A label that cannot be set does not prevent the run. */
  async #pushLabels(
    about: Pick<StoredRun, 'experiment' | 'profileName'>,
    blocks: ValidProfile['profile']['reactors'],
    units: readonly string[],
  ): Promise<void> {
    for (const unit of units) {
      const label = ownValue(blocks, unit)?.label;
      if (!label) continue;
      try {
        await setUnitLabel(this.#options.context, about.experiment.name, { unit, label });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#log(about, 'WARNING', `${unit} did not get the label '${label}': ${error.body.cause}`);
      }
    }
  }

  #logBegin({ run, counts }: ProfileRun, isResumed: boolean): void {
    const { settled, all } = counts;
    const dry = run.isDryRun ? ' It is a dry run: nothing is started, stopped or changed.' : '';
    if (isResumed)
      this.#log(
        run,
        'NOTICE',
        `${run.profileName} continues after a restart of the leader; ${settled} of ${all} steps were done.`,
      );
    else this.#log(run, 'NOTICE', `${run.profileName} begins: ${all} steps.${dry}${requestedBy(run.startedBy)}`);
    if (all === 0)
      this.#log(run, 'WARNING', 'The profile has no effect: it applies to no active unit of this experiment.');
  }

  #log({ experiment }: Pick<StoredRun, 'experiment'>, level: LogLevel, message: string): void {
    this.#options.log.log({ experiment: experiment.name, level, message, task: profileJobName });
  }

  #track(work: Promise<void>): void {
    const settled: Promise<void> = work.finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }
}
