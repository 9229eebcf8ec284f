/** The schedule of the optical readings of a unit. Jobs that disturb the light are quiet during a reading. */
export type OpticalReading =
  /** No reading is planned. */
  | { readonly phase: 'off' }
  | {
      /** `begun`: a reading is under way; `ended`: until the next one other jobs may move or light things. */
      readonly phase: 'begun' | 'ended';
      /** Start of the next reading, milliseconds of the monotonic clock. */
      readonly nextAtMs: number;
      readonly intervalMs: number;
      /** Other LEDs must be off during a reading. */
      readonly wantsDark: boolean;
    };
