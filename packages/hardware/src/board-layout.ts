import type { LedName } from './chips/led-driver.ts';

/** Where a board has its chips and pins: facts of the board and the reactor's model, the same for simulated and real ones. */
export interface BoardLayout {
  /** I2C address of the converter behind each photodiode, by photodiode number (1 to 4). */
  readonly photodiodes: Readonly<Record<number, number>>;
  readonly ledDriver: { readonly chip: 'controller' | 'dac43608'; readonly address: number };
  readonly temperatureAddress: number;
  readonly hallLine: number;
  /** The board's own small light. */
  readonly statusLightLine: number;
}

/** Board 1.2 with the optics of the 40 ml reactor, version 1.5. */
export const board12: BoardLayout = {
  photodiodes: { 1: 0x48, 2: 0x49 },
  ledDriver: { chip: 'controller', address: 0x2c },
  temperatureAddress: 0x4f,
  hallLine: 21,
  statusLightLine: 23,
};

/** Input of the board's controller that sees the supply of the PWM outputs, through a divider of 0.134. */
export const supplyInput = { input: 1, dividedBy: 0.134 } as const;

/** PWM channels of a board. */
export const pwmChannels = [1, 2, 3, 4, 5] as const;

export type PwmChannel = (typeof pwmChannels)[number];

/** Levels of all outputs in percent. */
export interface OutputLevels {
  readonly pwm: Readonly<Record<PwmChannel, number>>;
  readonly led: Readonly<Record<LedName, number>>;
}

export const allOff: OutputLevels = {
  pwm: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
  led: { A: 0, B: 0, C: 0, D: 0 },
};
