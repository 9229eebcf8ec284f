import { dayMs, type FeedRecord, isObject, type Json } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { type Clock, toTimestamp } from '@lcs/platform';
import type { FeedBatch } from '../follower/ingest-port.ts';

/** The newest reading of a series. */
export interface NewestReading {
  readonly unit: string;
  readonly experimentUid: string;
  readonly source: string;
  readonly channel: string | null;
  readonly value: number;
  /** When the leader stored it, milliseconds of its clock. */
  readonly receivedMs: number;
  /** A late reading: the series is active, but the value is not current. */
  readonly isBackfill: boolean;
}

/** An event that raises an alarm by itself: of a unit, or of the leader about a unit. */
export interface TriggerEvent {
  readonly rule: string;
  readonly unit: string;
  readonly experimentUid: string;
  readonly detail: string | null;
  readonly message: string;
}

/** The volume left in a bottle, or the free volume of the waste bottle. */
export interface BottleLevel {
  readonly unit: string;
  readonly experimentUid: string;
  readonly bottle: string;
  readonly leftMl: number;
}

/** A flag of an optical signal. */
export interface SignalFlag {
  readonly unit: string;
  readonly experimentUid: string;
  /** Photodiode and flag. */
  readonly detail: string;
  readonly isOn: boolean;
}

/** A reported event of an optical signal. */
export interface SignalEvent {
  readonly unit: string;
  readonly experiment_uid: string;
  readonly data: Fields;
}

type EventRecord = Extract<FeedRecord, { kind: 'event' }>;
type StateRecord = Extract<FeedRecord, { kind: 'state' }>;
type Fields = Readonly<Record<string, Json>>;
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Events that wait for the next evaluation; later events of a burst add no information. */
const maxTriggerEvents = 10_000;

/** Older events raise no alarm: the unit was away for so long that a person has checked it since. Chosen. */
const longestLateMs = 7 * dayMs;

/** Reasons of an intended end of a job; a failure has its error there. */
const purposes: readonly string[] = ['stopped', 'finished'];

/** Guard events for a reached limit, and for an output that does not work. */
const limitEvents: readonly string[] = ['limit', 'cut'];
const failureEvents: readonly string[] = ['output_failed', 'guard_lost'];

/**
 * The readings and events of units that alarm rules use, from the stored batches. No method waits, reads or writes, so that
 * alarms do not delay readings.
 */
export class AlarmFacts {
  readonly #clock: Pick<Clock, 'now'>;
  /** By source, then by unit and channel. */
  readonly #readings = new Map<string, Map<string, NewestReading>>();
  /** When the last reading was stored, by unit and source. */
  readonly #receivedMs = new Map<string, number>();
  readonly #bottles = new Map<string, BottleLevel>();
  /** Bottles whose level the unit has reported as unknown, by the same keys. */
  readonly #withoutLevel = new Set<string>();
  readonly #signals = new Map<string, SignalFlag>();
  readonly #failedParts = new Map<string, string>();
  /** Jobs that ended because a person stopped them or their work was complete, by unit and name. */
  readonly #endedOnPurpose = new Set<string>();
  #triggerEvents: TriggerEvent[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The batch is on disk. */
  stored({ unit, series, records }: FeedBatch): void {
    const receivedMs = this.#clock.now();
    for (const { record, backfill } of records) {
      if (record.kind === 'sample') {
        const of = series[record.series];
        if (of === undefined) continue;
        const { source, channel, experiment_uid: experimentUid } = of;
        const { value } = record;
        this.#noteReading({ unit, experimentUid, source, channel, value, receivedMs, isBackfill: backfill });
        this.#noteBottle(unit, experimentUid, source, value);
      } else if (record.kind === 'event' && record.name === 'desired_applied') {
        this.#noteReport(unit, record.data);
      } else if (record.kind === 'event' && record.name === 'signal_quality') {
        // Late events count, too: a flag is set until an event clears it.
        this.#noteSignal(unit, record);
      } else if (record.kind === 'event') {
        this.#noteEvent(unit, record, backfill);
      } else if (record.kind === 'state') {
        this.#noteState(unit, record);
      } else if (record.kind === 'setting') {
        this.#noteBottle(unit, record.experiment_uid, record.setting, record.value);
      }
    }
  }

  /** The sources of which a unit has sent readings. */
  sources(): readonly string[] {
    return [...this.#readings.keys()];
  }

  /** The newest readings of a source, of all channels of all units. */
  readingsOf(source: string): Iterable<NewestReading> {
    return this.#readings.get(source)?.values() ?? [];
  }

  /** Which experiments the readings belong to, by uid. */
  experimentUids(): ReadonlySet<string> {
    const uids = new Set<string>();
    for (const ofSource of this.#readings.values())
      for (const { experimentUid } of ofSource.values()) uids.add(experimentUid);
    return uids;
  }

  /** When the newest reading of any of these sources of a unit was stored. */
  lastReceivedMs(unit: string, sources: readonly string[]): number | undefined {
    const times = sources.flatMap((source) => this.#receivedMs.get(`${unit}\n${source}`) ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  bottles(): Iterable<BottleLevel> {
    return this.#bottles.values();
  }

  /** Whether the unit has reported that the volume in this bottle is unknown. */
  isWithoutLevel(unit: string | null, bottle: string | null): boolean {
    return this.#withoutLevel.has(`${unit}\n${bottle}`);
  }

  signals(): Iterable<SignalFlag> {
    return this.#signals.values();
  }

  /** The parts of its document that a unit could not apply; undefined: none. */
  failedPartsOf(unit: string): string | undefined {
    return this.#failedParts.get(unit);
  }

  /** Something that the leader itself has noticed raises an alarm, such as a failed action of a profile. */
  trigger(event: TriggerEvent): void {
    if (this.#triggerEvents.length < maxTriggerEvents) this.#triggerEvents.push(event);
  }

  /** The trigger events since the last call. */
  takeTriggerEvents(): readonly TriggerEvent[] {
    const events = this.#triggerEvents;
    this.#triggerEvents = [];
    return events;
  }

  /** Adds the units' reports on their documents that were stored before the start of the leader. */
  restoreReports(reports: readonly { readonly unit: string; readonly report: Json }[]): void {
    for (const { unit, report } of reports) if (isObject(report)) this.#noteReport(unit, report);
  }

  /** Adds the flags of optical signals that were stored before the start of the leader. */
  restoreSignals(events: readonly SignalEvent[]): void {
    for (const { unit, ...event } of events) this.#noteSignal(unit, event);
  }

  /** Adds the jobs that had ended on purpose before the start of the leader. */
  restoreEnded(jobs: readonly { readonly unit: string; readonly job_name: string }[]): void {
    for (const { unit, job_name } of jobs) this.#endedOnPurpose.add(`${unit}\n${job_name}`);
  }

  /** Whether a job ended because a person stopped it or its work was complete, so that no readings are missing. */
  hasEndedOnPurpose(unit: string, job: string): boolean {
    return this.#endedOnPurpose.has(`${unit}\n${job}`);
  }

  /** The unit has left the cluster. */
  forget(unit: string): void {
    for (const [source, ofSource] of this.#readings) {
      this.#receivedMs.delete(`${unit}\n${source}`);
      for (const [key, reading] of ofSource) if (reading.unit === unit) ofSource.delete(key);
    }
    for (const [key, bottle] of this.#bottles) if (bottle.unit === unit) this.#bottles.delete(key);
    for (const [key, signal] of this.#signals) if (signal.unit === unit) this.#signals.delete(key);
    for (const keys of [this.#endedOnPurpose, this.#withoutLevel])
      for (const key of keys) if (key.startsWith(`${unit}\n`)) keys.delete(key);
    this.#failedParts.delete(unit);
  }

  #noteReading(reading: NewestReading): void {
    const { unit, source, channel, receivedMs } = reading;
    const ofSource = this.#readings.get(source) ?? new Map<string, NewestReading>();
    this.#readings.set(source, ofSource);
    ofSource.set(`${unit}\n${channel ?? ''}`, reading);
    this.#receivedMs.set(`${unit}\n${source}`, receivedMs);
  }

  #noteReport(unit: string, { parts }: Fields): void {
    const failed = isObject(parts)
      ? Object.entries(parts).filter(([, part]) => isObject(part) && part.state === 'failed')
      : [];
    if (failed.length === 0) this.#failedParts.delete(unit);
    else this.#failedParts.set(unit, failed.map(([part]) => part).join(', '));
  }

  #noteBottle(unit: string, experimentUid: string, name: string, value: Json): void {
    const bottle = bottleName.exec(name)?.[1];
    if (bottle === undefined) return;
    const key = `${unit}\n${bottle}`;
    if (typeof value === 'number') {
      this.#bottles.set(key, { unit, experimentUid, bottle, leftMl: value });
      this.#withoutLevel.delete(key);
    } else {
      this.#bottles.delete(key);
      this.#withoutLevel.add(key);
    }
  }

  #noteSignal(unit: string, { data, experiment_uid: experimentUid }: Omit<SignalEvent, 'unit'>): void {
    const flag = textOf(data.flag);
    if (flag === null) return;
    const detail = [textOf(data.channel), flag].filter((each) => each !== null).join(' ');
    this.#signals.set(`${unit}\n${detail}`, { unit, experimentUid, detail, isOn: data.begins === true });
  }

  /** Late states count, too: records arrive in their order. */
  #noteState(unit: string, { job_name, state, reason }: StateRecord): void {
    const key = `${unit}\n${job_name}`;
    if (state === 'disconnected' && purposes.includes(reason ?? '')) this.#endedOnPurpose.add(key);
    else this.#endedOnPurpose.delete(key);
  }

  /** Events from a time in which the unit was unreachable are reported, too. */
  #noteEvent(unit: string, event: EventRecord, isLate: boolean): void {
    const trigger = triggerEventOf(event);
    if (trigger === undefined) return;
    if (isLate && this.#clock.now() - event.at > longestLateMs) return;
    const message = isLate ? `${trigger.message} (At ${toTimestamp(event.at)}, reported late.)` : trigger.message;
    this.trigger({ ...trigger, message, unit, experimentUid: event.experiment_uid });
  }
}

/** The setting, or the source of readings, that contains the volume left in a bottle. */
const bottleName = /^(media|alt_media|waste)_bottle_left(?:_ml)?$/;

type TriggerDetails = Pick<TriggerEvent, 'rule' | 'detail' | 'message'>;

/** Pure: the rule of an event, if any. */
function triggerEventOf({ name, data, message, at }: EventRecord): TriggerDetails | undefined {
  const output = textOf(data.output);
  const what = textOf(data.what) ?? '';
  const reason = textOf(data.reason) ?? textOf(data.limit);
  const of = output === null ? '' : ` ${output}`;
  if (name === 'guard' && limitEvents.includes(what)) {
    const inBrackets = reason === null ? '' : ` (${reason})`;
    return {
      rule: 'limit_reached',
      detail: output,
      message: message ?? `The guard limited ${output ?? 'an output'}${inBrackets}.`,
    };
  }
  if (name === 'guard' && failureEvents.includes(what)) {
    const why = reason === null ? '' : `: ${reason}`;
    const failed = what === 'guard_lost' ? 'The guard was lost and started again.' : `The output${of} failed${why}.`;
    return { rule: 'output_failed', detail: output, message: message ?? failed };
  }
  if (name === 'job_ended' && data.ok === false) {
    const job = textOf(data.job_name) ?? 'a job';
    const error = textOf(data.error) ?? 'It gave no reason.';
    return { rule: 'job_ended_by_error', detail: job, message: `${job} ended with an error: ${error}` };
  }
  if (name === 'node_started' && data.clean === false) {
    const since = typeof data.last_record_at === 'number' ? elapsedText(at - data.last_record_at) : 'some time';
    const cut = `The unit was off for ${since} and has started again. It had not been stopped: its power failed, or its program crashed.`;
    return { rule: 'unit_cut_off', detail: null, message: cut };
  }
  if (name === 'clock_step_refused') {
    return { rule: name, detail: textOf(data.source), message: message ?? 'A wrong time was refused.' };
  }
  if (name === 'dose_implausible')
    return { rule: name, detail: textOf(data.pump), message: message ?? 'A dose had no effect.' };
  if (name === 'dosing_cannot_keep_up')
    return { rule: name, detail: null, message: message ?? 'The pumps do not keep up with growth.' };
  if (name === 'pump_deviates')
    return { rule: name, detail: textOf(data.pump), message: message ?? 'A pump differs from its calibration.' };
  return undefined;
}
