import { exponentialAverage, fitMainsHum, type Sample, trimmedLevel } from '@lcs/domain';
import { type Ads1114Gain, gainFor } from '@lcs/hardware';
import type { Photodiode } from '../shared/photodiode.ts';
import type { OdAngle } from './od-config.ts';

/** Share of the past in the level that decides about the gain: nearly none, so that it follows a fast culture. Chosen. */
const gainPastWeight = 0.05;

/** From this part of a gain's window on the converter may have clipped some of the samples. Chosen. */
const clippedPart = 0.98;

/** Full scale of a gain in volts (Texas Instruments ADS111x data sheet, field PGA). */
const fullScaleVolts = (gain: Ads1114Gain): number => (gain === 0 ? 6.144 : 4.096 / 2 ** (gain - 1));

export interface ChannelLevel {
  /** Volts, without subtraction of the dark signal. */
  readonly volts: number;
  /** Some samples were outside the range of the converter. */
  readonly isClipped: boolean;
}

/** One photodiode, and its state from reading to reading. */
export class OdChannel {
  readonly channel: string;
  readonly angle: OdAngle;
  readonly photodiode: Photodiode;
  /** Volts without any light of our own. */
  darkVolts = 0;
  #gain: Ads1114Gain | undefined;
  #average: number | null = null;

  constructor(channel: string, angle: OdAngle, photodiode: Photodiode) {
    this.channel = channel;
    this.angle = angle;
    this.photodiode = photodiode;
  }

  /** Gives the converter the gain that suits `volts`, or the level seen so far. @throws BusError */
  async suit(volts?: number): Promise<void> {
    if (volts !== undefined) this.#average = volts;
    const gain = gainFor(this.#average ?? 0);
    if (gain === this.#gain) return;
    this.#gain = undefined;
    await this.photodiode.setGain(gain);
    this.#gain = gain;
  }

  /** The widest range that may be needed, before the first reading. @throws BusError */
  async open(): Promise<void> {
    await this.photodiode.setGain(1);
    this.#gain = 1;
  }

  /** After a fault the converter may have been without power: its gain is set again. */
  resetGain(): void {
    this.#gain = undefined;
  }

  /** The level of the conversions of one reading, without mains hum where its frequency is known. */
  level(samples: readonly Sample[], mainsHz: 50 | 60 | undefined): ChannelLevel {
    const volts = mainsHz === undefined ? trimmedLevel(samples) : fitMainsHum(samples, mainsHz).level;
    return this.#remember(volts, Math.max(...samples.map(({ value }) => value)));
  }

  /** The same for a level that the converter has found by itself. */
  levelOfBurst(volts: number): ChannelLevel {
    return this.#remember(volts, volts);
  }

  #remember(volts: number, highestVolts: number): ChannelLevel {
    const isClipped = this.#gain !== undefined && highestVolts >= clippedPart * fullScaleVolts(this.#gain);
    this.#average = isClipped ? 2 * volts : exponentialAverage(gainPastWeight, this.#average, volts);
    return { volts, isClipped };
  }
}
