import type { Because } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';

/** A pump, by its label in `[PWM]`. */
export type PumpName = 'media' | 'alt_media' | 'waste';

/** One run of one pump: how much, and why. */
export interface Dose {
  readonly pump: PumpName;
  readonly amount: { readonly volumeMl: number } | { readonly durationS: number } | 'continuously';
  readonly because: Because;
  /** `UI`, `dosing_automation:turbidostat`, …: goes with every dosing event. */
  readonly sourceOfEvent: string;
  /** A further pulse of what was begun: why it runs is recorded already. */
  readonly goesOn?: boolean;
}

/** What became of a dose. */
export interface Moved {
  /** By the pump's calibration and the time that it ran. */
  readonly volumeMl: number;
  readonly ranMs: number;
  /** Why it ended before its time; absent when it did not. */
  readonly stopped?: 'overflow' | 'bottle_empty' | 'stopped' | 'guard';
}

/** The pumps of a unit, for one job. */
export interface Pumps {
  /** What the ledger says is in the vial of the job's experiment. */
  readonly volumeMl: () => number;
  /** An inflow that would reach this is refused: the model's highest filling. Not a number of use (0) when the model is unknown. */
  readonly stopLimitMl: () => number;
  /** Flow of one pump by that of another, both uncalibrated ones taken for usual pumps. */
  flowRatio(one: PumpName, other: PumpName): number;
  /** Why one of these pumps cannot be used (no calibration, no PWM label), as a sentence; undefined when all can. */
  check(pumps: readonly PumpName[]): string | undefined;
  /**
   * Runs a pump, and accounts for it. Resolves when the pump is off and the ledger right, also when `signal` or the job's own
   * signal ends it early: a job's `stop()` waits for it.
   * @throws PumpRefused when the pump cannot run at all
   */
  dose(context: JobContext, dose: Dose, signal: AbortSignal): Promise<Moved>;
}

/** A pump cannot run; the message is one sentence for people. */
export class PumpRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PumpRefused';
  }
}

/** The pumps of a unit. `of`: as one job has them; jobs get this from `UnitDevices.pumps`. */
export interface UnitPumps {
  of(job: JobContext): Pumps;
  /** What the ledger says is in the vial of an experiment, ml. */
  volumeMl(experiment: string): number;
}
