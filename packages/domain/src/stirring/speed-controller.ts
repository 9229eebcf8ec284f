import { freshPid, type PidState, pidStep } from '../control/pid.ts';

export interface SpeedGains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

/** % per RPM and step. */
export const usualSpeedGains: SpeedGains = { proportional: 0.005, integral: 0, derivative: 0 };

/** Largest change of the duty in one step, %: a sensor's wild value must not throw the bar off. Chosen. */
const largestChange = 7.5;

/** What the controller remembers; plain data. */
export interface SpeedState {
  /** The duty that it believes to be right, 0 to 100 %. */
  readonly duty: number;
  readonly pid: PidState;
}

export const startedSpeed = (duty: number): SpeedState => ({ duty: dutyWithin(duty), pid: freshPid });

/** Moves the duty by what the difference between wanted and measured RPM gives. A target of 0 is a duty of 0. */
export function speedStep(
  state: SpeedState,
  gains: SpeedGains,
  now: { readonly targetRpm: number; readonly measuredRpm: number },
): SpeedState {
  if (now.targetRpm <= 0) return { duty: 0, pid: freshPid };
  const limits = { lowest: -largestChange, highest: largestChange };
  const step = pidStep(state.pid, { ...gains, ...limits }, { setpoint: now.targetRpm, input: now.measuredRpm, dt: 1 });
  return { duty: dutyWithin(state.duty + step.output), pid: step.state };
}

/** Friction is a little higher after a rest than a calibration found it. Chosen. */
const restFriction = 1.05;
const trustInCalibration = 0.9;

/**
 * A first duty (%) for a new target: mostly what the calibration says (`calibrated`), a little of the present one, which
 * knows today's friction. Without a calibration, or beyond it, the present one.
 */
export function firstDuty(targetRpm: number, presentDuty: number, calibrated: number | undefined): number {
  if (targetRpm <= 0) return 0;
  if (calibrated === undefined) return dutyWithin(presentDuty);
  return dutyWithin(restFriction * ((1 - trustInCalibration) * presentDuty + trustInCalibration * calibrated));
}

const dutyWithin = (duty: number): number => Math.min(100, Math.max(0, duty));

/** A duty (%) that is held for some time. */
export interface HeldDuty {
  readonly duty: number;
  readonly seconds: number;
}

/** A standing stirrer needs full duty to break loose. Times chosen. */
export const startKick: readonly HeldDuty[] = [{ duty: 100, seconds: 0.5 }];
export const speedUpKick: readonly HeldDuty[] = [{ duty: 100, seconds: 0.35 }];

/** After a stall the bar is let go first, so that it finds its magnets again. */
export const stallKick: readonly HeldDuty[] = [
  { duty: 0, seconds: 0.75 },
  { duty: 100, seconds: 0.75 },
];

/** Duty (%) after a kick out of a stall: a trifle more than before, but not so much that the bar is thrown. Chosen. */
export const dutyAfterStall = (duty: number): number => Math.min(60, 1.01 * duty);

/** Failed kicks within ten minutes after which a stirrer is given up. */
const mostKicks = 3;
const kicksWithinMs = 600_000;

/** The times of the kicks that still count, with one more at `atMs`; `giveUp` when they are too many. */
export function kicksAfter(
  earlierMs: readonly number[],
  atMs: number,
): { readonly kicksMs: readonly number[]; readonly giveUp: boolean } {
  const kicksMs = [...earlierMs.filter((kickMs) => atMs - kickMs < kicksWithinMs), atMs];
  return { kicksMs, giveUp: kicksMs.length > mostKicks };
}
