import { ApiError } from '@lcs/contract';
import type { AngleSignals, CalibratedX, FusedDensity, ProbeComparison } from '@lcs/domain';

/** A calibration of a device. `x` is the physical quantity (OD, duty, °C), `y` the signal of the device. */
export interface Calibration {
  readonly name: string;
  readonly hash: string;
  /** What y is: `Voltage`, `RPM`, …. */
  readonly y: string;
  /** Intensity of the infrared LED at which an OD calibration was made, %. */
  readonly irLedIntensity: number | null;
  /** The photodiode that an OD calibration is of, as text; null for all of its angle. */
  readonly channel: string | null;
  /** The `x` for a signal `y`, limited to the recorded range; undefined when the curve has none. */
  inverse(y: number): CalibratedX | undefined;
  /** The `x` from which on the signal repeats earlier values; undefined or absent where there is none. */
  readonly turnsAt?: number | undefined;
  /** The `y` for an `x`, on the curve itself. */
  shownFor(x: number): number;
  /** Of the temperature: comparisons with a probe; absent for other devices. */
  readonly comparisons?: readonly ProbeComparison[];
  /** Of the stirrer: the duty (%) for a speed (RPM); undefined where none from 0 to 100 % gives it. */
  dutyFor(rpm: number): number | undefined;
}

/** The active calibration of `od90`, `stirring`, `temperature`, …; undefined when none is active. */
export type CalibrationOf = (device: string) => Calibration | undefined;

/** What makes one OD of several angles. */
interface Fusion {
  readonly name: string;
  readonly hash: string;
  /** %, at which it was made. */
  readonly irLedIntensity: number;
  /** The OD; undefined when an angle is missing or dark. */
  fuse(signals: AngleSignals): FusedDensity | undefined;
}

/** The active estimator of fused OD; undefined when none is active. */
export type FusionOf = () => Fusion | undefined;

/** @throws ApiError `calibration_unsuitable` for an active calibration of another quantity */
export function expectQuantity(job: string, calibrationOf: CalibrationOf, device: string, expected: string): void {
  const active = calibrationOf(device);
  if (active === undefined || active.y === expected) return;
  const { name: calibration, y: quantity } = active;
  throw new ApiError('calibration_unsuitable', { job, calibration, device, quantity, expected });
}

/** The active calibration at this moment: a running job keeps it, even if another one becomes active. */
export function asItIsNow(calibrationOf: CalibrationOf, devices: readonly string[]): CalibrationOf {
  const known = new Map(devices.map((device) => [device, calibrationOf(device)]));
  return (device) => known.get(device);
}
