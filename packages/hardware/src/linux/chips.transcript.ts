/**
 * Transactions on the I2C bus, written by hand from the data sheets: nothing here was recorded on a bus. `written` and
 * `read` are the bytes after the number of the register.
 */
export interface I2cExchange {
  readonly address: number;
  readonly register: number;
  readonly written?: readonly number[];
  readonly read?: readonly number[];
}

/** TMP1075 (SBOS854), table "12-bit temperature data format": 0x1900 is 25 °C, 0xE700 is −25 °C. */
export const tmp1075Transcript: readonly I2cExchange[] = [
  { address: 0x4f, register: 0, read: [0x19, 0x00] },
  { address: 0x4f, register: 0, read: [0xe7, 0x00] },
];

/**
 * ADS1114 (SBAS444), "Config Register": ±2.048 V (010), 128 SPS (100), continuous, comparator off is 0x0483; one step is
 * 62.5 µV, so 0x4000 is 1.024 V.
 */
export const ads1114Transcript: readonly I2cExchange[] = [
  { address: 0x49, register: 1, written: [0x04, 0x83] },
  { address: 0x49, register: 0, read: [0x40, 0x00] },
];

/** ADS1115 (SBAS444): begin, input 1 to ground (101), ±4.096 V (001), single (1), 128 SPS, comparator off is 0xD383; 125 µV a step. */
export const ads1115Transcript: readonly I2cExchange[] = [
  { address: 0x48, register: 1, written: [0xd3, 0x83] },
  { address: 0x48, register: 0, read: [0x1f, 0x40] },
  { address: 0x48, register: 1, written: [0xc3, 0x83] },
  { address: 0x48, register: 0, read: [0xff, 0xff] },
];

/** DAC43608 (SLASEO1), "DACn_DATA" (8 and on: value in bits 11:4) and "DEVICE_CONFIG" (1: a bit an output, 1 is powered down). */
export const dac43608Transcript: readonly I2cExchange[] = [
  { address: 0x49, register: 8, written: [0x08, 0x00] },
  { address: 0x49, register: 1, written: [0x00, 0xfe] },
  { address: 0x49, register: 8, written: [0x00, 0x00] },
  { address: 0x49, register: 1, written: [0x00, 0xff] },
];

/** The board's controller, firmware 0.5, by the fact sheet: duty 204 of 255, version, input 1 low byte first (32 × 830). */
export const controllerTranscript: readonly I2cExchange[] = [
  { address: 0x2c, register: 0, written: [204] },
  { address: 0x2c, register: 8, read: [5, 0] },
  { address: 0x2c, register: 5, read: [0xc0, 0x67] },
];
