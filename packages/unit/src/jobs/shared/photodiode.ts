import type { OversamplingPlan } from '@lcs/domain';
import type { Ads1114Gain } from '@lcs/hardware';

/** A converter with a photodiode on it. All methods throw BusError. */
export interface Photodiode {
  /** Milliseconds after a change of the light until a value shows it. Missing: the next conversion does. */
  readonly settlingMs?: number;
  /** Milliseconds from one conversion of a series to the next, where they are not those of an ADS111x. */
  readonly conversionMs?: number;
  setGain(gain: Ads1114Gain): Promise<void>;
  /** The next conversion that begins after the call, volts. */
  readVolts(): Promise<number>;
  /** Throws when conversions since the last call do not count; after a series it is done. Missing: they always count. */
  verify?(): Promise<void>;
  /** Conversions one after the other, as fast as the converter makes them, volts. */
  readSeries(count: number): Promise<number[]>;
  /** The level of a whole reading at once, volts; undefined from a converter that cannot. */
  burst?(plan: OversamplingPlan): Promise<number | undefined>;
}
