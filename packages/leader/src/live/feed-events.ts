import type { FeedAnswer, FeedRecord, JobStateChange } from '@lcs/contract';
import { type Clock, type Log, toTimestamp } from '@lcs/platform';
import type { LeaderDatabase, LivePublisher, MqttPublisher } from '../core/leader-context.ts';
import type { FeedBatch, IngestRecord } from '../follower/ingest-port.ts';
import { dosePieceIn } from '../series/doses.ts';
import { signalFlags } from '../series/sample-flags.ts';
import type { ExperimentNames } from './experiment-names.ts';
import type { HeldJobs } from './held-jobs.ts';
import type { Readings } from './readings.ts';
import { restoreSettings, storedRunningJobs } from './stored-jobs.ts';
import type { UnitJobs } from './unit-jobs.ts';

export interface FeedEventsOptions {
  readonly live: LivePublisher;
  readonly mqtt: MqttPublisher;
  readonly names: ExperimentNames;
  readonly jobs: UnitJobs;
  readonly held: HeldJobs;
  readonly readings: Readings;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
}

type RecordOf<Kind extends FeedRecord['kind']> = Extract<FeedRecord, { kind: Kind }>;
type Names = ReadonlyMap<string, string>;

/** Publishes to the web UI what was stored from the feeds of the units, in the order in which it was stored. */
export class FeedEvents {
  readonly #options: FeedEventsOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: FeedEventsOptions) {
    this.#options = options;
  }

  /** Resolves when everything received so far is published. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** The unit has answered. */
  answered(unit: string, answer: FeedAnswer): void {
    const { jobs, held, live } = this.#options;
    const waiting = held.heartbeat(unit, answer.held_jobs ?? []);
    if (waiting !== undefined) live.publish('held_jobs', unit, { reactor_unit: unit, held_jobs: [...waiting] });
    const before = new Set(jobs.idsOf(unit));
    for (const { job, wasLost } of jobs.heartbeat(unit, answer.jobs, answer.time)) this.#publishJob(job, wasLost);
    const isNew = answer.jobs.some(({ job_id }) => !before.has(job_id));
    if (isNew) this.#after(() => restoreSettings(this.#options.database.read, jobs, unit));
  }

  /** The batch is on disk. */
  stored(batch: FeedBatch): void {
    this.#after(() => this.#publish(batch));
  }

  /** The unit does not answer. */
  lost(unit: string): void {
    for (const job of this.#options.jobs.lost(unit, this.#options.clock.now())) this.#publishJob(job, true);
  }

  /** The unit has not answered since the leader started: the jobs that ran on it before are lost, too. */
  silent(unit: string): void {
    const { clock, database, jobs, names } = this.#options;
    this.#after(async () => {
      const running = await storedRunningJobs(database.read, unit);
      const experiments = await names.of(running.map(({ experiment_uid }) => experiment_uid));
      const named = running.flatMap(({ experiment_uid, ...job }) => {
        const experiment = experiments.get(experiment_uid);
        return experiment === undefined ? [] : [{ ...job, experiment }];
      });
      for (const job of jobs.addLost(unit, named, clock.now())) this.#publishJob(job, true);
    });
  }

  /** The unit no longer belongs to the cluster. */
  forget(unit: string): void {
    this.#options.jobs.forget(unit);
    this.#options.held.forget(unit);
  }

  /** `isForBroker`: the leader publishes the state on MQTT, too, because the unit cannot, or could not when it was lost. */
  #publishJob(job: JobStateChange, isForBroker: boolean): void {
    const { live, mqtt } = this.#options;
    const { reactor_unit: unit, experiment, job_name, job_id, state } = job;
    live.publish('job', `${unit}/${job_id}`, job);
    if (isForBroker) mqtt.publish(`reactor/${unit}/${experiment}/${job_name}/$state`, state, { retain: true, qos: 2 });
  }

  #after(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      this.#options.log.error('Stored records could not be published to the web UI', { error });
    });
  }

  async #publish(batch: FeedBatch): Promise<void> {
    const uids = new Set(batch.series.map(({ experiment_uid }) => experiment_uid));
    for (const { record } of batch.records) if (record.kind !== 'sample') uids.add(record.experiment_uid);
    const names = await this.#options.names.of(uids);
    const superseded = supersededReadings(batch.records);
    for (const each of batch.records) if (!superseded.has(each)) this.#publishRecord(batch, each, names);
  }

  #publishRecord(batch: FeedBatch, { record, backfill }: IngestRecord, names: Names): void {
    if (record.kind === 'sample') this.#sample(batch, record, backfill, names);
    else if (record.kind === 'log') this.#logEntry(batch.unit, record, names);
    else if (record.kind === 'event') this.#dose(batch.unit, record, names);
    else if (record.kind === 'state') this.#state(batch.unit, record, names);
    else if (record.kind === 'setting') this.#setting(batch.unit, record, names);
  }

  #sample({ unit, series }: FeedBatch, record: RecordOf<'sample'>, backfill: boolean, names: Names): void {
    const of = series[record.series];
    const experiment = of && names.get(of.experiment_uid);
    if (!of || experiment === undefined) return;
    const { source, channel, angle } = of;
    const x = toTimestamp(record.at);
    const flags = record.flags?.filter((flag) => signalFlags.includes(flag)) ?? [];
    this.#options.readings.publish({
      experiment,
      reactor_unit: unit,
      source,
      channel,
      angle,
      x,
      y: record.value,
      ...(flags.length > 0 && { flags }),
      backfill,
    });
  }

  #logEntry(unit: string, record: RecordOf<'log'>, names: Names): void {
    const experiment = names.get(record.experiment_uid);
    if (experiment === undefined) return;
    const { at, level, message, task, source } = record;
    const entry = { timestamp: toTimestamp(at), level, message, task, source, reactor_unit: unit, experiment };
    this.#options.live.publish('log', `${experiment}/${task}`, entry);
  }

  /** Of the events only doses into the vial: the others have log entries. */
  #dose(unit: string, { at, name, data, experiment_uid }: RecordOf<'event'>, names: Names): void {
    const experiment = names.get(experiment_uid);
    const dose = name === 'dosing' ? dosePieceIn(data, at) : undefined;
    if (experiment === undefined || dose === undefined) return;
    // Each piece counts: none replaces another one.
    this.#options.live.publish('dose', `${experiment}/${unit}/${at}`, { experiment, reactor_unit: unit, ...dose });
  }

  #state(unit: string, record: RecordOf<'state'>, names: Names): void {
    const experiment = names.get(record.experiment_uid);
    if (experiment === undefined) return;
    const { at: atMs, state, reason, job_id, job_name } = record;
    const job = this.#options.jobs.record(unit, { experiment, job_id, job_name, state, atMs, reason });
    if (job) this.#publishJob(job, false);
  }

  #setting(unit: string, record: RecordOf<'setting'>, names: Names): void {
    const experiment = names.get(record.experiment_uid);
    const { at, job_id, job_name, setting, value } = record;
    if (experiment === undefined || !this.#options.jobs.setting(unit, job_id, setting, value)) return;
    this.#options.live.publish('setting', `${unit}/${job_id}/${setting}`, {
      reactor_unit: unit,
      experiment,
      job_name,
      job_id,
      setting,
      value,
      at: toTimestamp(at),
    });
  }
}

/** Old readings with a newer one of their series: the web UI receives only the newest. */
function supersededReadings(records: readonly IngestRecord[]): ReadonlySet<IngestRecord> {
  const newest = new Map<number, IngestRecord>();
  const superseded = new Set<IngestRecord>();
  for (const each of records) {
    if (each.record.kind !== 'sample' || !each.backfill) continue;
    const before = newest.get(each.record.series);
    if (before !== undefined) superseded.add(before);
    newest.set(each.record.series, each);
  }
  return superseded;
}
