import type { LedName } from './chips/led-driver.ts';

/** The converter input of a photodiode. */
export interface ConverterInput {
  readonly chip: 'ads1114' | 'ads1115' | 'controller';
  readonly address: number;
  /** 0 to 3; the ADS1114 has only 0. */
  readonly input: number;
}

/** By photodiode number (1 to 4). A bare number is the address of an ADS1114. */
export type Photodiodes = Readonly<Record<number, number | ConverterInput>>;

/** Where a board has its chips and pins: facts of the board and the reactor's model, the same for simulated and real ones. */
export interface BoardLayout {
  readonly photodiodes: Photodiodes;
  /** Other possible addresses of the photodiodes: boards of one model exist in several variants; the responding chip decides. */
  readonly otherPhotodiodes?: readonly Photodiodes[];
  /** Why the board has no photodiodes for this model; shown to people. */
  readonly noPhotodiodes?: string;
  /** The position of the photodiodes of this model is unknown: that of another model is assumed. */
  readonly isAssumed?: boolean;
  readonly ledDriver: { readonly chip: 'controller' | 'dac43608'; readonly address: number };
  readonly temperatureAddress: number;
  readonly hallLine: number;
  /** The board's own small light. */
  readonly statusLightLine: number;
  readonly buttonLine: number;
  /** GPIO of each PWM channel. */
  readonly pwmLines: Readonly<Record<PwmChannel, number>>;
}

/** PWM channels of a board. */
export const pwmChannels = [1, 2, 3, 4, 5] as const;

export type PwmChannel = (typeof pwmChannels)[number];

/** GPIO of the PWM channels; all boards have them there. */
const defaultPwmLines: BoardLayout['pwmLines'] = { 1: 17, 2: 13, 3: 16, 4: 12, 5: 18 };

/** Board 1.2 with the optics of the 40 ml reactor, version 1.5. */
export const board12: BoardLayout = {
  photodiodes: { 1: 0x48, 2: 0x49 },
  ledDriver: { chip: 'controller', address: 0x2c },
  temperatureAddress: 0x4f,
  hallLine: 21,
  statusLightLine: 23,
  buttonLine: 4,
  pwmLines: defaultPwmLines,
};

/** The first boards: one converter with four inputs, and one for the LEDs, instead of the controller. */
export const board10: BoardLayout = {
  photodiodes: {
    1: { chip: 'ads1115', address: 0x48, input: 1 },
    2: { chip: 'ads1115', address: 0x48, input: 0 },
  },
  ledDriver: { chip: 'dac43608', address: 0x49 },
  temperatureAddress: 0x4f,
  hallLine: 25,
  statusLightLine: 23,
  buttonLine: 24,
  pwmLines: defaultPwmLines,
};

/** The input of a photodiode with all that may be left out. */
export const converterInput = (place: number | ConverterInput): ConverterInput =>
  typeof place === 'number' ? { chip: 'ads1114', address: place, input: 0 } : place;

/** Addresses of the converters, each once. */
export const converterAddresses = (photodiodes: Photodiodes): readonly number[] => [
  ...new Set(Object.values(photodiodes).map((place) => converterInput(place).address)),
];

/** Input of the board's controller that sees the supply of the PWM outputs, through a divider of 0.134. */
export const supplyInput = { input: 1, dividedBy: 0.134 } as const;

/** The same on first boards: input 3 of their converter. */
export const supplyInputOfFirstBoards = { address: 0x48, input: 3 } as const;

/** Levels of all outputs in percent. */
export interface OutputLevels {
  readonly pwm: Readonly<Record<PwmChannel, number>>;
  readonly led: Readonly<Record<LedName, number>>;
}

export const allOff: OutputLevels = {
  pwm: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
  led: { A: 0, B: 0, C: 0, D: 0 },
};
