import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';

export interface SpeedGains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

/**
 * % per RPM and step. A step closes about two fifths of what is missing: a stirrer whose speed wanders by 2 % within ten
 * minutes is held nearer to its target with it than with a slower one (`npm run bench:science -- --case stirring`).
 */
export const defaultSpeedGains: SpeedGains = { proportional: 0.02, integral: 0, derivative: 0 };

/** Largest change of the duty in one step, %: a sensor's wild value must not throw the bar off. Chosen. */
const largestChange = 7.5;

/** What the controller remembers; plain data. */
export interface SpeedState {
  /** The duty that it believes to be right, 0 to 100 %. */
  readonly duty: number;
  readonly pid: PidState;
  /** The step that led here; absent where none did. Its output is a change of the duty. */
  readonly control?: PidRecord;
}

export const initialSpeedState = (duty: number): SpeedState => ({ duty: dutyWithin(duty), pid: initialPidState });

/** Moves the duty by what the difference between wanted and measured RPM gives. A target of 0 is a duty of 0. */
export function speedStep(
  state: SpeedState,
  gains: SpeedGains,
  now: { readonly targetRpm: number; readonly measuredRpm: number },
): SpeedState {
  if (now.targetRpm <= 0) return { duty: 0, pid: initialPidState };
  const limits = { lowest: -largestChange, highest: largestChange };
  const parameters = { ...gains, ...limits };
  const looked = { setpoint: now.targetRpm, input: now.measuredRpm };
  const { output, terms, state: pid } = pidStep(state.pid, parameters, { ...looked, dt: 1 });
  return { duty: dutyWithin(state.duty + output), pid, control: { ...looked, output, parameters, terms } };
}

/** Friction is a little higher after a rest than a calibration found it. Chosen. */
const restFriction = 1.05;
const trustInCalibration = 0.9;

/**
 * A first duty (%) for a new target: mostly what the calibration says (`calibrated`), a little of the present one, which
 * knows today's friction. Without a calibration, or beyond it, the present one.
 */
export function initialDuty(targetRpm: number, presentDuty: number, calibrated: number | undefined): number {
  if (targetRpm <= 0) return 0;
  if (calibrated === undefined) return dutyWithin(presentDuty);
  return dutyWithin(restFriction * ((1 - trustInCalibration) * presentDuty + trustInCalibration * calibrated));
}

/** What is known while the duty for a new speed is looked for; plain data. */
export interface SpeedSearch {
  readonly looks: number;
  readonly last: ObservedSpeed | undefined;
}

export const initialSearch: SpeedSearch = { looks: 0, last: undefined };

/** Share of the target within which a speed counts as found. */
const foundWithin = 0.008;
const mostLooks = 6;

/** % of duty below which no stirrer turns, as far as nothing else is known. */
const usualDeadZone = 6;

/** RPM per % that can be believed; what two looks give beyond it is noise. */
const [gentlest, steepest] = [5, 80];
/** Two looks at duties nearer than this tell nothing about the stirrer, %. */
const nearestDuties = 0.8;
const largestSearchStep = 20;

/** RPM per % of duty, from this look and the one before. */
function slopeOf({ last }: SpeedSearch, duty: number, rpm: number): number {
  const usual = rpm / Math.max(1, duty - usualDeadZone);
  const apart = last === undefined ? 0 : duty - last.duty;
  const seen = last === undefined || Math.abs(apart) < nearestDuties ? usual : (rpm - last.rpm) / apart;
  const believed = seen >= gentlest && seen <= steepest ? seen : usual;
  return Math.min(steepest, Math.max(gentlest, believed));
}

/** A speed that was reached by a larger change than this, %, may still be on its way through the target. */
const calmChange = 1.5;

/** The duty (%) for a speed, from another speed of the same stirrer. */
export const proportionalDuty = (targetRpm: number, seen: ObservedSpeed): number =>
  dutyWithin(usualDeadZone + ((seen.duty - usualDeadZone) * targetRpm) / Math.max(1, seen.rpm));

/** One look at a stirrer that turns at `measuredRpm` with `duty` (%): the duty to go on with, and whether it is found. */
export function searchStep(
  search: SpeedSearch,
  now: { readonly targetRpm: number; readonly measuredRpm: number; readonly duty: number },
): { readonly duty: number; readonly search: SpeedSearch; readonly isOver: boolean } {
  const { targetRpm, measuredRpm, duty } = now;
  const missing = targetRpm - measuredRpm;
  const looks = search.looks + 1;
  const step = missing / slopeOf(search, duty, measuredRpm);
  const isCalm = search.last !== undefined && Math.abs(duty - search.last.duty) <= calmChange;
  return {
    duty: dutyWithin(duty + Math.min(largestSearchStep, Math.max(-largestSearchStep, step))),
    search: { looks, last: { duty, rpm: measuredRpm } },
    isOver: looks >= mostLooks || (isCalm && Math.abs(missing) <= foundWithin * targetRpm),
  };
}

/** A stirrer without its bar turns this much faster at the same duty, at least. */
const looseFrom = 1.25;

/** A change from one look to the next that no drift makes: it is looked at again before anything follows from it. */
const surprisingFrom = 1.1;

/** A duty, and the speed that was seen at it. */
export interface ObservedSpeed {
  readonly duty: number;
  readonly rpm: number;
}

/** How many times faster than the stirrer was seen before, at another or the same duty; undefined where that says nothing. */
function speedRatio(before: ObservedSpeed | undefined, now: ObservedSpeed): number | undefined {
  if (before === undefined || before.duty <= usualDeadZone || now.duty <= usualDeadZone || before.rpm <= 0)
    return undefined;
  return (now.rpm * (before.duty - usualDeadZone)) / (before.rpm * (now.duty - usualDeadZone));
}

export function isImplausibleChange(before: ObservedSpeed | undefined, now: ObservedSpeed): boolean {
  const times = speedRatio(before, now);
  return times !== undefined && (times > surprisingFrom || times < 1 / surprisingFrom);
}

/** Whether the coupled stirrer cannot be so fast: then the bar does not follow the magnets any more. */
export const isBarLoose = (coupled: ObservedSpeed | undefined, now: ObservedSpeed): boolean =>
  (speedRatio(coupled, now) ?? 0) > looseFrom;

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

/** A bar that has come loose is given the time to find the magnets at rest, and is started gently. */
export const recouplingKick: readonly HeldDuty[] = [
  { duty: 0, seconds: 2 },
  { duty: 100, seconds: 0.35 },
];

/** Duty (%) after a kick out of a stall: a trifle more than before, but not so much that the bar is thrown. Chosen. */
export const dutyAfterStall = (duty: number): number => Math.min(60, 1.01 * duty);

/** Kicks that did not help within ten minutes, after which a stirrer is given up. */
const mostKicks = 3;
const kicksWithinMs = 600_000;

/** The times of the kicks that still count, with one more at `atMs`; `giveUp` when they are too many. */
export function recordKick(
  earlierMs: readonly number[],
  atMs: number,
): { readonly kicksMs: readonly number[]; readonly giveUp: boolean } {
  const kicksMs = [...earlierMs.filter((kickMs) => atMs - kickMs < kicksWithinMs), atMs];
  return { kicksMs, giveUp: kicksMs.length > mostKicks };
}
