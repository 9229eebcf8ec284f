import type { OversamplingPlan } from '@lcs/domain';
import type { Ads1114Gain } from '@lcs/hardware';

/** A converter with a photodiode on it. All methods throw BusError. */
export interface Photodiode {
  setGain(gain: Ads1114Gain): Promise<void>;
  /** The next conversion that begins after the call, volts. */
  readVolts(): Promise<number>;
  /** Conversions one after the other, as fast as the converter makes them, volts. */
  readSeries(count: number): Promise<number[]>;
  /** The level of a whole reading at once, volts; undefined from a converter that cannot. */
  burst?(plan: OversamplingPlan): Promise<number | undefined>;
}
