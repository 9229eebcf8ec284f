import { ConfigValueError, defaultPumpFlow, type PumpDevice, type PumpFlow } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { pwmOutput } from '../shared/job-config.ts';
import { type Dose, type PumpName, PumpRefused } from './pumping.ts';
import { notCalibrated, notLabelled } from './refusals.ts';

/** The active calibration of a pump: its flow at one power. */
interface PumpCalibration {
  readonly name: string;
  /** Percent. */
  readonly duty: number;
  readonly flow: PumpFlow;
}

/** Undefined when none is active. */
export type PumpCalibrationOf = (device: PumpDevice) => PumpCalibration | undefined;

/** How a pump is to be driven. */
export interface PumpSettings {
  readonly output: string;
  readonly duty: number;
  readonly flow: PumpFlow;
  /** Null: taken for a usual pump, for a run by time. */
  readonly calibration: string | null;
}

/** The device that calibrations and records know a pump by. */
export const pumpDeviceOf = { media: 'media_pump', alt_media: 'alt_media_pump', waste: 'waste_pump' } as const;

/** What each pump's run is called in dosing events. */
export const eventOf = { media: 'add_media', alt_media: 'add_alt_media', waste: 'remove_waste' } as const;

/** @throws PumpRefused when the output of the pump is unknown */
function outputOf({ config }: Pick<JobContext, 'config'>, pump: PumpName): string {
  try {
    return pwmOutput(config, pump);
  } catch (error) {
    if (!(error instanceof ConfigValueError)) throw error;
    throw notLabelled(pump, error);
  }
}

/** Why one of the pumps cannot move volumes. */
export function refusalReason(
  context: Pick<JobContext, 'config'>,
  calibrationOf: PumpCalibrationOf,
  pumps: readonly PumpName[],
): PumpRefused | undefined {
  for (const pump of pumps) {
    try {
      outputOf(context, pump);
    } catch (error) {
      if (error instanceof PumpRefused) return error;
      throw error;
    }
    if (calibrationOf(pumpDeviceOf[pump]) === undefined) return notCalibrated(pump);
  }
  return undefined;
}

/**
 * How a pump is driven for a dose. Volumes, and inflow without end, need a calibration.
 * @throws PumpRefused
 */
export function pumpSettings(
  context: Pick<JobContext, 'config'>,
  calibrationOf: PumpCalibrationOf,
  { pump, amount }: Pick<Dose, 'pump' | 'amount'>,
): PumpSettings {
  const output = outputOf(context, pump);
  const calibration = calibrationOf(pumpDeviceOf[pump]);
  if (calibration !== undefined) {
    const { duty, flow, name } = calibration;
    return { output, duty, flow, calibration: name };
  }
  const isByTime = amount !== 'continuously' && 'durationS' in amount;
  const isOpenOutflow = amount === 'continuously' && pump === 'waste';
  if (!isByTime && !isOpenOutflow) throw notCalibrated(pump);
  return { output, duty: 100, flow: defaultPumpFlow, calibration: null };
}
