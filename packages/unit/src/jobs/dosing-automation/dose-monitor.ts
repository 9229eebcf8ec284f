import { hourMs } from '@lcs/contract';
import {
  type DilutingPump,
  type Disturbance,
  type DisturbanceFound,
  type DoseCorrection,
  type DoseEvidence,
  densityByDoses,
  dilutionOf,
  disturbanceOf,
  dosingEventName,
  evidenceAfresh,
  evidenceStep,
  isConfirmed,
  isUnverified,
  logShiftOf,
  type MovedVolumes,
  mayLiveOnDoses,
  needsCloseReadings,
  noEvidence,
  pumpDeviation,
  type TriggerReading,
  type WasteCheck,
  wasteCheck,
  withDisturbanceAccepted,
  withoutWaste,
} from '@lcs/domain';
import type { JobContext, JobReading } from '@lcs/node';
import { isTrusted, type SignalSource } from './fresh-readings.ts';

/** Until fresh medium is mixed in. Chosen: a stirred vial takes a few seconds. */
const mixingMs = 10_000;
/** The doses that a correction can concern. */
const mostDoses = 400;
/** After so many doses whose effect is neither seen nor refuted, a person is told. Chosen. */
const dosesUntilUnverified = 6;

/** A dose under way or done. */
interface Dose {
  readonly number: number;
  /** Of the first entry of each pump in the ledger. */
  readonly entries: Readonly<Record<string, number>>;
  readonly moved: MovedVolumes;
}

/** Liquid added since the last step of the evidence, by a pump. */
interface Pending {
  readonly volumeMl: number;
  readonly addedMl: number;
}

type Context = Pick<JobContext, 'clock' | 'listen' | 'topics'>;

/** At the end of what is measured the value stays the same whatever a dose does: it may cause doses, but proves nothing about them. */
const isLimited = ({ isLeast = false, flags = [] }: JobReading): boolean => isLeast || flags.includes('saturated');

/** What the monitor reports. */
export interface DoseFindings {
  /** The doses since some dose did not do what the ledger has. */
  disturbed(found: DisturbanceFound, corrections: readonly DoseCorrection[], isNew: boolean): void;
  /** A pump moves another volume than its calibration has. */
  deviates(pump: DilutingPump, factor: number): void;
  /** The effect of the doses is smaller than the noise. */
  unverified(): void;
}

/** Compares doses with the optical density: one reading after a dose counts, and the doses of hours count together. */
export class DoseMonitor {
  readonly #context: Context;
  readonly #findings: DoseFindings;
  readonly #capacityMl: () => number;
  #evidence: DoseEvidence;
  #source: 'od' | 'od_fused' = 'od';
  #channel: string | undefined;
  /** That the evidence contains. */
  #newest: { readonly channel: string; readonly atMs: number } | undefined;
  readonly #doses: Dose[] = [];
  #number = 0;
  #isDosing = false;
  /** Of several readings in close succession, which do not change what is known of their interval. */
  #isClose = false;
  #drains = false;
  #pending = new Map<DilutingPump, Pending>();
  #lastFlowMs = Number.NEGATIVE_INFINITY;
  #washedOut = 0;
  /** Pumps whose deviation is reported, with the factor. */
  readonly #reported = new Map<DilutingPump, number>();
  #isUnverifiedReported = false;
  /** Found last, until doses arrive again. */
  #disturbance: Disturbance | undefined;

  /** `mayBeLimited`: doses are given at no density, so that the culture may use up its medium. */
  constructor(
    context: Context,
    { capacityMl, mayBeLimited }: { readonly capacityMl: () => number; readonly mayBeLimited: boolean },
    findings: DoseFindings,
  ) {
    this.#context = context;
    this.#evidence = { ...noEvidence, mayBeLimited };
    this.#capacityMl = capacityMl;
    this.#findings = findings;
  }

  begin(): void {
    const { listen, topics } = this.#context;
    listen(topics.events, ({ data }, name) => {
      if (name === dosingEventName) this.#flowed(data);
    });
    listen(topics.readings, (reading) => {
      if (reading.source === this.#source && isTrusted(reading) && !isLimited(reading)) this.#take(reading);
    });
  }

  /** The density that the automation holds is the one that shows its doses, unless only a derived one is held. */
  follow(place: SignalSource): void {
    const source = place.from === 'reading' && place.source === 'od_fused' ? 'od_fused' : 'od';
    if (source === this.#source) return;
    this.#source = source;
    this.#channel = undefined;
    this.#restart();
  }

  /**
   * A reading of the density without its noise, so that no single reading of a noisy series causes a dose. Other readings, and
   * those that the evidence does not use, stay as they are.
   */
  withoutNoise(reading: TriggerReading): TriggerReading {
    const { source, channel = '', atMs } = reading;
    const newest = this.#newest;
    if (source !== this.#source || channel !== newest?.channel || atMs !== newest.atMs) return reading;
    return { ...reading, value: densityByDoses(this.#evidence) ?? reading.value };
  }

  /** Earlier evidence is void: a person has changed something. */
  resume(): void {
    this.#restart();
    this.#disturbance = undefined;
  }

  #restart(): void {
    this.#evidence = evidenceAfresh(this.#evidence);
    this.#doses.length = 0;
    this.#pending.clear();
  }

  /** Wash-out of all doses so far by the ledger. */
  get washedOut(): number {
    return this.#washedOut;
  }

  /** Whether doses were found to be without their effect, and have not arrived since. */
  get isDisturbed(): boolean {
    return this.#disturbance !== undefined;
  }

  /** Before an exchange that removes what it adds. */
  wasteCheck(exchangeMl: number, volumeMl: number): WasteCheck {
    const check = wasteCheck(this.#evidence, { exchangeMl, volumeMl, capacityMl: this.#capacityMl() });
    if (check.kind === 'blocked') this.#found(check.found, withoutWaste(this.#evidence));
    return check;
  }

  /** Whether the culture may have used up its medium, so that only readings soon after a dose show that it has arrived. */
  get mayLiveOnDoses(): boolean {
    return mayLiveOnDoses(this.#evidence);
  }

  /** Whether readings are so rare that extra ones are needed around an exchange. */
  get needsCloseReadings(): boolean {
    return needsCloseReadings(this.#evidence);
  }

  /** The readings of this time are extra ones. */
  async during(closeReadings: Promise<void>): Promise<void> {
    this.#isClose = true;
    try {
      await closeReadings;
    } finally {
      this.#isClose = false;
    }
  }

  /** An exchange begins now. */
  doseBegins(drains: boolean): void {
    this.#flush();
    this.#number += 1;
    this.#isDosing = true;
    this.#drains = drains;
    const moved = { mediaMl: 0, altMediaMl: 0, wasteMl: 0 };
    this.#doses.push({ number: this.#number, entries: {}, moved });
    if (this.#doses.length > mostDoses) this.#doses.shift();
  }

  /** The exchange has ended. */
  doseEnds(moved: MovedVolumes): void {
    this.#isDosing = false;
    this.#changeDose((dose) => ({ ...dose, moved }));
    this.#evaluate();
  }

  #changeDose(change: (dose: Dose) => Dose): void {
    const last = this.#doses.pop();
    if (last !== undefined) this.#doses.push(change(last));
  }

  /** A pump moves liquid; parts of a dose come every half second. */
  #flowed(data: Readonly<Record<string, unknown>>): void {
    const { event, entry, correction } = data;
    if (typeof event !== 'string' || correction !== undefined) return;
    if (this.#isDosing && typeof entry === 'number')
      this.#changeDose((dose) => ({ ...dose, entries: { [event]: entry, ...dose.entries } }));
    const dilution = dilutionOf(data);
    if (dilution === undefined) return;
    this.#washedOut -= logShiftOf(dilution);
    const nowMs = this.#context.clock.monotonic();
    // Doses of other jobs and of people are doses of their own.
    if (!this.#isDosing && this.#pending.size === 0) {
      this.#number += 1;
      this.#drains = false;
    }
    this.#lastFlowMs = nowMs;
    const pump: DilutingPump = event === 'add_alt_media' ? 'alt_media' : 'media';
    const before = this.#pending.get(pump);
    this.#pending.set(pump, {
      volumeMl: before?.volumeMl ?? dilution.volumeMl,
      addedMl: (before?.addedMl ?? 0) + dilution.addedMl,
    });
  }

  get #hours(): number {
    return this.#context.clock.monotonic() / hourMs;
  }

  /** Enters what has flowed since the last reading. */
  #flush(): void {
    const hours = Math.min(this.#hours, this.#lastFlowMs / hourMs);
    for (const [pump, { volumeMl, addedMl }] of this.#pending) {
      if (addedMl <= 0) continue;
      this.#evidence = evidenceStep(this.#evidence, {
        kind: 'dose',
        hours,
        dose: this.#number,
        pump,
        volumeMl,
        addedMl,
        drains: this.#drains,
        capacityMl: this.#capacityMl(),
      });
    }
    this.#pending.clear();
  }

  /** Before smoothing, in which a dose would show late and in part. */
  #take({
    channel = '',
    atMs,
    value: smoothed,
    unsmoothed: value = smoothed,
  }: JobReading & { readonly atMs: number }): void {
    // The first of several photodiodes, as for the biomass.
    if (this.#channel !== undefined && channel > this.#channel) return;
    if (channel !== this.#channel) this.#restart();
    this.#channel = channel;
    const nowMs = this.#context.clock.monotonic();
    if (value <= 0 || nowMs < this.#lastFlowMs + mixingMs) return;
    this.#flush();
    this.#evidence = evidenceStep(this.#evidence, {
      kind: 'reading',
      hours: this.#hours,
      logDensity: Math.log(value),
      extra: this.#isClose,
    });
    this.#newest = { channel, atMs };
    // The volumes of an exchange are known at its end.
    if (!this.#isDosing) this.#evaluate();
  }

  #evaluate(): void {
    const found = disturbanceOf(this.#evidence);
    if (found !== undefined) {
      this.#found(found, withDisturbanceAccepted(this.#evidence));
      return;
    }
    if (this.#disturbance !== undefined && isConfirmed(this.#evidence)) this.#disturbance = undefined;
    for (const pump of ['media', 'alt_media'] as const) {
      const factor = pumpDeviation(this.#evidence, pump, this.#reported.get(pump));
      if (factor === undefined) continue;
      this.#reported.set(pump, factor);
      this.#findings.deviates(pump, factor);
    }
    if (this.#isUnverifiedReported || !isUnverified(this.#evidence, dosesUntilUnverified)) return;
    this.#isUnverifiedReported = true;
    this.#findings.unverified();
  }

  #found(found: DisturbanceFound, evidence: DoseEvidence): void {
    const corrections = this.#correctionsOf(found);
    this.#evidence = evidence;
    this.#doses.length = 0;
    const isNew = this.#disturbance !== found.disturbance;
    this.#disturbance = found.disturbance;
    this.#findings.disturbed(found, corrections, isNew);
  }

  /** What the ledger has booked and did not happen, newest dose last. */
  #correctionsOf({ disturbance, pump, sinceDose, factor, logOdds }: DisturbanceFound): readonly DoseCorrection[] {
    const share = disturbance === 'irregular' ? Math.max(0, Math.min(1, 1 - factor)) : 1;
    const evidence = { odds: Math.round(Math.exp(Math.min(20, logOdds))), factor };
    return this.#doses
      .filter(({ number }) => number >= sinceDose)
      .flatMap(({ entries, moved }): DoseCorrection[] => {
        const addedMl = pump === 'alt_media' ? moved.altMediaMl : moved.mediaMl;
        const event = pump === 'alt_media' ? 'add_alt_media' : 'add_media';
        const inflowMl = disturbance === 'waste_blocked' ? moved.mediaMl + moved.altMediaMl : share * addedMl;
        const wasteMl = Math.min(moved.wasteMl, inflowMl);
        const { remove_waste: wasteEntry, [event]: addedEntry } = entries;
        const reason = disturbance;
        // What came into the vial is what left it.
        const waste: DoseCorrection[] =
          wasteEntry === undefined || wasteMl <= 0
            ? []
            : [{ event: 'remove_waste', volumeMl: -wasteMl, corrects: wasteEntry, reason, evidence }];
        if (disturbance === 'waste_blocked' || addedEntry === undefined || addedMl <= 0) return waste;
        return [...waste, { event, volumeMl: -share * addedMl, corrects: addedEntry, reason, evidence }];
      });
  }
}
