import { type FeedRecord, type Json, minuteMs, SampleFlag } from '@lcs/contract';
import { actuationEventName } from '@lcs/domain';
import type { JobEvent, JobLogLevel, JobOrigin, JobReading, JobRecordSink, JobState } from '@lcs/node';
import { actingAccount, type Log, type Service } from '@lcs/platform';
import { failureNote } from '../outbox/failure-note.ts';
import type { NewNote, NewSample } from '../outbox/new-record.ts';
import type { Appended, Outbox } from '../outbox/outbox.ts';
import type { Stamp, UnitTime } from '../time/unit-time.ts';
import { ReadingSeries } from './reading-series.ts';

/** Publishes a record once it is on disk. It must not throw, and nothing waits for it. */
export interface RecordMirror {
  event(job: JobOrigin, event: JobEvent, atMs: number): void;
  log(job: JobOrigin, level: JobLogLevel, message: string, atMs: number): void;
  state(job: JobOrigin, state: JobState): void;
  setting(job: JobOrigin, setting: string, value: Json): void;
}

export interface OutboxRecordSinkOptions {
  readonly outbox: Outbox;
  readonly time: UnitTime;
  readonly mirror: RecordMirror;
  readonly log: Log;
  /** Short jobs: the event log has one entry of each, when it has ended. */
  readonly momentaryJobs?: ReadonlySet<string>;
}

type ChangedBy = Extract<FeedRecord, { kind: 'setting' }>['by'];

/** Scratch experiments are shown and never stored. */
const isScratch = ({ experiment }: JobOrigin): boolean => experiment.startsWith('_testing_');

/**
 * A measured value is in its series already; among the settings it is only remembered now and then, so that the newest
 * known one is never far behind.
 */
const measuredEveryMs = 10 * minuteMs;
const isMeasured = (value: Json): boolean => typeof value === 'object' && value !== null;

const flagNames: ReadonlySet<string> = new Set(SampleFlag.anyOf.map(({ const: name }) => name));
const isFlag = (flag: string): flag is SampleFlag => flagNames.has(flag);

/** The origin of an actuation includes the starter of the job. */
const startOf = ({ jobId, jobName, jobSource, startedBy }: JobOrigin) => ({
  job_id: jobId,
  job_name: jobName,
  job_source: jobSource,
  ...(startedBy !== undefined && { started_by: startedBy }),
});

/** The log entry of a new state; the job itself has logged the reason of a failure. */
function entryOf(state: JobState): { readonly level: JobLogLevel; readonly message: string } | undefined {
  switch (state.kind) {
    case 'init':
      return undefined;
    case 'ready':
      return { level: 'INFO', message: 'Ready.' };
    case 'sleeping':
      return { level: 'INFO', message: 'Sleeping.' };
    case 'disconnected':
      return { level: 'INFO', message: state.reason === 'node_stopped' ? 'Ended with its unit.' : 'Ended.' };
    case 'lost':
      return { level: 'WARNING', message: 'Stopped: unit lost power or crashed.' };
  }
}

/** The log entry of a short job, whose start and end are not logged separately. */
function entryOfShortJob(state: JobState): ReturnType<typeof entryOf> {
  if (state.kind === 'ready') return undefined;
  const isDone = state.kind === 'disconnected' && state.reason === 'finished';
  return isDone ? { level: 'INFO', message: 'Done.' } : entryOf(state);
}

/** The account that requested this state of a job; null: none. */
function accountBehind(
  { jobSource, startedBy }: JobOrigin,
  state: JobState,
  { hasBeenReady, isMomentary }: { readonly hasBeenReady: boolean; readonly isMomentary: boolean },
): string | null {
  const starter = jobSource === 'resume' ? null : (startedBy ?? null);
  if (state.kind === 'ready' && !hasBeenReady) return starter;
  if (state.kind === 'ready' || state.kind === 'sleeping') return actingAccount();
  if (state.kind !== 'disconnected') return null;
  // The entry of a short job at its end is its only one.
  return state.reason === 'finished' && isMomentary ? starter : state.reason === 'stopped' ? actingAccount() : null;
}

/** Writes all records of jobs into the outbox, and publishes them through the mirror once they are on disk. */
export class OutboxRecordSink implements JobRecordSink, Service {
  readonly name = 'job records';
  readonly #options: OutboxRecordSinkOptions;
  readonly #series = new ReadingSeries();
  /** When a measured setting was last remembered, by job id and name. */
  readonly #remembered = new Map<number, Map<string, number>>();
  /** Jobs of experiments without a known UID, whose readings cannot be kept; logged once for each job. */
  readonly #withoutExperiment = new Set<number>();
  /** Jobs that have been ready. */
  readonly #haveBeenReady = new Set<number>();
  #lastFlushed: Appended['flushed'] = Promise.resolve('committed');

  constructor(options: OutboxRecordSinkOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {}

  /** All records are on disk and with the mirror before either of them stops. */
  async stop(): Promise<void> {
    await this.#options.outbox.flush();
    // Records that the disk rejects wait until the outbox gives them up, which is after this.
    await Promise.race([this.#lastFlushed, undefined]);
  }

  reading(job: JobOrigin, reading: JobReading & { readonly atMs: number }): void {
    const uid = this.#uidOf(job);
    if (uid === undefined) return;
    const { time } = this.#options;
    const flags = (reading.flags ?? []).filter(isFlag);
    const sample: NewSample = {
      kind: 'sample',
      series: this.#series.of(uid, reading),
      value: reading.value,
      ...(flags.length > 0 && { flags }),
    };
    this.#append(sample, time.stampOf(reading.atMs));
  }

  event(job: JobOrigin, event: JobEvent): void {
    const { name, message = null } = event;
    const data = name === actuationEventName ? { ...event.data, ...startOf(job) } : event.data;
    const source = typeof data.source_of_event === 'string' ? data.source_of_event : job.jobName;
    const stamp = this.#note(job, { kind: 'event', name, source, message, data: { ...data } }, (at) =>
      this.#options.mirror.event(job, event, at),
    );
    if (stamp === undefined) this.#options.mirror.event(job, event, this.#options.time.now());
  }

  log(job: JobOrigin, level: JobLogLevel, message: string): void {
    const { mirror, time } = this.#options;
    const note = { kind: 'log', level, task: job.jobName, source: 'app', message } as const;
    if (this.#note(job, note, (at) => mirror.log(job, level, message, at)) === undefined)
      mirror.log(job, level, message, time.now());
  }

  state(job: JobOrigin, state: JobState): void {
    const { mirror, outbox } = this.#options;
    const reason = state.kind === 'disconnected' ? (state.error ?? state.reason) : null;
    const { jobId: job_id, jobName: job_name, jobSource: source } = job;
    this.#note(job, { kind: 'state', job_id, job_name, state: state.kind, reason, source });
    const isMomentary = this.#options.momentaryJobs?.has(job.jobName) === true;
    const account = accountBehind(job, state, { hasBeenReady: this.#haveBeenReady.has(job.jobId), isMomentary });
    this.#noteFailure(job, state);
    this.#afterCommit(() => mirror.state(job, state));
    const entry = isMomentary ? entryOfShortJob(state) : entryOf(state);
    if (entry !== undefined)
      this.log(job, entry.level, `${entry.message}${account === null ? '' : ` Requested by ${account}.`}`);
    // It is rare and a person waits for it: it does not wait for further records.
    void outbox.flush();
    if (state.kind === 'disconnected' || state.kind === 'lost') this.#forget(job.jobId);
  }

  /** The requester of a failed start has the reason: only a job that was ready can fail unnoticed. */
  #noteFailure(job: JobOrigin, state: JobState): void {
    if (state.kind === 'ready') this.#haveBeenReady.add(job.jobId);
    if (state.kind !== 'disconnected' || state.reason !== 'failed' || !this.#haveBeenReady.has(job.jobId)) return;
    const { experiment_uid: _, ...note } = failureNote(job, '', state.error);
    this.#note(job, note);
  }

  setting(job: JobOrigin, setting: string, value: Json, by: 'http' | 'mqtt' | 'profile' | 'job'): void {
    const { mirror } = this.#options;
    const { jobId: job_id, jobName: job_name } = job;
    if (!isMeasured(value) || this.#isDue(job_id, setting)) {
      const changedBy: ChangedBy = by;
      this.#note(job, { kind: 'setting', job_id, job_name, setting, value, by: changedBy });
    }
    this.#afterCommit(() => mirror.setting(job, setting, value));
  }

  #isDue(jobId: number, setting: string): boolean {
    const nowMs = this.#options.time.now();
    const ofJob = this.#remembered.get(jobId) ?? new Map<string, number>();
    this.#remembered.set(jobId, ofJob);
    const lastMs = ofJob.get(setting);
    if (lastMs !== undefined && nowMs - lastMs < measuredEveryMs) return false;
    ofJob.set(setting, nowMs);
    return true;
  }

  #forget(jobId: number): void {
    this.#remembered.delete(jobId);
    this.#withoutExperiment.delete(jobId);
    this.#haveBeenReady.delete(jobId);
  }

  /** Where the records of a job belong; undefined: nowhere. */
  #uidOf(job: JobOrigin): string | undefined {
    if (isScratch(job)) return undefined;
    if (job.experimentUid !== null) return job.experimentUid;
    if (!this.#withoutExperiment.has(job.jobId)) {
      this.#withoutExperiment.add(job.jobId);
      const message = 'Its readings are not kept: this unit is not assigned to its experiment.';
      this.#options.log.warn(message, { job: job.jobName, experiment: job.experiment });
    }
    return undefined;
  }

  /** Appends a note of a job, and calls `shown` when it is on disk; undefined when the experiment has no place for it. */
  #note(job: JobOrigin, note: NoteOfJob, shown?: (atMs: number) => void): Stamp | undefined {
    const experiment_uid = this.#uidOf(job);
    if (experiment_uid === undefined) return undefined;
    const record: NewNote = { ...note, experiment_uid };
    const { stamp, flushed } = this.#append(record);
    if (shown !== undefined) {
      void flushed.then((outcome) => {
        if (outcome === 'committed') shown(stamp.at);
      });
    }
    return stamp;
  }

  #append(record: NewSample | NewNote, stamp?: Stamp): Appended {
    const appended = this.#options.outbox.append(record, stamp);
    this.#lastFlushed = appended.flushed;
    return appended;
  }

  /** States and values are published also when the disk is full: retained messages must not be outdated. */
  #afterCommit(show: () => void): void {
    void this.#lastFlushed.then((outcome) => {
      if (outcome !== 'unwritten') show();
    });
  }
}

type NoteOfJob = NewNote extends infer Note ? (Note extends NewNote ? Omit<Note, 'experiment_uid'> : never) : never;
