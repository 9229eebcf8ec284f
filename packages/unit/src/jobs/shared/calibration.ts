/** What a calibration of a device knows. `x` is what is wanted (OD, duty, °C), `y` what the device shows for it. */
export interface Calibration {
  readonly name: string;
  readonly hash: string;
  /** Recorded points, `x` ascending. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Intensity of the infrared LED at which an OD calibration was made, %. */
  readonly irLedIntensity: number | null;
  /** The `x` for a shown `y`, held within what was recorded. */
  inverse(y: number): { readonly x: number; readonly isBeyond: boolean };
}

/** The active calibration of `od90`, `stirring`, `temperature`, …; undefined when none is active. */
export type CalibrationOf = (device: string) => Calibration | undefined;
