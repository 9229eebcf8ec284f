import type { BiomassSignals, Calibration, Json, Model } from '@lcs/contract';
import type { PumpedMl } from './planned-dosing.ts';

/** The active calibrations of a unit, by device. */
export type CalibrationsOfUnit = Readonly<Record<string, Calibration>>;

export interface ReportedJob {
  readonly job: string;
  /** The values of its settings, as far as they are known. */
  readonly settings: Readonly<Record<string, Json>>;
}

/** What the leader knows about a unit. */
export interface PreflightUnit {
  readonly reactor_unit: string;
  /** Why it does not answer; undefined: it answers. */
  readonly unreachable: string | undefined;
  /** Undefined: the unit did not report them. */
  readonly calibrations: CalibrationsOfUnit | undefined;
  /** Its running jobs; none: it did not report them. */
  readonly runningJobs: readonly ReportedJob[];
  /** Undefined: the unit did not report it. */
  readonly freeDiskBytes: number | undefined;
  readonly clockOffsetMs: number | null;
  /** Volume left in the bottles; for waste the free volume. Absent: nobody has entered it. */
  readonly bottlesMl: Partial<PumpedMl>;
  /** Undefined: the unit has no known vial model. */
  readonly model: Model | undefined;
  /** What determines how fast its pumps dilute its culture. Undefined: the unit did not report it. */
  readonly culture: BiomassSignals['culture'];
}

export interface PreflightFacts {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly units: readonly PreflightUnit[];
  readonly leaderDisk: 'enough' | 'low' | 'full';
  /** The usable plugins of the leader. */
  readonly plugins: readonly { readonly name: string; readonly version: string }[];
}
