import { BusTopic } from '@lcs/platform';

/** Where the optical readings of a unit are in time, so that jobs which disturb light can be quiet meanwhile. */
export type OpticalReading =
  /** Nothing is planned. */
  | { readonly phase: 'off' }
  | {
      /** `ended`: until the next one anything may move. */
      readonly phase: 'begun' | 'ended';
      /** Milliseconds of the monotonic clock: when the next reading begins. */
      readonly nextAtMs: number;
      readonly intervalMs: number;
      /** Other LEDs have to be off during a reading. */
      readonly wantsDark: boolean;
    };

/** The only key of the topic. */
export const opticalReadingKey = 'od_reading';

export type OpticalReadings = BusTopic<OpticalReading>;
export const opticalReadings = (): OpticalReadings => new BusTopic<OpticalReading>();
