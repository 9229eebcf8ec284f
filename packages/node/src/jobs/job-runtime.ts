import { ApiError, type JobWarning, type Json, type RunJob, type StartedJob, type StoppedJobs } from '@lcs/contract';
import { ConfigValueError } from '@lcs/domain';
import { actingAccount, byItself, endsWithin, type Service } from '@lcs/platform';
import { type EndedJobs, endedJobsInMemory } from './ended-jobs.ts';
import { BusTopic } from './job-bus.ts';
import { JobCatalog } from './job-catalog.ts';
import { type CheckedChanges, checkChanges, expectConfirmed, makesSafer } from './job-changes.ts';
import {
  type ChangeOptions,
  inStopOrder,
  isResumable,
  type JobDefinition,
  type JobOrigin,
  type JobRequest,
  type JobTopics,
  SettingRefused,
} from './job-definition.ts';
import { type JobFilter, matchesJob } from './job-filter.ts';
import { type InterruptedJob, type JobHistoryRow, JobRegistry, type LastUsed } from './job-registry.ts';
import { overriddenConfig, readJobRequest, resumedEnv, splitJobArguments } from './job-request.ts';
import { type CompleteEvent, filteredJob, JobRoster, type RosterEntry } from './job-roster.ts';
import type { ChangedBy, JobRuntimeOptions } from './job-runtime-options.ts';
import { firstSource } from './job-source.ts';
import type { EndReason } from './job-state.ts';
import { allSettingNames } from './job-values.ts';
import { PendingRecords } from './pending-records.ts';
import { endsAtSetting, interruptedEnd, PlannedEnds, plannedEnd } from './planned-ends.ts';
import { restoredStart } from './restored-start.ts';
import type { RunningJob } from './running-job.ts';
import { publishedValue, settingFromText } from './setting-value.ts';
import { StartReservations } from './start-reservations.ts';

/** The running job of a change. */
export interface JobTarget {
  readonly jobName: string;
  /** Absent: any experiment. */
  readonly experiment?: string;
}

/** How long a stop waits for the records of the jobs that it has ended; their outputs are off by then. */
const endLimitMs = 8_000;
/** The node has 5 s to stop, its jobs this part of it. Each group may use half of the remaining time, its guard the other half. */
const nodeStopBudgetMs = 2_500;
const lastMomentMs = 50;

/** The result of a change: the effective values and the immediate consequences. */
interface JobUpdate {
  readonly settings: Record<string, number | string>;
  /** If false, a restart may undo it. */
  readonly isRecorded: boolean;
  readonly warnings?: JobWarning[];
}

interface AppliedChanges {
  readonly warning: JobWarning | undefined;
  readonly isRecorded: boolean;
}

const nothingApplied: AppliedChanges = { warning: undefined, isRecorded: true };

const reported = (warning: JobWarning | undefined) => (warning === undefined ? {} : { warnings: [warning] });

const readable = (values: readonly (readonly [string, Json])[]): Record<string, number | string> =>
  Object.fromEntries(values.map(([name, value]) => [name, value === null ? '' : publishedValue(value)]));

/** The jobs of a node: starts, stops, changes and records them. */
export class JobRuntime implements Service {
  readonly name = 'jobs';
  /** After it the node continues: the jobs have had their time, and the guard monitors the outputs. */
  readonly stopLimitMs = 3_500;
  readonly topics: JobTopics = {
    readings: new BusTopic(),
    events: new BusTopic(),
    states: new BusTopic(),
    settings: new BusTopic(),
  };
  readonly #options: JobRuntimeOptions;
  readonly #registry: JobRegistry;
  readonly #endedJobs: EndedJobs;
  readonly #records: PendingRecords;
  readonly #roster: JobRoster;
  readonly #reservations: StartReservations;
  readonly #catalog = new JobCatalog();
  readonly #ends: PlannedEnds;
  readonly #completions: CompleteEvent[] = [];
  #interrupted: readonly InterruptedJob[] = [];
  #endedActions: readonly JobOrigin[] = [];
  #state: 'new' | 'up' | 'stopping' | 'down' = 'new';

  constructor(options: JobRuntimeOptions) {
    this.#options = options;
    const { database, wire, log } = options;
    this.#endedJobs = options.endedJobs ?? endedJobsInMemory();
    this.#registry = new JobRegistry(database);
    this.#records = new PendingRecords({ wire, log, endedJobs: this.#endedJobs });
    this.#roster = new JobRoster(options, {
      registry: this.#registry,
      records: this.#records,
      topics: this.topics,
      catalog: this.#catalog,
      completeEvent: (event) => this.#completions.reduce((known, complete) => complete(known), event),
    });
    this.register(options.definitions ?? []);
    this.#reservations = new StartReservations(options.wire);
    this.#ends = new PlannedEnds(options.clock, (jobId) => this.#endAsPlanned(jobId));
    this.topics.states.listen(({ jobId, state }) => {
      if (state === 'disconnected') this.#ends.set(jobId, undefined);
    });
  }

  /** Corrects the record after a crash, then accepts commands. Starts no job itself: see `interrupted`. */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const nowMs = this.#options.clock.now();
    const ended = await this.#endedJobs.load();
    const found = await this.#registry.interrupted(ended, nowMs);
    const { lost, cut } = found;
    await this.#records.record({
      key: 'last run',
      ends: ended,
      write: () => this.#registry.recordInterrupted(found, nowMs),
    });
    for (const origin of lost) this.#publishLost(origin, nowMs);
    this.#interrupted = cut;
    this.#endedActions = lost.filter((job) => !this.#mayGoOn(job));
    await this.#dropUnresumable();
    this.#state = 'up';
  }

  /**
   * Adds jobs of the program, also those that use this runtime. Call it before `start`.
   * @throws Error for invalid definitions: a mistake in the program
   */
  register(definitions: readonly JobDefinition[]): void {
    this.#catalog.addOwn(definitions);
  }

  /** `complete` adds what a job does not know to each of its events, before the event is recorded and other jobs receive it. */
  completeEvents(complete: CompleteEvent): void {
    this.#completions.push(complete);
  }

  /** The jobs of the program, without those that plugins add. */
  ownDefinitions(): readonly JobDefinition[] {
    return this.#catalog.own();
  }

  /** Whether a stop or another change is effective but not on disk; its write is retried. */
  get isUnrecorded(): boolean {
    return this.#records.isBehind;
  }

  /** The startable jobs with their options and settings. */
  definitions(): readonly JobDefinition[] {
    return this.#catalog.all();
  }

  /**
   * Replaces the jobs of plugins. Call it before `start`, so that jobs of plugins are resumed, and at each change. Running jobs do not
   * change.
   * @throws Error for invalid definitions, without a change
   */
  async setAdded(definitions: readonly JobDefinition[]): Promise<void> {
    this.#catalog.setAdded(definitions);
    if (this.#state === 'up') await this.#dropUnresumable();
  }

  /** Ends all jobs in the order of their danger, so that they can be resumed. The database must still be running. */
  async stop(): Promise<void> {
    if (this.#state !== 'up') return;
    this.#state = 'stopping';
    this.#ends.clear();
    await this.#end({}, 'node_stopped', nodeStopBudgetMs);
    await this.#records.stop();
    this.#state = 'down';
  }

  /** Jobs that the end of the node interrupted, without a decision yet: see `resumeDecision`. */
  get interrupted(): readonly InterruptedJob[] {
    return this.#interrupted;
  }

  /** Jobs that a crash of the node interrupted and that are never resumed, such as a dose. */
  get endedActions(): readonly JobOrigin[] {
    return this.#endedActions;
  }

  /** Decides that these interrupted jobs remain off. */
  async dropInterrupted(jobIds: readonly number[]): Promise<void> {
    if (jobIds.length === 0) return;
    this.#forgetInterrupted(({ jobId }) => jobIds.includes(jobId));
    await this.#records.record({
      key: `decided/${jobIds.join()}`,
      ends: jobIds,
      write: () => this.#registry.settle(jobIds),
    });
  }

  /**
   * Resumes an interrupted job with its options and settings.
   * @throws ApiError as `run`, and `job_unknown`
   */
  async resume(interrupted: Omit<InterruptedJob, 'endedAtMs'>): Promise<StartedJob> {
    const { jobName, body, startedBy } = interrupted;
    const { [endsAtSetting]: _end, ...settings } = interrupted.settings;
    const endsAt = interruptedEnd(interrupted);
    const env = resumedEnv(interrupted);
    // The original start was confirmed.
    const { confirm_dilution: _, ends_at: _former, ...said } = body;
    const start = { ...said, env, ...(endsAt !== null && { ends_at: endsAt }) };
    const request = restoredStart(readJobRequest(this.definition(jobName), start), settings);
    return this.run(jobName, this.#open({ ...request, ...(startedBy !== undefined && { startedBy }) }));
  }

  /** Whether the planned end of an interrupted job has passed: it is not to be resumed. */
  isOver(interrupted: InterruptedJob): boolean {
    const endsAt = interruptedEnd(interrupted);
    return endsAt !== null && Date.parse(endsAt) <= this.#options.clock.now();
  }

  /** The planned end of a running job, as ISO-8601; undefined: none. */
  endOf(jobId: number): string | undefined {
    return this.#ends.of(jobId);
  }

  /** Whether the node ends: jobs that end now were not stopped by anybody. */
  get isEnding(): boolean {
    return this.#state === 'stopping' || this.#state === 'down';
  }

  /** @throws ApiError `job_unknown` */
  definition(name: string): JobDefinition {
    const definition = this.#catalog.get(name);
    if (definition === undefined) throw new ApiError('job_unknown', { job: name });
    return definition;
  }

  /** Counts a start with an invalid body for the rate limit of its job. Unknown names do not count. */
  countInvalidStart(job: string): void {
    const { name } = splitJobArguments(job);
    if (this.#catalog.get(name) !== undefined) this.#reservations.countInvalid(name);
  }

  /** Whether this start only reduces outputs. */
  isSafer(job: string, body: RunJob): boolean {
    const { name, words } = splitJobArguments(job);
    const definition = this.#catalog.get(name);
    if (definition?.isSafer === undefined) return false;
    try {
      return definition.isSafer(readJobRequest(definition, body, words));
    } catch (error) {
      // `accept` rejects it with the reason.
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /**
   * Accepts a start; `run` executes it. A stop between the two takes precedence.
   * @param job its name, or its name and further words, which become arguments.
   * @throws ApiError `job_unknown`, `job_requested_recently`, `job_options_invalid`, `dilution_not_confirmed`, `shutting_down`, or the
   * error of the job's own check
   */
  accept(job: string, body: RunJob): { readonly jobName: string; readonly generation: number } {
    this.#mustBeUp();
    const { name, words } = splitJobArguments(job);
    const definition = this.definition(name);
    // Starts that only reduce outputs have no rate limit.
    if (!this.isSafer(job, body)) this.#reservations.countRequest(name);
    const request = readJobRequest(definition, body, words);
    if (body.ends_at !== undefined && Date.parse(body.ends_at) <= this.#options.clock.now())
      throw new ApiError('job_options_invalid', { job: name, cause: `ends_at (${body.ends_at}) has passed.` });
    definition.validate?.(request);
    if (body.confirm_dilution === false) this.#expectConfirmed(name, request);
    return { jobName: name, generation: this.#open(request) };
  }

  /**
   * What a person must confirm before this start; starts nothing.
   * @throws ApiError `job_unknown`, `job_options_invalid`, `job_already_running`, or the error of the job's own check
   */
  check(job: string, body: RunJob): { readonly jobName: string; readonly warnings?: JobWarning[] } {
    this.#mustBeUp();
    const { name, words } = splitJobArguments(job);
    const definition = this.definition(name);
    const request = readJobRequest(definition, body, words);
    const [present] = definition.allowsSeveral === true ? [] : this.running({ jobName: name });
    if (present !== undefined) throw new ApiError('job_already_running', { job: name, jobId: present.origin.jobId });
    definition.validate?.(request);
    return { jobName: name, ...reported(this.#warningOf(request)) };
  }

  /**
   * Accepts the start of a job that the node itself needs, without the rate limit and the job's own check; the returned function executes
   * it. A stop between the two takes precedence.
   * @throws ApiError `job_options_invalid`, `shutting_down`; the function as `run`
   */
  acceptOwn(jobName: string, body: RunJob): () => Promise<StartedJob> {
    this.#mustBeUp();
    const generation = this.#open(readJobRequest(this.definition(jobName), body));
    return () => this.run(jobName, generation);
  }

  /** Accepts and executes such a start. @throws ApiError as `acceptOwn` and `run` */
  runOwn(jobName: string, body: RunJob): Promise<StartedJob> {
    return this.acceptOwn(jobName, body)();
  }

  /**
   * Executes an accepted start; resolves when the job is ready.
   * @throws ApiError `job_start_overtaken`, `job_already_running`, `job_without_experiment`, `unit_not_active`,
   * `job_failed`, `job_start_timeout`, `shutting_down`
   */
  async run(jobName: string, generation: number): Promise<StartedJob> {
    this.#mustBeUp();
    let warning: JobWarning | undefined;
    const entry = await this.#reservations.use(jobName, generation, async (reservation) => {
      warning = this.#warningOf(reservation.request);
      const entered = await this.#roster.enter(reservation.request);
      const { ends_at: endsAt = null } = reservation.request.body;
      this.#setEnd(entered.job.origin, plannedEnd(jobName, endsAt), 'job');
      if (reservation.isRevoked) {
        await entered.job.end(this.#state === 'up' ? 'stopped' : 'node_stopped');
        throw new ApiError('job_start_overtaken', { job: jobName });
      }
      return entered;
    });
    // What the job does from now on, it does by itself.
    await byItself(() => entry.begin());
    this.#forgetInterrupted((cut) => cut.jobName === jobName);
    if (warning !== undefined) this.#options.sink.log(entry.job.origin, 'WARNING', warning.message);
    return { ok: true, job_id: entry.job.origin.jobId, state: entry.job.state.kind, ...reported(warning) };
  }

  /** Ends the matching jobs and revokes the matching pending starts; resolves when they have ended. */
  stopJobs(filter: JobFilter): Promise<StoppedJobs> {
    return this.#end(filter, 'stopped');
  }

  /**
   * What a person must confirm before this change; changes nothing.
   * @throws ApiError `job_not_running`, `job_setting_invalid`
   */
  checkUpdate(target: JobTarget, wanted: Readonly<Record<string, Json>>): { readonly warnings?: JobWarning[] } {
    const entry = this.#roster.newest(target);
    const { [endsAtSetting]: _, ...others } = wanted;
    const { values } = checkChanges(target.jobName, entry.values, others);
    return reported(entry.job.warningOf(values));
  }

  /**
   * Changes settings of a running job, all or none; returns the effective values and the immediate consequences. They are on disk when
   * this resolves: a change that the disk rejects is not applied, unless it makes the unit safer.
   * @throws ApiError `job_not_running`, `job_setting_invalid`, `dilution_not_confirmed`, `job_failed`; StoreError
   */
  async update(
    target: JobTarget,
    wanted: Readonly<Record<string, Json>>,
    by: ChangedBy,
    how: ChangeOptions = {},
  ): Promise<JobUpdate> {
    const entry = this.#roster.newest(target);
    const { [endsAtSetting]: endsAt, ...others } = wanted;
    const endsAtMs = plannedEnd(target.jobName, endsAt ?? null);
    const changes = checkChanges(target.jobName, entry.values, others);
    const { values, state } = changes;
    const hasValues = Object.keys(values).length > 0;
    if (endsAt !== undefined) {
      await this.#roster.saveFirst(entry, { [endsAtSetting]: endsAt });
      this.#setEnd(entry.job.origin, endsAtMs, by);
    }
    const applied = hasValues ? await this.#applyChanges(entry, changes, by, how) : nothingApplied;
    const { warning } = applied;
    let { isRecorded } = applied;
    if (hasValues) this.#logRequest(entry.job.origin, values);
    if (warning !== undefined) this.#options.sink.log(entry.job.origin, 'WARNING', warning.message);
    if (state === 'disconnected') isRecorded = (await this.stopJobs(target)).recorded !== false && isRecorded;
    else if (state !== undefined) isRecorded = (await entry.job.requestState(state)) && isRecorded;
    const settings = {
      ...readable(Object.entries(values)),
      ...(state !== undefined && { $state: entry.job.state.kind }),
      ...(endsAt !== undefined && this.#shownEnd(entry.job.origin.jobId)),
    };
    return { settings, isRecorded, ...reported(warning) };
  }

  /**
   * The same for one value as text.
   * @throws ApiError as `update`
   */
  async updateFromText(target: JobTarget, setting: string, text: string, by: ChangedBy): Promise<void> {
    // Also a starting one: a stop takes precedence.
    if (setting === '$state' && text === 'disconnected') {
      await this.stopJobs(target);
      return;
    }
    const declaration = this.#roster.newest(target).values.declaration(setting);
    const value = declaration === undefined ? text : settingFromText(declaration, text);
    if (value === undefined)
      throw new ApiError('job_setting_invalid', { job: target.jobName, setting, cause: 'It must be JSON.' });
    await this.update(target, { [setting]: value }, by);
  }

  /** Ends a job with an error, for example when the guard has revoked its outputs. */
  fail(jobId: number, error: Error): void {
    for (const { job } of this.#roster.matching({ jobId })) job.fail(error);
  }

  /** The jobs that have not ended, oldest first. */
  running(filter: JobFilter = {}): readonly RunningJob[] {
    return this.#roster.matching(filter).map(({ job }) => job);
  }

  /**
   * The published values of the newest running job of a name (and of an experiment, if given), `$state` first.
   * @throws ApiError `job_not_running`
   */
  settings(jobName: string, experiment?: string): Readonly<Record<string, number | string>> {
    const { job, values } = this.#roster.newest({ jobName, ...(experiment === undefined ? {} : { experiment }) });
    return { $state: job.state.kind, ...this.#shownEnd(job.origin.jobId), ...readable(values.entries()) };
  }

  /**
   * The id of that job.
   * @throws ApiError `job_not_running`
   */
  newestId(jobName: string, experiment?: string): number {
    return this.#roster.newest({ jobName, ...(experiment === undefined ? {} : { experiment }) }).job.origin.jobId;
  }

  /**
   * The same for one running job.
   * @throws ApiError `job_not_running`
   */
  settingsOf({ jobName, jobId }: Pick<JobOrigin, 'jobName' | 'jobId'>): Readonly<Record<string, number | string>> {
    const { job, values } = this.#roster.newest({ jobName, jobId });
    return { $state: job.state.kind, ...this.#shownEnd(jobId), ...readable(values.entries()) };
  }

  /** The configured values of the options of a start; none while the configuration has an invalid one. */
  defaultsOf({ optionDefaults }: JobDefinition): Readonly<Record<string, number | string>> {
    try {
      return optionDefaults?.(this.#options.config()) ?? {};
    } catch (error) {
      if (error instanceof ConfigValueError) return {};
      throw error;
    }
  }

  /** The settings that each job had at its last end. */
  lastUsed(): Promise<readonly LastUsed[]> {
    return this.#registry.lastUsed();
  }

  /** All jobs this node ever ran, newest first. */
  history(limit: number): Promise<readonly JobHistoryRow[]> {
    return this.#registry.history(limit);
  }

  async #applyChanges(
    entry: RosterEntry,
    { values, clamped }: CheckedChanges,
    by: ChangedBy,
    how: ChangeOptions,
  ): Promise<AppliedChanges> {
    const { job } = entry;
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, entry.values.get(name)]));
    const isSafer = makesSafer(entry.values, values);
    job.expectAllowed(values, how);
    const turn = entry.changes.begin(Object.keys(values));
    if (!isSafer) await this.#roster.saveFirst(entry, values);
    // Another change of the same settings may have arrived during this write.
    const present = Object.fromEntries(Object.entries(values).filter(([name]) => entry.changes.isNewest(name, turn)));
    let warning: JobWarning | undefined;
    try {
      warning = await job.apply(present, how, async () => {
        for (const { setting, wanted: asked, applied } of clamped) {
          const message = `The node set ${setting} to ${JSON.stringify(applied)}: ${JSON.stringify(asked)} is out of range.`;
          this.#options.sink.log(job.origin, 'WARNING', message);
        }
        for (const [name, value] of Object.entries(present)) this.#roster.set(entry, name, value, by);
      });
    } catch (error) {
      if (!isSafer && !job.isEnding) await this.#roster.saveAfter(entry, before);
      throw error;
    }
    return { warning, isRecorded: isSafer ? await this.#roster.saveAfter(entry, values) : true };
  }

  /** Undefined: none. The leader knows it as a setting, also after a stop, so that the job can be started again with it. */
  #setEnd(origin: JobOrigin, atMs: number | undefined, by: ChangedBy): void {
    const before = this.#ends.of(origin.jobId);
    this.#ends.set(origin.jobId, atMs);
    const now = this.#ends.of(origin.jobId);
    if (now !== before) this.#options.sink.setting(origin, endsAtSetting, now ?? null, by);
  }

  #shownEnd(jobId: number): Readonly<Record<string, string>> {
    const endsAt = this.#ends.of(jobId);
    return endsAt === undefined ? {} : { [endsAtSetting]: endsAt };
  }

  #endAsPlanned(jobId: number): void {
    const [job] = this.running({ jobId });
    if (job === undefined) return;
    this.#options.sink.log(job.origin, 'NOTICE', `${job.origin.jobName} ends at its planned time.`);
    const release = this.#options.clock.hold(`the planned end of ${job.origin.jobName}`);
    void this.stopJobs({ jobId })
      .catch((error: unknown) =>
        this.#options.log.error('A job could not be ended at its planned time', { jobId, error: String(error) }),
      )
      .finally(release);
  }

  /** Drops interrupted jobs that have no definition any more, actions, and jobs that were started again since. */
  async #dropUnresumable(): Promise<void> {
    const isOut = (job: InterruptedJob): boolean => !this.#mayGoOn(job) || this.#isSuperseded(job);
    await this.dropInterrupted(this.#interrupted.filter(isOut).map(({ jobId }) => jobId));
  }

  /** The node ended while the newer one of its name was starting. */
  #isSuperseded({ jobName, jobId }: InterruptedJob): boolean {
    if (this.#catalog.get(jobName)?.allowsSeveral === true) return false;
    return this.#interrupted.some((other) => other.jobName === jobName && other.jobId > jobId);
  }

  #mayGoOn({ jobName }: JobOrigin): boolean {
    const definition = this.#catalog.get(jobName);
    return definition !== undefined && isResumable(definition);
  }

  /** @throws ApiError `dilution_not_confirmed`; after its confirmation it may start at once */
  #expectConfirmed(name: string, request: JobRequest): void {
    try {
      expectConfirmed(name, this.#warningOf(request), { confirmsDilution: false });
    } catch (error) {
      this.#reservations.discountRequest(name);
      throw error;
    }
  }

  /** The immediate consequences of a start; a resumed one was confirmed before. */
  #warningOf(request: JobRequest): JobWarning | undefined {
    if (request.source === 'resume') return undefined;
    const { clock, config } = this.#options;
    const node = { topics: this.topics, clock, config: overriddenConfig(config(), request.overrides) };
    try {
      return request.definition.warningOf?.(request, node);
    } catch (error) {
      // The start itself rejects it with the reason.
      if (error instanceof SettingRefused) return undefined;
      throw error;
    }
  }

  /** Records for whom settings were changed. */
  #logRequest(origin: JobOrigin, values: Readonly<Record<string, Json>>): void {
    const account = actingAccount();
    if (account === null) return;
    const changes = Object.entries(readable(Object.entries(values))).map(([name, value]) => `${name} = ${value}`);
    this.#options.sink.log(origin, 'INFO', `${account} has set ${changes.join(', ')}.`);
  }

  #mustBeUp(): void {
    if (this.#state !== 'up') throw new ApiError('shutting_down', {});
  }

  #open(request: JobRequest): number {
    const startedBy = request.startedBy ?? actingAccount();
    return this.#reservations.open({ ...request, ...(startedBy !== null && { startedBy }) }).generation;
  }

  #forgetInterrupted(isSelected: (job: InterruptedJob) => boolean): void {
    this.#interrupted = this.#interrupted.filter((job) => !isSelected(job));
  }

  /** `budgetMs`: for all groups together; a group without remaining time gets a minimum. */
  async #end(filter: JobFilter, reason: EndReason, budgetMs?: number): Promise<StoppedJobs> {
    const { wire } = this.#options;
    const endMs = budgetMs === undefined ? undefined : wire.monotonic() + budgetMs;
    const { experiment: assigned } = this.#options.facts();
    const startsOver = this.#reservations.revoke(
      ({ definition, experiment = assigned?.name ?? '', source, resumedSource }) =>
        matchesJob(filter, {
          ...filteredJob(
            {
              jobId: 0,
              jobName: definition.name,
              experiment,
              experimentUid: experiment === assigned?.name ? assigned.uid : null,
              jobSource: source,
              ...(resumedSource !== undefined && { resumedSource }),
            },
            definition,
          ),
          jobId: undefined,
        }),
    );
    const held = this.#interrupted.filter((job) => {
      const definition = this.definition(job.jobName);
      const origin = { ...job, resumedSource: firstSource(job) };
      return matchesJob(filter, filteredJob(origin, definition));
    });
    if (reason === 'stopped') this.#forgetInterrupted((job) => held.includes(job));
    const ended: RosterEntry[] = [];
    const ends: Promise<void>[] = [];
    for (const group of inStopOrder(this.#roster.matching(filter), ({ job }) => job.definition.stopGroup)) {
      const withinMs = endMs === undefined ? undefined : Math.max(lastMomentMs, (endMs - wire.monotonic()) / 2);
      ends.push(...group.map(({ job }) => job.end(reason, undefined, withinMs)));
      // The next group does not wait for the disk.
      await Promise.all(group.map(({ job }) => job.outputsOff));
      ended.push(...group);
    }
    if (reason === 'stopped') {
      await this.dropInterrupted(held.map(({ jobId }) => jobId));
      for (const job of held) this.#logStopOfInterrupted(job);
    }
    await endsWithin(
      Promise.all([startsOver, ...ends]).then(() => {}),
      wire,
      budgetMs ?? endLimitMs,
    );
    const said = (isSafe: boolean) =>
      ended
        .filter(({ job }) => job.isSafe === isSafe)
        .map(({ job: { origin } }) => ({ job_name: origin.jobName, job_id: origin.jobId }));
    const ids = [...ended.map(({ job }) => job.origin.jobId), ...held.map(({ jobId }) => jobId)];
    return {
      stopped: said(true),
      still_running: said(false),
      ...(this.#records.isBehindWith(ids) && { recorded: false as const }),
    };
  }

  /** It has ended before, and has no other record of its stop. */
  #logStopOfInterrupted(job: InterruptedJob): void {
    const account = actingAccount();
    const by = account === null ? '' : ` ${account} has stopped it.`;
    this.#options.sink.log(job, 'NOTICE', `${job.jobName} was off since a restart and stays off.${by}`);
  }

  /** Clears the retained state and values of jobs of the last run. */
  #publishLost(origin: JobOrigin, nowMs: number): void {
    const { sink } = this.#options;
    sink.state(origin, { kind: 'lost', sinceMs: nowMs });
    const definition = this.#catalog.get(origin.jobName);
    const names = definition === undefined ? [] : allSettingNames(definition);
    const lasting = names.filter((name) => definition?.settings[name]?.outlivesJob === true);
    for (const name of names) if (!lasting.includes(name)) sink.setting(origin, name, null, 'job');
  }
}
