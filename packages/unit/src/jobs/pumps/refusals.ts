import { ApiError } from '@lcs/contract';
import type { DoseLimit } from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import { type DoseResult, type PumpName, PumpRefused } from './pumping.ts';

const wait = 'Wait until the limits per run and per hour allow more, or request less.';

const byGuard: Readonly<Record<string, readonly [cause: string, remediation: string]>> = {
  output_taken: ['Another job runs this pump.', 'Wait until that job is done, or stop it.'],
  pump_time: ['This pump has run for as long as it may: at once, or in this hour.', wait],
  pump_volume: ['This pump has moved as much as it may: at once, or in this hour.', wait],
  stopped: ['The job was stopped.', 'Start it again if you still need it.'],
};

const byLimit: Readonly<Record<DoseLimit, readonly [cause: string, remediation: string]>> = {
  overflow: [
    'The vial would be as full as it may be.',
    'Remove waste first, or request less. If the recorded volume is wrong, correct it.',
  ],
  bottle_empty: [
    'The bottle would not do for it.',
    'Change the bottle and enter its volume (media_bottle_left_ml, alt_media_bottle_left_ml), or empty the waste bottle.',
  ],
};

const noLimits = 'The model of this unit is not known, so no pump may run.';

/** The capacity of the vial is unknown. */
export const modelUnknown = (): PumpRefused =>
  new PumpRefused(noLimits, { remediation: "Choose the unit's model in the inventory, then start it again." });

export const noLedger = (): PumpRefused =>
  new PumpRefused('This unit keeps no ledger of its vial, so it runs no pumps.', {
    remediation: "Use a unit that keeps one, or read this unit's log.",
  });

export const notCalibrated = (pump: PumpName): PumpRefused =>
  new PumpRefused(`The ${pump} pump is not calibrated.`, {
    remediation: 'Calibrate it, or run it for a time instead.',
  });

export const notLabelled = (pump: PumpName, cause: Error): PumpRefused =>
  new PumpRefused(`No PWM output is labelled ${pump}.`, {
    cause,
    remediation: 'Label the output that the pump is plugged into, in section [PWM] of the configuration.',
  });

export const tooMuch = (): PumpRefused =>
  new PumpRefused('By its calibration this pump cannot move that much.', {
    remediation: 'Request less, or calibrate the pump again.',
  });

/** Why a dose was not pumped, or ended early, as a sentence. */
export const stoppedText = (stopped: NonNullable<DoseResult['stopped']>): string => {
  if (stopped === 'overflow' || stopped === 'bottle_empty') return byLimit[stopped][0];
  return stopped === 'guard' ? 'The guard of the outputs ended it.' : 'It was stopped.';
};

/** What ended a dose, as the reason not to have it. `of`: which part of more, as `media 1: `. */
export const stoppedBy = (stopped: NonNullable<DoseResult['stopped']>, of = ''): PumpRefused => {
  const message = `${of}${stoppedText(stopped)}`;
  if (stopped !== 'overflow' && stopped !== 'bottle_empty') return new PumpRefused(message, { stopped });
  return new PumpRefused(message, { stopped, remediation: byLimit[stopped][1] });
};

/** A refusal of the guard in terms of pumps; other errors unchanged. */
export function asRefused(error: unknown): unknown {
  if (!(error instanceof GuardRefused)) return error;
  if (error.code === 'no_limits') return modelUnknown();
  const [message, remediation] = byGuard[error.code] ?? [error.message, undefined];
  return new PumpRefused(message, { cause: error, ...(remediation === undefined ? {} : { remediation }) });
}

/** A failed start, for its requester. */
export function refusedStart(job: string, error: unknown): unknown {
  if (!(error instanceof PumpRefused)) return error;
  const { message: cause, remediation } = error;
  return new ApiError('pumps_refused', { job, cause, remediation });
}
