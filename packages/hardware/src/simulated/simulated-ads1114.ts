import type { ConversionTime, SteadySignal } from '@lcs/domain';
import { ads1114FullScaleVolts, ads1114Register, ads1114SamplesPerSecond } from '../chips/ads1114.ts';
import { burstRegister, encodeLevel } from '../chips/burst-registers.ts';
import { firstBytes } from '../chips/register-bytes.ts';
import { BurstReader } from './burst-reader.ts';
import { type SimulatedChip, word, wordOf } from './simulated-chip.ts';

export interface SimulatedAds1114Options {
  /** Voltage at the input, as the conversion that is read at `atMs` has it. */
  readonly volts: (atMs: number, time: ConversionTime) => number;
  /** Share by which its own clock is slow; the data sheet permits 0.1 ("Data rate variation"). */
  readonly clockDeviation?: number;
  /** Normally distributed, deviation 1; half a step of it is added before rounding. */
  readonly noise: () => number;
  /** Called for each conversion that is read. */
  readonly onRead: (code: number) => void;
  /** The light for the length of one reading: gives the chip its burst registers, which return a whole reading at once. */
  readonly signal?: (atMs: number) => SteadySignal;
}

const afterPowerOn = 0x8583;
const idleBit = 0x8000;
const singleShotBit = 0x0100;
const noiseSteps = 0.5;

/** The input is clamped by the supply, and by a diode to the ground. */
const supplyVolts = 3.3;
const lowestVolts = -0.3;

const fullScaleOf = (config: number) => ads1114FullScaleVolts[(config >> 9) & 0b111] ?? 2.048;

/**
 * Registers and timing of the ADS1114. It converts by a clock of its own, which nothing can set: a read returns the newest conversion that
 * has ended by then, and is computed by the read. A new setting takes effect with the conversion after the one under way.
 */
export class SimulatedAds1114 implements SimulatedChip {
  readonly #options: SimulatedAds1114Options;
  #config = afterPowerOn;
  #next: number | undefined;
  #conversion = 0;
  /** Start of the conversion under way; undefined while powered down. */
  #sinceMs: number | undefined;
  readonly #burst: BurstReader | undefined;

  constructor(options: SimulatedAds1114Options) {
    this.#options = options;
    const { signal, noise } = options;
    if (signal !== undefined) this.#burst = new BurstReader({ signal, noise });
  }

  read(register: number, length: number, atMs: number): Uint8Array {
    this.settle(atMs);
    if (register === ads1114Register.config) {
      const shown = (this.#next ?? this.#config) & ~idleBit;
      return firstBytes(word(shown | (this.#sinceMs === undefined ? idleBit : 0)), length);
    }
    if (register === burstRegister.level) return firstBytes(this.#burstLevel(atMs), length);
    if (register === burstRegister.identity && this.#burst !== undefined) return this.#burst.identity(length);
    if (register !== ads1114Register.conversion) return new Uint8Array(length);
    this.#options.onRead(this.#conversion);
    return firstBytes(word(this.#conversion), length);
  }

  write(register: number, bytes: Uint8Array, atMs: number): void {
    if (register === burstRegister.plan) this.#burst?.order(bytes, atMs);
    if (register !== ads1114Register.config || bytes.length !== 2) return;
    this.settle(atMs);
    const written = wordOf(bytes);
    if (this.#sinceMs !== undefined) {
      this.#next = written;
      return;
    }
    this.#config = written;
    const isContinuous = (written & singleShotBit) === 0;
    if (isContinuous || (written & idleBit) !== 0) this.#sinceMs = atMs;
  }

  settle(atMs: number): void {
    if (this.#next !== undefined) this.#endOne(atMs);
    if (this.#sinceMs === undefined) return;
    const ended = Math.floor((atMs - this.#sinceMs) / this.#periodMs);
    if (ended < 1) return;
    this.#conversion = this.#convert(atMs, this.#sinceMs + ended * this.#periodMs);
    const isContinuous = (this.#config & singleShotBit) === 0;
    this.#sinceMs = isContinuous ? this.#sinceMs + ended * this.#periodMs : undefined;
  }

  /** Completes the running conversion with the old setting, if its time has come, and continues with the new one. */
  #endOne(atMs: number): void {
    if (this.#sinceMs === undefined || this.#next === undefined) return;
    const endMs = this.#sinceMs + this.#periodMs;
    if (atMs < endMs) return;
    this.#conversion = this.#convert(atMs, endMs);
    this.#config = this.#next;
    this.#next = undefined;
    const isContinuous = (this.#config & singleShotBit) === 0 || (this.#config & idleBit) !== 0;
    this.#sinceMs = isContinuous ? endMs : undefined;
  }

  powerCut(): void {
    this.#config = afterPowerOn;
    this.#next = undefined;
    this.#sinceMs = undefined;
    this.#conversion = 0;
  }

  get #periodMs(): number {
    const { clockDeviation = 0 } = this.#options;
    return ((1 + clockDeviation) * 1000) / (ads1114SamplesPerSecond[(this.#config >> 5) & 0b111] ?? 128);
  }

  /** What a whole reading with the present setting finds; counts as one conversion. */
  #burstLevel(atMs: number): Uint8Array {
    if (this.#sinceMs === undefined) return encodeLevel(Number.NaN);
    const fullScale = fullScaleOf(this.#next ?? this.#config);
    const stepV = fullScale / 32768;
    const volts = this.#burst?.finish(atMs, {
      stepV,
      conversionS: this.#periodMs / 1000,
      noiseV: noiseSteps * stepV,
      lowestV: Math.max(lowestVolts, -fullScale),
      highestV: Math.min(supplyVolts, fullScale - stepV),
    });
    if (volts === undefined) return encodeLevel(Number.NaN);
    this.#options.onRead(Math.round(volts / stepV));
    return encodeLevel(volts);
  }

  #convert(atMs: number, endedMs: number): number {
    const time = { endedS: (atMs - endedMs) / 1000, tookS: this.#periodMs / 1000 };
    const volts = Math.min(Math.max(this.#options.volts(atMs, time), lowestVolts), supplyVolts);
    const code = Math.round((volts / fullScaleOf(this.#config)) * 32768 + this.#options.noise() * noiseSteps);
    return Math.min(Math.max(code, -32768), 32767);
  }
}
