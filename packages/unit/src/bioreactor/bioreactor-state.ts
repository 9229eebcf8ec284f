import { ApiError, type DesiredVolumeNote, type FeedSeries, type Model, sourceWithoutAccount } from '@lcs/contract';
import {
  applyEntry,
  type BioreactorKey,
  type BioreactorValues,
  bioreactorKeys,
  bottleLeftMl,
  type DoseCorrection,
  type DosingEntry,
  dosingEventName,
  initialBioreactorValues,
  isBioreactorKey,
  isDosingEvent,
  maximumValue,
  newBalance,
  type Pump,
  type VialCapacity,
  validateExperimentName,
} from '@lcs/domain';
import type { JobEvent, JobMqtt, JobOrigin, JobReading } from '@lcs/node';
import type { IniView, Log, Service } from '@lcs/platform';
import type { NewRecord } from '../outbox/new-record.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { bottlesOf, type CheckedChange, checkChange } from './bottles.ts';
import type { DosingRecords, LedgerRow, LedgerState, OpenChange, PumpInterval } from './dosing-store.ts';
import type { PumpStretch } from './unaccounted-runs.ts';
import {
  type DoseAccount,
  type OpenedDose,
  pumpCalibrationSource,
  type VialLedger,
  type VialOfJob,
} from './vial-ledger.ts';
import { volumeNoteEntries } from './volume-notes.ts';

export interface BioreactorStateOptions {
  readonly unit: string;
  readonly records: DosingRecords;
  readonly config: () => IniView;
  /** Of this unit; null while the leader has not named one. */
  readonly model: () => Pick<Model, 'reactor_capacity_ml'> | undefined;
  /** The experiment that this unit is in. */
  readonly current: () => { readonly name: string; readonly uid: string } | undefined;
  /** Whether jobs run in an experiment. Absent: none. */
  readonly isRunning?: (experiment: string) => boolean;
  /** Whether the unit has a leader, which determines its experiment; without one, values of any experiment are accepted. Absent: no. */
  readonly hasLeader?: () => boolean;
  readonly mqtt: JobMqtt;
  readonly append: (record: NewRecord) => void;
  /** Records an event of a job, also of a job that ends. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
  /** Publishes a value of the vial to the jobs of this unit. */
  readonly reading: (reading: JobReading & { readonly atMs: number }) => void;
  /** Called at the start with the pump runs of the last hour, in milliseconds since 1970. */
  readonly onLastHour?: (intervals: readonly PumpInterval[]) => void;
  readonly now: () => number;
  readonly log: Log;
}

type NewValues = Readonly<Record<string, number | string | boolean>>;

/** The vial of this unit in one experiment. */
interface VialId {
  /** Of the experiment. */
  readonly name: string;
  /** Its uid; of experiments that this unit was never in, the name after `name:`. */
  readonly key: string;
  /** Undefined: values measured there are not recorded. */
  readonly uid: string | undefined;
}

/** The settings of the ledger in one configuration. */
interface Configured {
  readonly config: IniView;
  readonly initial: BioreactorValues;
  readonly bottlesMl: VialCapacity['bottlesMl'];
}

/** The values of a vial as they were shown last. */
interface Shown {
  /** Of these values of the balance. */
  readonly of: BioreactorValues;
  readonly capacityMl: number | undefined;
  readonly values: BioreactorValues;
}

interface Ledger {
  readonly number: number;
  readonly state: LedgerState;
}

/** Values that are series too, so that they can be charted. */
const sources: ReadonlyMap<BioreactorKey, string> = new Map([
  ['current_volume_ml', 'liquid_volume'],
  ['alt_media_fraction', 'alt_media_fraction'],
]);

/** One entry, and the volume around it, ml. */
interface Entered {
  readonly number: number;
  readonly written: Promise<void>;
  readonly beforeMl: number;
  readonly afterMl: number;
}

/** The published state of a vial. */
interface PublishedState {
  readonly values: BioreactorValues;
  readonly bottlesMl: ReadonlyMap<Pump, number | undefined>;
}

const pumps: readonly Pump[] = ['media', 'alt_media', 'waste'];

/** Digits beyond what any pump or person can mean. */
const resolution = 1e9;
const rounded = (value: number): number => Math.round(value * resolution) / resolution;

/** The values of a balance, at most those that the vial can have. */
function shownValues(values: BioreactorValues, capacityMl: number | undefined): BioreactorValues {
  const effective = (key: BioreactorKey): number => rounded(Math.min(values[key], maximumValue(key, capacityMl)));
  return {
    current_volume_ml: effective('current_volume_ml'),
    efflux_tube_volume_ml: effective('efflux_tube_volume_ml'),
    alt_media_fraction: effective('alt_media_fraction'),
    cumulative_media_added_ml: effective('cumulative_media_added_ml'),
    cumulative_alt_media_added_ml: effective('cumulative_alt_media_added_ml'),
    cumulative_waste_removed_ml: effective('cumulative_waste_removed_ml'),
  };
}

/**
 * The contents of the vial, for each experiment: a ledger of all inflows and outflows. Entries are
 * on disk before the volume that they announce is pumped.
 */
export class BioreactorState implements Service, VialLedger {
  readonly name = 'ledger of the vial';
  readonly #options: BioreactorStateOptions;
  readonly #store: DosingRecords;
  readonly #ledgers = new Map<string, Ledger>();
  /** The outputs of doses under way, by job. */
  readonly #accounted = new Set<string>();
  #valuesBeforeLedger: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map();
  #configured: Configured | undefined;
  #shown: Shown | undefined;

  constructor(options: BioreactorStateOptions) {
    this.#options = options;
    this.#store = options.records;
  }

  async start(): Promise<void> {
    const { current, now, onLastHour } = this.#options;
    this.#valuesBeforeLedger = await this.#store.valuesBeforeLedger();
    this.#ledgers.clear();
    for (const [vial, { number, state }] of await this.#store.states()) {
      this.#ledgers.set(vial, { number, state });
    }
    await this.#closeInterrupted();
    onLastHour?.(await this.#store.lastHour(now()));
    const known = current();
    if (known !== undefined) this.showAll(known.name);
  }

  /** The configuration has changed. */
  followConfig(): void {
    this.#settings();
  }

  /** Publishes all values, also of a vial without entries. */
  showAll(experiment: string): void {
    this.#publish(experiment, this.values(experiment));
  }

  async stop(): Promise<void> {}

  /** The values in an experiment: of the ledger, else of the configuration; at most the capacity of the vial. */
  values(experiment: string): BioreactorValues {
    return this.#valuesAt(this.#vialIdOf(experiment));
  }

  valuesOf(job: VialOfJob): BioreactorValues {
    return this.#valuesAt(vialIdOfJob(job));
  }

  #valuesAt(vial: VialId): BioreactorValues {
    const { values } = this.#ledger(vial).state.balance;
    const capacityMl = this.#capacityMl();
    // Each slice of a dose asks several times for the same values.
    if (this.#shown?.of !== values || this.#shown.capacityMl !== capacityMl)
      this.#shown = { of: values, capacityMl, values: shownValues(values, capacityMl) };
    return this.#shown.values;
  }

  /** The whole of the ledger's state; for tests and reports. */
  stateOf(experiment: string): LedgerState {
    return this.#ledger(this.#vialIdOf(experiment)).state;
  }

  bottleLeftMl(job: VialOfJob, pump: Pump): number | undefined {
    return bottleLeftMl(this.#ledger(vialIdOfJob(job)).state.balance, this.#capacity(), pump);
  }

  /** The entries of an experiment, oldest first. */
  entries(experiment: string): Promise<readonly DosingEntry[]> {
    return this.#store.entries(this.#vialIdOf(experiment).key);
  }

  /**
   * Sets values, all or none; they are on disk when this resolves.
   * @throws ApiError bioreactor_values_invalid
   */
  async set(experiment: string, requested: NewValues): Promise<BioreactorValues> {
    const name = validateExperimentName(experiment);
    if (!name.ok || name.name !== experiment) {
      const why = name.ok ? 'It begins or ends with a blank.' : name.cause;
      throw new ApiError('bioreactor_values_invalid', { cause: `No experiment can have that name: ${why}` });
    }
    const { current, hasLeader = () => false } = this.#options;
    if (hasLeader() && current()?.name !== experiment) {
      const where = current() === undefined ? 'in no experiment' : `in experiment '${current()?.name}'`;
      throw new ApiError('bioreactor_values_invalid', {
        cause: `This unit is ${where}, and the values are for '${experiment}'.`,
      });
    }
    const checked = checkChange(requested, this.#capacity());
    if (!checked.ok) throw new ApiError('bioreactor_values_invalid', { cause: checked.cause });
    const { values, bottlesMl } = checked;
    const vial = this.#vialIdOf(experiment);
    const { written } = this.#enter(vial, { kind: 'set', values, bottlesMl }, sourceWithoutAccount);
    this.#recordSet(vial, checked);
    await written;
    return this.#valuesAt(vial);
  }

  /** People's notes of samples and media in the experiment that this unit is in, all of them; a change of one counts. */
  async applyNotes(notes: readonly DesiredVolumeNote[]): Promise<void> {
    const current = this.#options.current();
    if (current === undefined) return;
    const vial = this.#vialIdOf(current.name);
    const before = this.#ledger(vial).state.notes;
    // All at once: a concurrent change starts from the result of these entries.
    const nowMs = this.#options.now();
    const written = volumeNoteEntries(before, notes).map(({ entry, source, notes: after, atMs }) => {
      const entered = this.#enter(vial, entry, source, { notes: after });
      const isRecent = atMs !== undefined && nowMs - atMs <= recentNoteMs;
      if (entry.note === 'media_added' && isRecent)
        this.#options.event(noteOrigin(current), doseEvent({ event: 'add_media', source, ...entry }, entered));
      return entered.written;
    });
    await Promise.all(written);
  }

  open(job: JobOrigin, dose: OpenedDose): DoseAccount {
    const { event, sourceOfEvent: source, output, percent } = dose;
    const vial = vialIdOfJob(job);
    let first: number | undefined;
    const accounted = accountKey(job.jobId, output);
    return {
      enter: async (volumeMl, ranMs) => {
        this.#accounted.add(accounted);
        const entry: DosingEntry = { kind: 'dose', event, volumeMl };
        const change = first === undefined ? { change: { opens: { event, source } } } : {};
        const pumped = { output, percent, ranMs };
        const entered = this.#enter(vial, entry, source, { pumped, ...change });
        first ??= this.#ledger(vial).number;
        const { name, data } = doseEvent({ event, source, volumeMl }, entered);
        // Doses of two jobs are two doses, however soon one follows the other.
        this.#options.event(job, { name, data: { ...data, job_id: job.jobId } });
        await entered.written;
      },
      close: async () => {
        this.#accounted.delete(accounted);
        if (first !== undefined) await this.#store.close(vial.key, first);
      },
    };
  }

  /** Whether a dose under way accounts for the runs of an output by this job. */
  isAccounted(jobId: number, output: string): boolean {
    return this.#accounted.has(accountKey(jobId, output));
  }

  /** Enters a stretch of a pump that no dose accounts for: it changes no volume, and the next guard learns it. @throws StoreError */
  async enterRun(job: JobOrigin, stretch: PumpStretch): Promise<void> {
    const entry: DosingEntry = { kind: 'dose', event: `run_${stretch.output}`, volumeMl: 0 };
    await this.#enter(vialIdOfJob(job), entry, job.jobName, { pumped: stretch }).written;
  }

  async correct(job: JobOrigin, source: string, corrections: readonly DoseCorrection[]): Promise<void> {
    const vial = vialIdOfJob(job);
    const written = corrections.map((correction) => {
      const entered = this.#enter(vial, { kind: 'correction', ...correction }, source);
      this.#options.event(job, correctionEvent(correction, source, entered));
      return entered.written;
    });
    await Promise.all(written);
  }

  /**
   * Enters a dose that a job reports as an event (a plugin that drives its own pumps) in the experiment of this unit, and
   * returns the event with the volumes before and after it. Other events are returned unchanged.
   */
  enterDose(event: JobEvent): JobEvent {
    const { current, log } = this.#options;
    const experiment = current()?.name;
    if (experiment === undefined || event.name !== dosingEventName) return event;
    const { event: dosingEvent, volume_change_ml: volumeMl, source_of_event: given } = event.data;
    if (typeof dosingEvent !== 'string' || typeof volumeMl !== 'number' || !Number.isFinite(volumeMl)) return event;
    const source = typeof given === 'string' ? given : 'plugin';
    // What flows in a calibration flows into a glass.
    if (source === pumpCalibrationSource || !isDosingEvent(dosingEvent)) return event;
    const entered = this.#enter(this.#vialIdOf(experiment), { kind: 'dose', event: dosingEvent, volumeMl }, source);
    entered.written.catch((error: unknown) =>
      log.error('A dose could not be stored; the next entry stores it too', { error }),
    );
    return { ...event, data: { ...event.data, ...volumesOf(entered) } };
  }

  /** Doses that the end of the last run interrupted: the volume of the last half second is unknown. */
  async #closeInterrupted(): Promise<void> {
    const { append, log } = this.#options;
    for (const { experiment, number, event, source } of await this.#store.openDoses()) {
      const uid = experiment.startsWith('name:') ? undefined : experiment;
      const message =
        source === pumpCalibrationSource
          ? 'A run of a pump calibration was cut when this unit ended. The pump is off, and the whole run is in the ledger.'
          : `A run of ${event} was cut when this unit ended. The volume may be off by a second of pumping.`;
      append(unitLog('WARNING', 'bioreactor', message, uid));
      log.warn('A dose was cut by the end of the node', { event });
      await this.#store.close(experiment, number);
    }
  }

  /** Counts at once; `written` rejects with a StoreError when the disk does not take it: it is written with the next entry. */
  #enter(
    vial: VialId,
    entry: DosingEntry,
    source: string,
    more: Pick<LedgerRow, 'pumped'> & { readonly change?: OpenChange; readonly notes?: LedgerState['notes'] } = {},
  ): Entered {
    const { change, notes, ...pumped } = more;
    const before = this.#ledger(vial);
    const volumeMl = () => this.#valuesAt(vial).current_volume_ml;
    const beforeMl = volumeMl();
    // An entry that changes nothing of the vial begins no publication of its values.
    const changesNothing = entry.kind === 'dose' && !isDosingEvent(entry.event);
    const publishedBefore = before.number === 0 && !changesNothing ? undefined : this.#publishedStateOf(vial);
    const balance = applyEntry(before.state.balance, entry, this.#capacity());
    const isEffluxSet =
      before.state.isEffluxSet || (entry.kind === 'set' && entry.values.efflux_tube_volume_ml !== undefined);
    const state: LedgerState = { balance, isEffluxSet, notes: notes ?? before.state.notes };
    const number = before.number + 1;
    this.#ledgers.set(vial.key, { number, state });
    this.#publishChanges(vial, publishedBefore, this.#publishedStateOf(vial));
    const row = { experiment: vial.key, number, atMs: this.#options.now(), entry, source, ...pumped };
    return { number, written: this.#store.add(row, state, change), beforeMl, afterMl: volumeMl() };
  }

  /** The present value; for an experiment without entries, its initial value. */
  #ledger({ key }: VialId): Ledger {
    const { initial } = this.#settings();
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known.state.isEffluxSet ? known : withEfflux(known, initial.efflux_tube_volume_ml);
    const setBefore = Object.fromEntries(
      [...(this.#valuesBeforeLedger.get(key) ?? [])].filter(([name]) => isBioreactorKey(name)),
    );
    const balance = newBalance({ ...initial, ...setBefore });
    return { number: 0, state: { balance, isEffluxSet: 'efflux_tube_volume_ml' in setBefore, notes: {} } };
  }

  #capacityMl(): number | undefined {
    return this.#options.model()?.reactor_capacity_ml;
  }

  #capacity(): VialCapacity {
    return { capacityMl: this.#capacityMl(), bottlesMl: this.#settings().bottlesMl };
  }

  /** Read once of each configuration: the ledger is asked thousands of times an hour. */
  #settings(): Configured {
    const config = this.#options.config();
    const before = this.#configured;
    if (before?.config === config) return before;
    const configured = { config, initial: initialBioreactorValues(config), bottlesMl: bottlesOf(config) };
    this.#configured = configured;
    if (before !== undefined) this.#keepInitialValues(before.initial, configured.initial);
    return configured;
  }

  /** Initial values are those of the beginning: while jobs run, a change of the configuration does not change their vial. */
  #keepInitialValues(before: BioreactorValues, now: BioreactorValues): void {
    const { current, isRunning, log } = this.#options;
    const experiment = current()?.name;
    if (experiment === undefined || isRunning?.(experiment) !== true) return;
    const vial = this.#vialIdOf(experiment);
    if (this.#ledgers.has(vial.key)) return;
    const isSet = (key: BioreactorKey): boolean => this.#valuesBeforeLedger.get(vial.key)?.has(key) ?? false;
    const kept = bioreactorKeys.filter(
      (key) => key !== 'efflux_tube_volume_ml' && before[key] !== now[key] && !isSet(key),
    );
    if (kept.length === 0) return;
    const values = Object.fromEntries(kept.map((key) => [key, before[key]]));
    const { written } = this.#enter(vial, { kind: 'set', values, bottlesMl: {} }, 'configuration');
    written.catch((error: unknown) =>
      log.error('The values of the vial could not be stored; the next entry stores them too', { error }),
    );
  }

  /** A reused name is another experiment, whose vial starts with initial values. */
  #vialIdOf(experiment: string): VialId {
    const current = this.#options.current();
    return vialIdOf(experiment, current?.name === experiment ? current.uid : undefined);
  }

  #publishedStateOf(vial: VialId): PublishedState {
    const capacity = this.#capacity();
    const { balance } = this.#ledger(vial).state;
    const bottles = pumps.map((pump) => [pump, bottleLeftMl(balance, capacity, pump)] as const);
    return { values: this.#valuesAt(vial), bottlesMl: new Map(bottles) };
  }

  /** Publishes the changed values to MQTT clients, the record and the jobs of this unit. */
  #publishChanges(
    { name, uid }: VialId,
    before: PublishedState | undefined,
    { values, bottlesMl }: PublishedState,
  ): void {
    const changed = bioreactorKeys.filter((key) => before?.values[key] !== values[key]);
    this.#publish(name, Object.fromEntries(changed.map((key) => [key, values[key]])));
    // Elsewhere no reading belongs: this unit is not in that experiment.
    if (uid === undefined) return;
    for (const key of changed) {
      const source = sources.get(key);
      if (source !== undefined) this.#measured(uid, source, values[key]);
    }
    for (const [pump, leftMl] of bottlesMl) {
      if (leftMl !== undefined && leftMl !== before?.bottlesMl.get(pump))
        this.#measured(uid, `${pump}_bottle_left_ml`, rounded(leftMl));
    }
  }

  #measured(uid: string, source: string, value: number): void {
    const { append, reading, now, current } = this.#options;
    append({ kind: 'sample', series: seriesOf(uid, source), value });
    if (current()?.uid === uid) reading({ source, value, atMs: now() });
  }

  #publish(experiment: string, values: Readonly<Record<string, number>>): void {
    const { unit, mqtt } = this.#options;
    for (const [key, value] of Object.entries(values)) {
      mqtt.publish(`reactor/${unit}/${experiment}/bioreactor/${key}`, String(value), { retain: true, qos: 2 });
    }
  }

  #recordSet({ uid }: VialId, { values, bottlesMl }: Extract<CheckedChange, { ok: true }>): void {
    const { append } = this.#options;
    if (uid === undefined) return;
    const text = Object.entries(values).map(([key, value]) => `${key} = ${value}`);
    const bottles = Object.entries(bottlesMl).map(([pump, leftMl]) => `${pump}_bottle_left_ml = ${leftMl}`);
    const message = `The state of the vial was set: ${[...text, ...bottles].join(', ')}.`;
    append(unitLog('INFO', 'bioreactor', message, uid));
  }
}

const accountKey = (jobId: number, output: string): string => `${jobId}/${output}`;

const volumesOf = ({ beforeMl, afterMl }: Entered) => ({ volume_before_ml: beforeMl, volume_after_ml: afterMl });

const doseEvent = (
  { event, source, volumeMl }: { readonly event: string; readonly source: string; readonly volumeMl: number },
  entered: Entered,
): JobEvent => ({
  name: dosingEventName,
  data: {
    volume_change_ml: rounded(volumeMl),
    event,
    source_of_event: source,
    entry: entered.number,
    ...volumesOf(entered),
  },
});

/** An event that is marked: nothing flows, and programs that sum volumes count it. */
const correctionEvent = (
  { event, volumeMl, corrects, reason, evidence }: DoseCorrection,
  source: string,
  entered: Entered,
): JobEvent => {
  const dose = doseEvent({ event, source, volumeMl }, entered);
  return { ...dose, data: { ...dose.data, correction: { reason, entry: corrects, ...evidence } } };
};

/** Liquid that was added by hand longer ago than this is in the readings of the OD already. Chosen. */
const recentNoteMs = 60_000;

/** The origin of liquid that a person added by hand. */
const noteOrigin = ({ name, uid }: { readonly name: string; readonly uid: string }): JobOrigin => ({
  jobId: 0,
  jobName: 'bioreactor',
  experiment: name,
  experimentUid: uid,
  jobSource: sourceWithoutAccount,
});

const vialIdOf = (name: string, uid: string | undefined): VialId => ({ name, key: uid ?? `name:${name}`, uid });

/** The experiment of the job: the unit may leave it before the pump is off. */
const vialIdOfJob = ({ experiment, experimentUid }: VialOfJob): VialId =>
  vialIdOf(experiment, experimentUid ?? undefined);

const withEfflux = (ledger: Ledger, efflux_tube_volume_ml: number): Ledger => {
  const { state } = ledger;
  const { balance } = state;
  if (balance.values.efflux_tube_volume_ml === efflux_tube_volume_ml) return ledger;
  const values = { ...balance.values, efflux_tube_volume_ml };
  return { ...ledger, state: { ...state, balance: { ...balance, values } } };
};

const seriesOf = (experiment_uid: string, source: string): FeedSeries => ({
  experiment_uid,
  source,
  channel: null,
  angle: null,
  derivation: null,
  context: null,
});
