import type { ActuationReason, DoseCorrection } from '@lcs/domain';
import type { JobContext } from '@lcs/node';

/** A pump, by its label in `[PWM]`. */
export type PumpName = 'media' | 'alt_media' | 'waste';

/** One run of one pump: how much, and why. */
export interface Dose {
  readonly pump: PumpName;
  readonly amount: { readonly volumeMl: number } | { readonly durationS: number } | 'continuously';
  readonly because: ActuationReason;
  /** `UI`, `dosing_automation:turbidostat`, …: goes with every dosing event. */
  readonly sourceOfEvent: string;
  /** A further pulse of a dose: the reason of its run is recorded already. */
  readonly isFurtherPulse?: boolean;
  /** Called once when the pump runs: what could have been known before has not stood in the way. */
  readonly begun?: () => void;
}

/** The result of a dose. */
export interface DoseResult {
  /** By the pump's calibration and the time that it ran. */
  readonly volumeMl: number;
  readonly ranMs: number;
  /** Why it ended before its time; absent when it did not. */
  readonly stopped?: 'overflow' | 'bottle_empty' | 'stopped' | 'guard';
}

/** The pumps of a unit, for one job. */
export interface Pumps {
  /** The volume of the vial of the job's experiment, from the ledger. */
  readonly volumeMl: () => number;
  /** The share of its liquid that is alternative medium, by the ledger. */
  readonly altMediaFraction: () => number;
  /** An inflow that would reach this is refused: the model's highest filling. Not a number of use (0) when the model is unknown. */
  readonly stopLimitMl: () => number;
  /** The volume above which the vial overflows; infinite when the model is unknown. */
  readonly capacityMl: () => number;
  /** Corrects the ledger: doses of this job that did not do what it has. @throws StoreError */
  correct(corrections: readonly DoseCorrection[]): Promise<void>;
  /** mL per second; an uncalibrated pump is taken for a usual one. */
  flowMlPerS(pump: PumpName): number;
  /** Flow of one pump by that of another. */
  flowRatio(one: PumpName, other: PumpName): number;
  /** Why one of these pumps cannot be used (no calibration, no PWM label); undefined when all can. */
  check(pumps: readonly PumpName[]): PumpRefused | undefined;
  /** Why a dose would not begin now; whether its pump is free is seen when it begins. */
  refusal(dose: Pick<Dose, 'pump' | 'amount'>): PumpRefused | undefined;
  /**
   * Checks whether this job could have the pump of a dose now.
   * @throws PumpRefused when another job has it, or it cannot run at all
   */
  expectFree(context: JobContext, dose: Dose): Promise<void>;
  /**
   * Runs a pump, and accounts for it. Resolves when the pump is off and the ledger right, also when `signal` or the job's own
   * signal ends it early: a job's `stop()` waits for it.
   * @throws PumpRefused when the pump cannot run at all
   */
  dose(context: JobContext, dose: Dose, signal: AbortSignal): Promise<DoseResult>;
}

interface RefusalOptions extends ErrorOptions {
  /** What to do about it, as a sentence. */
  readonly remediation?: string;
  readonly stopped?: DoseResult['stopped'];
}

/** A pump cannot run; the message is one sentence for people. */
export class PumpRefused extends Error {
  readonly remediation: string;
  /** The limit that would have stopped the dose at once, if any. */
  readonly stopped: DoseResult['stopped'];

  constructor(message: string, { remediation, stopped, ...options }: RefusalOptions = {}) {
    super(message, options);
    this.name = 'PumpRefused';
    this.remediation = remediation ?? 'Remove the cause, then start it again.';
    this.stopped = stopped;
  }
}

/** The pumps of a unit. `of`: as one job has them; jobs get this from `UnitDevices.pumps`. */
export interface UnitPumps {
  of(job: JobContext): Pumps;
  /** The volume of the vial of an experiment, from the ledger, mL. */
  volumeMl(experiment: string): number;
  /** mL per second; undefined: no active calibration, or no output. */
  calibratedFlow(config: JobContext['config'], pump: PumpName): number | undefined;
}
