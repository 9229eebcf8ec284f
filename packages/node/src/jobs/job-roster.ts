import { ApiError, type Json } from '@lcs/contract';
import { isPumpOutput } from '@lcs/domain';
import { byItself, endsWithin } from '@lcs/platform';
import type { JobCatalog } from './job-catalog.ts';
import { ChangeTurns } from './job-changes.ts';
import {
  effectiveStopGroup,
  isResumable,
  type Job,
  type JobDefinition,
  type JobEvent,
  type JobOrigin,
  type JobRequest,
  type JobTopics,
  SettingRefused,
} from './job-definition.ts';
import { type FilteredJob, type JobFilter, matchesJob } from './job-filter.ts';
import type { JobRegistry } from './job-registry.ts';
import type { ChangedBy, JobRuntimeOptions } from './job-runtime-options.ts';
import { JobScope } from './job-scope.ts';
import type { JobState } from './job-state.ts';
import { JobValues } from './job-values.ts';
import { makeContext } from './make-context.ts';
import type { PendingRecords } from './pending-records.ts';
import { failureText, RunningJob, type RunningJobHost } from './running-job.ts';

export type CompleteEvent = (event: JobEvent) => JobEvent;

/** The parts that the roster shares with its runtime. */
interface RosterParts {
  readonly registry: JobRegistry;
  readonly records: PendingRecords;
  readonly topics: JobTopics;
  readonly catalog: Pick<JobCatalog, 'own'>;
  readonly completeEvent: CompleteEvent;
}

/** A running job with its published values. */
export interface RosterEntry {
  readonly job: RunningJob;
  readonly values: JobValues;
  readonly changes: ChangeTurns;
  /** Starts it; call this once. */
  begin(): Promise<void>;
}

const stateKey = (jobId: number): string => `job/${jobId}/state`;
const settingKey = (jobId: number): string => `job/${jobId}/setting/`;

/** The reason why the job rejected these values; undefined: it has applied them. */
async function refusalOf(job: Job, values: Readonly<Record<string, Json>>): Promise<string | undefined> {
  try {
    await job.apply?.(values);
    return undefined;
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error;
    return error.message;
  }
}

export const filteredJob = (origin: JobOrigin, definition: JobDefinition): FilteredJob => ({
  ...origin,
  isLongRunning: definition.isLongRunning ?? false,
  servesCluster: definition.servesCluster ?? false,
  stopGroup: effectiveStopGroup(definition),
});

/** The running jobs: their records, their values and their published messages. */
export class JobRoster {
  readonly #options: JobRuntimeOptions;
  readonly #parts: RosterParts;
  readonly #registry: JobRegistry;
  readonly #topics: JobTopics;
  readonly #entries = new Map<number, RosterEntry>();
  /** Running jobs that have taken the output of a pump: whatever they declare, a stop of pumps concerns them. */
  readonly #withPumps = new Set<number>();
  /** Names of jobs that are being entered. */
  readonly #reserved = new Set<string>();
  readonly #records: PendingRecords;
  readonly #host: RunningJobHost;

  constructor(options: JobRuntimeOptions, parts: RosterParts) {
    this.#options = options;
    this.#parts = parts;
    this.#registry = parts.registry;
    this.#records = parts.records;
    this.#topics = parts.topics;
    this.#host = {
      clock: options.clock,
      wire: options.wire,
      stateChanged: (job, state) => this.#stateChanged(job, state),
      logProblem: ({ origin }, what, error) => this.#logProblem(origin, what, error),
      revoke: (origin, limitMs) => this.#revoke(origin, limitMs),
    };
  }

  /** Those that have not ended, oldest first. */
  matching(filter: JobFilter): readonly RosterEntry[] {
    return [...this.#entries.values()].filter(({ job: { origin, definition } }) =>
      matchesJob(filter, {
        ...filteredJob(origin, definition),
        ...(this.#withPumps.has(origin.jobId) && { stopGroup: 'pumps' as const }),
      }),
    );
  }

  /** The newest running one; jobs of the experiment precede trial jobs of the unit. @throws ApiError `job_not_running` */
  newest(filter: JobFilter & { readonly jobName: string }): RosterEntry {
    const all = this.matching(filter);
    const entry = all.findLast(({ job }) => job.origin.experiment === filter.experiment) ?? all.at(-1);
    if (entry === undefined) throw new ApiError('job_not_running', { job: filter.jobName });
    return entry;
  }

  /**
   * Records a new job and adds it to the roster.
   * @throws ApiError `job_already_running`, `job_excluded`, `job_without_experiment`, `unit_not_active`
   */
  async enter(request: JobRequest): Promise<RosterEntry> {
    const { definition } = request;
    const [present] = this.matching({ jobName: definition.name });
    if (!definition.allowsSeveral && present !== undefined)
      throw new ApiError('job_already_running', { job: definition.name, jobId: present.job.origin.jobId });
    if (!definition.allowsSeveral && this.#reserved.has(definition.name))
      throw new ApiError('job_already_running', { job: definition.name, jobId: null });
    const running = this.#excluding(definition);
    if (running !== undefined) throw new ApiError('job_excluded', { job: definition.name, running });
    this.#reserved.add(definition.name);
    try {
      return await this.#enter(request);
    } finally {
      this.#reserved.delete(definition.name);
    }
  }

  /** A running or starting job that excludes this one. */
  #excluding(starting: JobDefinition): string | undefined {
    const { name, excludes = [] } = starting;
    const present = new Map(
      [...this.#entries.values()].map(({ job: { definition } }) => [definition.name, definition]),
    );
    for (const definition of this.#parts.catalog.own())
      if (this.#reserved.has(definition.name)) present.set(definition.name, definition);
    const others = [...present.values()].filter((other) => other.name !== name);
    return others.find(
      (other) =>
        excludes.includes(other.name) || other.excludes?.includes(name) || other.refusesStartOf?.(starting) === true,
    )?.name;
  }

  /** Sets and publishes a value. */
  set({ job, values }: RosterEntry, name: string, value: Json, by: ChangedBy): void {
    const { origin } = job;
    values.set(name, value);
    this.#options.sink.setting(origin, name, value, by);
    this.#topics.settings.publish(values.keyOf(name), value);
  }

  /** Records values that are not effective yet; null is a value. @throws StoreError */
  async saveFirst({ job }: RosterEntry, values: Readonly<Record<string, Json>>): Promise<void> {
    await this.#registry.saveSettings(job.origin.jobId, values, this.#options.clock.now());
  }

  /** Records effective values; null removes one. Resolves with whether they are on disk; otherwise the write is retried. */
  async saveAfter({ job }: RosterEntry, values: Readonly<Record<string, Json>>): Promise<boolean> {
    const { jobId } = job.origin;
    const nowMs = this.#options.clock.now();
    const saved = Object.entries(values).map(([name, value]) =>
      this.#records.record({
        key: `${settingKey(jobId)}${name}`,
        write: () => this.#registry.saveSettings(jobId, { [name]: value ?? undefined }, nowMs),
      }),
    );
    return (await Promise.all(saved)).every((isSaved) => isSaved);
  }

  #setByJob(entry: RosterEntry, name: string, value: Json): void {
    this.set(entry, name, value, 'job');
    // The job sets its read-only values again, so measured values need not wear the disk.
    const declaration = entry.values.declaration(name);
    if (declaration?.readOnly && !declaration.isKept) return;
    // Never rejects: a full disk must not stop a running job.
    void this.saveAfter(entry, { [name]: value });
  }

  async #enter(request: JobRequest): Promise<RosterEntry> {
    const { clock, facts, unit } = this.#options;
    const { definition } = request;
    const { experiment, isActive } = facts();
    if (!definition.isLongRunning && !(request.isActive ?? isActive)) throw new ApiError('unit_not_active', { unit });
    const name = request.experiment ?? (definition.isLongRunning ? '$experiment' : experiment?.name);
    if (name === undefined) throw new ApiError('job_without_experiment', { job: definition.name });
    const startedAtMs = clock.now();
    const record = {
      jobName: definition.name,
      experiment: name,
      experimentUid: name === '$experiment' ? name : name === experiment?.name ? experiment.uid : null,
      jobSource: request.source,
      ...(request.resumedSource !== undefined && { resumedSource: request.resumedSource }),
      ...(request.startedBy !== undefined && { startedBy: request.startedBy }),
    };
    const isLongRunning = definition.isLongRunning ?? false;
    const { values = {}, isAsleep = false } = request.restored ?? {};
    const settings = { ...values, ...(isAsleep && { $state: 'sleeping' }) };
    const row = { ...record, unit, isLongRunning, body: request.body, settings, startedAtMs };
    const jobId = definition.isSafer?.(request) ? this.#registry.insertLater(row) : await this.#registry.insert(row);
    const entry = this.#place({ ...record, jobId }, request, startedAtMs);
    this.#entries.set(jobId, entry);
    return entry;
  }

  #place(origin: JobOrigin, request: JobRequest, startedAtMs: number): RosterEntry {
    const scope = new JobScope(this.#options.clock, (error) => job.fail(error));
    const job = new RunningJob(origin, request.definition, scope, this.#host, startedAtMs);
    const { restored } = request;
    const values = new JobValues(request.definition, request.options, restored?.values);
    /** Values that are still to be applied: until then, values that the job publishes for them are not recorded. */
    const awaited = new Set(Object.keys(restored?.toApply ?? {}));
    const setByJob = (name: string, value: Json) => {
      if (awaited.has(name)) this.set(entry, name, value, 'job');
      else this.#setByJob(entry, name, value);
    };
    const publish = (name: string, value: Json) => {
      if (values.declaration(name) === undefined) throw new Error(`${origin.jobName} does not declare ${name}.`);
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new RangeError(`${name} must be a finite number.`);
      // `saveAfter` reports failures.
      if (!scope.signal.aborted) setByJob(name, value);
    };
    const restore = async (up: Job) => {
      for (const [name, value] of Object.entries(restored?.toApply ?? {})) {
        const refusal = await refusalOf(up, { [name]: value });
        awaited.delete(name);
        if (refusal === undefined) this.set(entry, name, value, 'job');
        else {
          const present = values.get(name);
          // The restored value is not effective; the value that the job has published is.
          publish(name, present === value ? (values.declaration(name)?.default ?? null) : present);
          this.#logLost(origin, name, refusal);
        }
      }
    };
    // A job that ends meanwhile need not sleep; a failure ends the job and is logged there.
    const rest = () => void byItself(() => job.requestState('sleeping')).catch(() => {});
    const { topics, runtime } = { topics: this.#topics, runtime: this.#options };
    const takes = (outputs: readonly string[]): void => {
      if (outputs.some((output) => isPumpOutput(runtime.config(), output))) this.#withPumps.add(origin.jobId);
    };
    const { completeEvent } = this.#parts;
    const entry: RosterEntry = {
      job,
      values,
      changes: new ChangeTurns(),
      begin: async () => {
        for (const { setting, cause } of restored?.lost ?? []) this.#logLost(origin, setting, cause);
        for (const [name, value] of values.entries()) setByJob(name, value);
        const parts = { origin, request, scope, values, topics, runtime, completeEvent, publish, rest, takes };
        const context = makeContext(parts);
        await job.start(context, restored && { restore, isAsleep: restored.isAsleep });
      },
    };
    return entry;
  }

  async #stateChanged(job: RunningJob, state: JobState): Promise<boolean> {
    const { origin, definition } = job;
    const { jobId, jobName } = origin;
    const entry = this.#entries.get(jobId);
    if (state.kind !== 'disconnected') {
      this.#notify(origin, state);
      return this.#records.record({ key: stateKey(jobId), write: () => this.#registry.saveState(jobId, state) });
    }
    const isToBeResumed = state.reason === 'node_stopped' && isResumable(definition);
    const isRecorded = await this.#records.record({
      key: `job/${jobId}/end`,
      ...(!isToBeResumed && { ends: [jobId] }),
      outdates: (key) => key === stateKey(jobId) || key.startsWith(settingKey(jobId)),
      write: () => this.#registry.end(jobId, state, isToBeResumed),
    });
    if (!isRecorded)
      this.#options.sink.log(origin, 'ERROR', 'It has ended, but the disk rejects its record; the node retries.');
    // The end is published when it is on disk or the disk has rejected it.
    this.#entries.delete(jobId);
    this.#withPumps.delete(jobId);
    this.#notify(origin, state);
    for (const name of entry?.values.names ?? []) {
      if (definition.settings[name]?.outlivesJob === true) continue;
      this.#options.sink.setting(origin, name, null, 'job');
      this.#topics.settings.forget(`${jobName}/${name}`);
    }
    return isRecorded;
  }

  /** Logs a setting that a job has lost by a restart. */
  #logLost(origin: JobOrigin, setting: string, cause: string): void {
    const message = `${setting} could not be restored after the restart: ${cause}`;
    this.#options.sink.log(origin, 'WARNING', message);
  }

  #notify(origin: JobOrigin, state: JobState): void {
    this.#options.sink.state(origin, state);
    this.#topics.states.publish(origin.jobName, { jobId: origin.jobId, state: state.kind });
  }

  #logProblem(origin: JobOrigin, what: string, error?: unknown): void {
    const cause = error === undefined ? '' : ` ${failureText(error)}`;
    this.#options.sink.log(origin, 'ERROR', `${what}${cause}`);
    const stack = error instanceof Error ? error.stack : undefined;
    this.#options.log.error('A job has a problem', { job: origin.jobName, jobId: origin.jobId, what, cause, stack });
  }

  async #revoke(origin: JobOrigin, limitMs: number): Promise<boolean> {
    const { actuators, wire } = this.#options;
    try {
      if (await endsWithin(actuators.revoke(origin.jobId), wire, limitMs)) return true;
      this.#logProblem(origin, 'The guard did not confirm that its outputs are safe.');
    } catch (error) {
      this.#logProblem(origin, 'The guard did not confirm that its outputs are safe.', error);
    }
    return false;
  }
}
