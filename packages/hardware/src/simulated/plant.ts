import type { ConversionTime, SteadySignal } from '@lcs/domain';
import type { OutputLevels } from '../board-layout.ts';

/** The visible state of a vial. */
export interface VialView {
  readonly od: number;
  readonly volumeMl: number;
  readonly capacityMl: number;
  /** Of the stirrer. */
  readonly rpm: number;
  /** Level of the infrared LED, %. */
  readonly lightPercent: number;
}

/**
 * What the simulated chips measure and drive: a vial with its culture, heater and stirrer. Times are milliseconds of the
 * board's monotonic clock and never go back from one call to the next.
 */
export interface Plant {
  /** The outputs have these levels from `atMs` on. */
  setOutputs(levels: OutputLevels, atMs: number): void;
  /**
   * Voltage at a photodiode (1 to 4), with the noise of the light and the culture but not of the converter. `time`: of the conversion that
   * is read at `atMs`; missing: then.
   */
  photodiodeVolts(photodiode: number, atMs: number, time?: ConversionTime): number;
  /** The same as level, hum and noise, from which a whole reading can be computed at once; missing: the plant has only volts. */
  photodiodeSignal?(photodiode: number, atMs: number): SteadySignal;
  /** Temperature of the heater's board, degrees Celsius. */
  boardCelsius(atMs: number): number;
  /** Supply of the PWM outputs, volts. */
  supplyVolts(atMs: number): number;
  /** Times at which the stirrer's magnet passed, after `fromMs` and up to `toMs`, ascending. */
  stirrerPulsesMs(fromMs: number, toMs: number): readonly number[];
  /** Its state at this time, as JSON, to continue from later; missing: each start has the initial state. */
  state?(atMs: number): unknown;
  /** The visible state of the vial; missing: the plant has no picture. */
  view?(atMs: number): VialView;
  /** Whether the chip at this I2C address does not answer now, for a fault of the plant's script. */
  isMute?(address: number, atMs: number): boolean;
}
