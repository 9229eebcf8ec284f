import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { type BoardLayout, board10, board12, converterAddresses } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { I2cBus } from '../buses/i2c-bus.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { SimulatedPwmBank } from '../simulated/simulated-pwm-bank.ts';
import { SteadyPlant } from '../simulated/steady-plant.ts';
import { Ads1114, gainFor } from './ads1114.ts';
import { Ads1115 } from './ads1115.ts';
import { BoardController } from './board-controller.ts';
import { Dac43608 } from './dac43608.ts';
import { PwmOutput } from './pwm-output.ts';
import { Tmp1075 } from './tmp1075.ts';

/** A bus that answers each read with the same bytes and records what was written. */
function recordingBus(bytes: readonly number[] = []): I2cBus & { readonly written: number[][] } {
  const written: number[][] = [];
  return {
    written,
    readRegister: async () => Uint8Array.from(bytes),
    writeRegister: async (address, register, bytes) => {
      written.push([address, register, ...bytes]);
    },
  };
}

describe('the temperature sensor', () => {
  it.each([
    [[0x7f, 0xf0], 127.9375],
    [[0x19, 0x00], 25],
    [[0x00, 0x10], 0.0625],
    [[0xff, 0xf0], -0.0625],
    [[0xe7, 0x00], -25],
  ])('reads %j as %d degrees, as the table of the data sheet does', async (bytes, celsius) => {
    expect(await new Tmp1075(recordingBus(bytes), 0x4f).readCelsius()).toBe(celsius);
  });
});

describe('the converter', () => {
  it('is set to continuous conversion at 128 a second with the comparator off', async () => {
    const bus = recordingBus();
    await new Ads1114(bus, 0x48, new VirtualClock()).setGain(2);
    expect(bus.written).toEqual([[0x48, 1, 0b0000_0100, 0b1000_0011]]);
  });

  it('gives volts of both signs', async () => {
    const clock = new VirtualClock();
    const read = async (bytes: number[]) => {
      const adc = new Ads1114(recordingBus(bytes), 0x48, clock);
      await adc.setGain(1);
      const volts = adc.readVolts();
      await clock.advance(100);
      return volts;
    };
    expect(await read([0x40, 0x00])).toBe(2.048);
    expect(await read([0x80, 0x00])).toBe(-4.096);
  });

  it('chooses the most sensitive gain with head room', () => {
    expect([0, 0.21, 0.22, 0.5, 1, 2, 3, 3.6].map(gainFor)).toEqual([5, 5, 4, 3, 2, 1, 1, 0]);
  });
});

describe('the LED converter of first boards', () => {
  it('sets the value before it powers an output up, and powers it down at 0 %', async () => {
    const bus = recordingBus();
    const leds = new Dac43608(bus, 0x49);
    await leds.set('B', 100);
    await leds.set('B', 0);
    expect(bus.written).toEqual([
      [0x49, 9, 0x0f, 0xf0],
      [0x49, 1, 0, 0xfd],
      [0x49, 9, 0, 0],
      [0x49, 1, 0, 0xff],
    ]);
  });
});

describe('a PWM output', () => {
  it('opens at 0 % on a channel that was left running with a longer duty than the new period', async () => {
    const levels: number[] = [];
    const bank = new SimulatedPwmBank((_channel, percent) => levels.push(percent));
    const before = new PwmOutput(bank, 5, 16);
    await before.open();
    await before.set(90);
    const output = new PwmOutput(bank, 5, 250);
    await output.open();
    expect(levels.at(-1)).toBe(0);
    await output.set(25);
    expect(levels.at(-1)).toBe(25);
    await expect(output.set(100.1)).rejects.toThrow(RangeError);
  });

  it('names the missing channel', async () => {
    const open = new PwmOutput(new SimulatedPwmBank(() => {}), 9, 200).open();
    await expect(open).rejects.toThrow(new BusError('pwm 9', 'export', 'no such channel'));
  });
});

it('has no two chips of a board at one address', () => {
  const addresses = [...converterAddresses(board12.photodiodes), board12.ledDriver.address, board12.temperatureAddress];
  expect(new Set(addresses).size).toBe(addresses.length);
});

describe('chips whose power is interrupted for a moment', () => {
  const board = (layout: BoardLayout, oversampling: 'slot_by_slot' | 'closed_form' = 'slot_by_slot') => {
    const clock = new VirtualClock();
    const chips = new SimulatedBoard({ layout, plant: new SteadyPlant(), clock, seed: 1, oversampling });
    const soon = async <T>(work: Promise<T>): Promise<T> => {
      work.catch(() => {});
      await clock.advance(1000);
      return work;
    };
    return { chips, clock, soon };
  };

  it('an ADS1114 says so in the reading after it, once, and converts with its gain again', async () => {
    const { chips, clock, soon } = board(board12);
    const adc = new Ads1114(chips.i2c, 0x49, clock);
    await adc.setGain(2);
    await chips.i2c.writeRegister(board12.ledDriver.address, 0, Uint8Array.of(51));
    expect((await soon(adc.readSeries(4))).at(-1)).toBeCloseTo(0.4, 2);
    chips.i2c.powerCut([0x49]);
    await expect(soon(adc.readSeries(4))).rejects.toMatchObject({ name: 'BusError', device: 'i2c 0x49' });
    expect((await soon(adc.readSeries(4))).at(-1)).toBeCloseTo(0.4, 2);
  });

  it('an ADS1115 converts as before: each conversion has its settings with it', async () => {
    const { chips, clock, soon } = board(board10);
    const input = new Ads1115(chips.i2c, 0x48, clock).input(0);
    await new Dac43608(chips.i2c, 0x49).set('A', 20);
    const before = await soon(input.readVolts());
    chips.i2c.powerCut([0x48]);
    expect(await soon(input.readVolts())).toBeCloseTo(before, 3);
  });

  it('a TMP1075 measures as before: it has no settings but those after power-on', async () => {
    const { chips } = board(board12);
    chips.i2c.powerCut([board12.temperatureAddress]);
    expect(await new Tmp1075(chips.i2c, board12.temperatureAddress).readCelsius()).toBeCloseTo(25, 0);
  });

  it('the LED drivers are dark, and light up at the next level', async () => {
    for (const layout of [board10, board12]) {
      const { chips } = board(layout);
      const { chip, address } = layout.ledDriver;
      const leds = chip === 'controller' ? new BoardController(chips.i2c, address) : new Dac43608(chips.i2c, address);
      await leds.set('B', 40);
      chips.i2c.powerCut();
      expect(chips.levels.led.B).toBe(0);
      await leds.set('B', 40);
      expect(chips.levels.led.B).toBeCloseTo(40, 0);
    }
  });
});
