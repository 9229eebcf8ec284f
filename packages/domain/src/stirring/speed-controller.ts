import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';

export interface SpeedGains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

/**
 * % per RPM and step. A step removes about two fifths of the error: with a speed that drifts by 2 % within ten minutes, the error
 * is smaller than with a lower gain (`npm run bench:science -- --case stirring`).
 */
export const defaultSpeedGains: SpeedGains = { proportional: 0.02, integral: 0, derivative: 0 };

/** Maximum change of the duty in one step, %, so that an outlier of the sensor does not decouple the bar. Chosen. */
const largestChange = 7.5;

/** State of the controller; plain data. */
export interface SpeedState {
  /** The duty of the controller, 0 to 100 %. */
  readonly duty: number;
  readonly pid: PidState;
  /** Record of the last step, if there was one. Its output is a change of the duty. */
  readonly control?: PidRecord;
}

export const initialSpeedState = (duty: number): SpeedState => ({ duty: dutyWithin(duty), pid: initialPidState });

/** Changes the duty by the controller's output for the difference between target and measured RPM. A target of 0 gives duty 0. */
export function speedStep(
  state: SpeedState,
  gains: SpeedGains,
  now: { readonly targetRpm: number; readonly measuredRpm: number },
): SpeedState {
  if (now.targetRpm <= 0) return { duty: 0, pid: initialPidState };
  const limits = { lowest: -largestChange, highest: largestChange };
  const parameters = { ...gains, ...limits };
  const input = { setpoint: now.targetRpm, input: now.measuredRpm };
  const { output, terms, state: pid } = pidStep(state.pid, parameters, { ...input, dt: 1 });
  return { duty: dutyWithin(state.duty + output), pid, control: { ...input, output, parameters, terms } };
}

/** Friction after a pause is slightly higher than during a calibration. Chosen. */
const restFriction = 1.05;
const calibrationWeight = 0.9;

/**
 * The initial duty (%) for a new target: mostly the duty of the calibration (`calibrated`), with a small weight of the present duty,
 * which includes the present friction. Without a calibration, or outside its range: the present duty.
 */
export function initialDuty(targetRpm: number, presentDuty: number, calibrated: number | undefined): number {
  if (targetRpm <= 0) return 0;
  if (calibrated === undefined) return dutyWithin(presentDuty);
  return dutyWithin(restFriction * ((1 - calibrationWeight) * presentDuty + calibrationWeight * calibrated));
}

/** State of the search for the duty of a new speed; plain data. */
export interface SpeedSearch {
  readonly attempts: number;
  readonly last: ObservedSpeed | undefined;
}

export const initialSearch: SpeedSearch = { attempts: 0, last: undefined };

/** The search ends when the speed is within this share of the target. */
const foundWithin = 0.008;
const maxAttempts = 6;

/** Default dead zone: the stirrer does not turn below this duty, %. */
const defaultDeadZone = 6;

/** Plausible slopes, RPM per %; slopes beyond them are noise. */
const [minSlope, maxSlope] = [5, 80];
/** Minimum distance of two duties for a slope, %. */
const nearestDuties = 0.8;
const largestSearchStep = 20;

/** RPM per % of duty, from this measurement and the one before. */
function slopeOf({ last }: SpeedSearch, duty: number, rpm: number): number {
  const defaultSlope = rpm / Math.max(1, duty - defaultDeadZone);
  const apart = last === undefined ? 0 : duty - last.duty;
  const seen = last === undefined || Math.abs(apart) < nearestDuties ? defaultSlope : (rpm - last.rpm) / apart;
  const dutyPerRpm = seen >= minSlope && seen <= maxSlope ? seen : defaultSlope;
  return Math.min(maxSlope, Math.max(minSlope, dutyPerRpm));
}

/** After a larger change of the duty, %, the speed may still be changing. */
const steadyDutyChange = 1.5;

/** The duty (%) for a speed, from another speed of the same stirrer. */
export const proportionalDuty = (targetRpm: number, seen: ObservedSpeed): number =>
  dutyWithin(defaultDeadZone + ((seen.duty - defaultDeadZone) * targetRpm) / Math.max(1, seen.rpm));

/** One step of the search from a speed measurement: the next duty, and whether the search is over. */
export function searchStep(
  search: SpeedSearch,
  now: { readonly targetRpm: number; readonly measuredRpm: number; readonly duty: number },
): { readonly duty: number; readonly search: SpeedSearch; readonly isOver: boolean } {
  const { targetRpm, measuredRpm, duty } = now;
  const missingRpm = targetRpm - measuredRpm;
  const attempts = search.attempts + 1;
  const step = missingRpm / slopeOf(search, duty, measuredRpm);
  const isSteady = search.last !== undefined && Math.abs(duty - search.last.duty) <= steadyDutyChange;
  return {
    duty: dutyWithin(duty + Math.min(largestSearchStep, Math.max(-largestSearchStep, step))),
    search: { attempts, last: { duty, rpm: measuredRpm } },
    isOver: attempts >= maxAttempts || (isSteady && Math.abs(missingRpm) <= foundWithin * targetRpm),
  };
}

/** Minimum ratio by which a stirrer without its bar turns faster at the same duty. */
const looseFrom = 1.25;

/** A larger change between two measurements is not drift: the job measures again before it acts. */
const largestExpectedRatio = 1.1;

/** A duty and its measured speed. */
export interface ObservedSpeed {
  readonly duty: number;
  readonly rpm: number;
}

/** The ratio of the speed to the one before, corrected for the duty; undefined: not comparable. */
function speedRatio(before: ObservedSpeed | undefined, now: ObservedSpeed): number | undefined {
  if (before === undefined || before.duty <= defaultDeadZone || now.duty <= defaultDeadZone || before.rpm <= 0)
    return undefined;
  return (now.rpm * (before.duty - defaultDeadZone)) / (before.rpm * (now.duty - defaultDeadZone));
}

export function isImplausibleChange(before: ObservedSpeed | undefined, now: ObservedSpeed): boolean {
  const times = speedRatio(before, now);
  return times !== undefined && (times > largestExpectedRatio || times < 1 / largestExpectedRatio);
}

/** Whether the speed is too high for a coupled bar: then the bar does not follow the magnets any more. */
export const isBarLoose = (coupled: ObservedSpeed | undefined, now: ObservedSpeed): boolean =>
  (speedRatio(coupled, now) ?? 0) > looseFrom;

const dutyWithin = (duty: number): number => Math.min(100, Math.max(0, duty));

/** A duty (%) that is held for some time. */
export interface HeldDuty {
  readonly duty: number;
  readonly seconds: number;
}

/** A stopped stirrer needs full duty to start. Times chosen. */
export const startKick: readonly HeldDuty[] = [{ duty: 100, seconds: 0.5 }];
export const speedUpKick: readonly HeldDuty[] = [{ duty: 100, seconds: 0.35 }];

/** After a stall the duty is 0 first, so that the bar couples to its magnets again. */
export const stallKick: readonly HeldDuty[] = [
  { duty: 0, seconds: 0.75 },
  { duty: 100, seconds: 0.75 },
];

/** A decoupled bar couples to the magnets at rest first, and then starts with a shorter kick. */
export const recouplingKick: readonly HeldDuty[] = [
  { duty: 0, seconds: 2 },
  { duty: 100, seconds: 0.35 },
];

/** Duty (%) after a kick out of a stall: slightly higher than before, but not so high that the bar decouples. Chosen. */
export const dutyAfterStall = (duty: number): number => Math.min(60, 1.01 * duty);

/** Maximum number of kicks within ten minutes; after that the job gives up. */
const mostKicks = 3;
const kicksWithinMs = 600_000;

/** The kicks of the last ten minutes, with one more at `atMs`; `giveUp`: they are too many. */
export function recordKick(
  earlierMs: readonly number[],
  atMs: number,
): { readonly kicksMs: readonly number[]; readonly giveUp: boolean } {
  const kicksMs = [...earlierMs.filter((kickMs) => atMs - kickMs < kicksWithinMs), atMs];
  return { kicksMs, giveUp: kicksMs.length > mostKicks };
}
