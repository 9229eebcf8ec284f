import { SeededStream } from '@lcs/domain/boards';
import type { Clock } from '@lcs/platform';
import {
  allOff,
  type BoardLayout,
  converterInput,
  type OutputLevels,
  type PwmChannel,
  supplyInput,
  supplyInputOfFirstBoards,
} from '../board-layout.ts';
import type { Buses } from '../buses/buses.ts';
import { i2cDevice } from '../buses/i2c-bus.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';
import { controllerRound } from '../chips/controller-channel.ts';
import type { LedName } from '../chips/led-driver.ts';
import type { Plant, VialView } from './plant.ts';
import { seededNoise } from './seeded-noise.ts';
import { SimulatedAds1114 } from './simulated-ads1114.ts';
import { SimulatedAds1115 } from './simulated-ads1115.ts';
import type { SimulatedChip } from './simulated-chip.ts';
import { SimulatedGpioBank } from './simulated-gpio-bank.ts';
import { SimulatedI2cBus } from './simulated-i2c-bus.ts';
import { SimulatedController, SimulatedDac43608 } from './simulated-led-chips.ts';
import { SimulatedPwmBank } from './simulated-pwm-bank.ts';
import { SimulatedTmp1075 } from './simulated-tmp1075.ts';
import type { Witness } from './witness.ts';

/**
 * How a whole reading of a photodiode comes about: conversion by conversion, as on a real board, or at once from what
 * forty of them would give.
 */
export type Oversampling = 'slot_by_slot' | 'closed_form';

export interface SimulatedBoardOptions {
  readonly layout: BoardLayout;
  readonly plant: Plant;
  readonly clock: Clock;
  readonly seed: number;
  readonly witness?: Witness;
  /** Default: slot by slot. */
  readonly oversampling?: Oversampling;
}

/** The clock of a converter deviates by up to this share. Typical; the data sheet permits 0.1. */
const mostClockDeviation = 0.03;
const clockDeviationOf = (seed: string): number => mostClockDeviation * (2 * new SeededStream(seed).uniform() - 1);

/** A board in memory: simulated chips behind the buses of a real one, and a plant behind the chips. */
export class SimulatedBoard implements Buses {
  readonly i2c: SimulatedI2cBus;
  readonly pwm: PwmBank;
  readonly gpio: SimulatedGpioBank;
  readonly #options: SimulatedBoardOptions;
  readonly #chips: ReadonlyMap<number, SimulatedChip>;
  /** Chips that must measure with the old level when an output changes. */
  readonly #settledChips: readonly SimulatedChip[];
  #levels: OutputLevels = allOff;

  constructor(options: SimulatedBoardOptions) {
    this.#options = options;
    const nowMs = () => options.clock.monotonic();
    this.#chips = this.#makeChips();
    this.#settledChips = this.#findSettled();
    this.i2c = new SimulatedI2cBus(this.#chips, nowMs, (address) => options.plant.isMute?.(address, nowMs()) ?? false);
    this.pwm = new SimulatedPwmBank((channel, percent) => this.#drivePwm(channel, percent));
    this.gpio = new SimulatedGpioBank({
      hallLine: options.layout.hallLine,
      statusLightLine: options.layout.statusLightLine,
      nowMs,
      pulsesMs: (fromMs, toMs) => options.plant.stirrerPulsesMs(fromMs, toMs),
    });
  }

  /** What the outputs are at, in percent. */
  get levels(): OutputLevels {
    return this.#levels;
  }

  /** The present view of the camera; undefined when the plant has no picture. */
  view(): VialView | undefined {
    return this.#options.plant.view?.(this.#options.clock.monotonic());
  }

  #makeChips(): Map<number, SimulatedChip> {
    const { layout, plant, seed } = this.#options;
    const chips = new Map<number, SimulatedChip>();
    for (const [photodiode, place] of Object.entries(layout.photodiodes)) {
      const { chip, address } = converterInput(place);
      if (chip === 'ads1114') chips.set(address, this.#makeConverter(Number(photodiode), address));
      if (chip === 'ads1115') chips.set(address, this.#makeConverterOfFour(address));
    }
    chips.set(
      layout.temperatureAddress,
      new SimulatedTmp1075({
        celsius: (atMs) => plant.boardCelsius(atMs),
        noise: seededNoise(seed * 256 + layout.temperatureAddress),
        onRead: (code) => this.#recordConversion(layout.temperatureAddress, code),
      }),
    );
    chips.set(layout.ledDriver.address, this.#makeLedChip());
    return chips;
  }

  /**
   * With whole readings at once: none. They are ordered after a change, and single conversions awaited: none that a change interrupts
   * is read. But what a controller averages contains the former light.
   */
  #findSettled(): readonly SimulatedChip[] {
    const { layout, oversampling } = this.#options;
    if (oversampling !== 'closed_form') return [...this.#chips.values()];
    const isAveraging = Object.values(layout.photodiodes).some((place) => converterInput(place).chip === 'controller');
    const controller = this.#chips.get(layout.ledDriver.address);
    return isAveraging && controller !== undefined ? [controller] : [];
  }

  #makeConverter(photodiode: number, address: number): SimulatedChip {
    const { plant, seed } = this.#options;
    const signalOf = this.#options.oversampling === 'closed_form' ? plant.photodiodeSignal?.bind(plant) : undefined;
    return new SimulatedAds1114({
      volts: (atMs, time) => plant.photodiodeVolts(photodiode, atMs, time),
      clockDeviation: clockDeviationOf(`${seed} converter ${address}`),
      noise: seededNoise(seed * 256 + address),
      onRead: (code) => this.#recordConversion(address, code),
      ...(signalOf && { signal: (atMs: number) => signalOf(photodiode, atMs) }),
    });
  }

  #makeConverterOfFour(address: number): SimulatedChip {
    const { plant, seed } = this.#options;
    return new SimulatedAds1115({
      volts: (input, atMs) =>
        input === supplyInputOfFirstBoards.input
          ? plant.supplyVolts(atMs) * supplyInput.dividedBy
          : this.#photodiodeAt(address, input, atMs),
      noise: seededNoise(seed * 256 + address),
      onRead: (code) => this.#recordConversion(address, code),
    });
  }

  /** Volts of the photodiode that sits on this input, if one does. */
  #photodiodeAt(address: number, input: number, atMs: number): number {
    const { layout, plant } = this.#options;
    for (const [photodiode, place] of Object.entries(layout.photodiodes)) {
      const wired = converterInput(place);
      if (wired.address === address && wired.input === input) return plant.photodiodeVolts(Number(photodiode), atMs);
    }
    return 0;
  }

  #makeLedChip(): SimulatedChip {
    const { layout, plant, seed } = this.#options;
    const { chip, address } = layout.ledDriver;
    const light = (led: LedName, percent: number) => this.#light(led, percent);
    if (chip === 'dac43608') return new SimulatedDac43608(light);
    const inputs = Object.entries(layout.photodiodes)
      .map(([photodiode, place]) => ({ photodiode: Number(photodiode), ...converterInput(place) }))
      .filter((place) => place.address === address);
    return new SimulatedController({
      light,
      supplyVolts: (atMs) => plant.supplyVolts(atMs),
      photodiodes: new Map(
        inputs.map(({ photodiode, input }) => [input, (atMs: number) => plant.photodiodeVolts(photodiode, atMs)]),
      ),
      phaseMs: controllerRound.ms * new SeededStream(`${seed} controller`).uniform(),
    });
  }

  #light(led: LedName, percent: number): void {
    if (this.#levels.led[led] === percent) return;
    const { pwm, led: before } = this.#levels;
    this.#change(`led${led}`, percent, { pwm, led: { ...before, [led]: percent } });
  }

  #drivePwm(channel: PwmChannel, percent: number): void {
    if (this.#levels.pwm[channel] === percent) return;
    const { led, pwm: before } = this.#levels;
    // One by one: a copy of an object with numbers as keys takes ten times as long.
    const pwm = { 1: before[1], 2: before[2], 3: before[3], 4: before[4], 5: before[5] };
    pwm[channel] = percent;
    this.#change(`pwm${channel}`, percent, { pwm, led });
  }

  #change(output: string, percent: number, levels: OutputLevels): void {
    const atMs = this.#options.clock.monotonic();
    for (const chip of this.#settledChips) chip.settle?.(atMs);
    this.#levels = levels;
    this.#options.plant.setOutputs(levels, atMs);
    this.#options.witness?.({ kind: 'output', ...this.#time(), output, percent });
  }

  #recordConversion(address: number, code: number): void {
    this.#options.witness?.({ kind: 'conversion', ...this.#time(), device: i2cDevice(address), code });
  }

  #time() {
    const { clock } = this.#options;
    return { mono_us: Math.round(clock.monotonic() * 1000), at: clock.now() };
  }
}
