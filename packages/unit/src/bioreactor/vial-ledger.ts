import type { BioreactorValues, DoseCorrection, Pump } from '@lcs/domain';
import type { JobOrigin } from '@lcs/node';

/** The source of the runs of a calibration, which no consumer of doses counts (fact sheet domain.md, 5.4). */
export const pumpCalibrationSource = 'pump_calibration';

/** A run of a pump that is about to begin. */
export interface OpenedDose {
  /** `add_media`, `add_alt_media`, `remove_waste`, `prime_…` or `calibrate_…`. */
  readonly event: string;
  readonly sourceOfEvent: string;
  /** The PWM output, and its level in percent. */
  readonly output: string;
  readonly percent: number;
}

/** Accounts for one run. */
export interface DoseAccount {
  /**
   * A piece that is about to be pumped; below 0: less was pumped than announced. Effective at once, and on disk when this
   * resolves. @throws StoreError when the disk rejects it; it is effective nevertheless
   */
  enter(volumeMl: number, ranMs: number): Promise<void>;
  /** The run is over. */
  close(): Promise<void>;
}

/** The vial of the experiment that a job began in, also when the unit has left that since. */
export type VialOfJob = Pick<JobOrigin, 'experiment' | 'experimentUid'>;

/** The contents of the vial, for pumps. */
export interface VialLedger {
  values(experiment: string): BioreactorValues;
  valuesOf(job: VialOfJob): BioreactorValues;
  /** The remaining volume of a pump's bottle, or the free volume of the waste bottle, mL; undefined: its size is unknown. */
  bottleLeftMl(job: VialOfJob, pump: Pump): number | undefined;
  open(job: JobOrigin, dose: OpenedDose): DoseAccount;
  /** Enters corrections, all or none. On disk when it resolves. @throws StoreError as `DoseAccount.enter` */
  correct(job: JobOrigin, source: string, corrections: readonly DoseCorrection[]): Promise<void>;
}
