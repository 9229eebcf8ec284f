/**
 * Talks to the chips of a real board by the drivers of a unit: a program of its own, so that it can run with another `/dev/i2c-1` and on
 * another architecture. Argument: where the addon is. Each line of its input is a list of calls as JSON, made on a bus of their own, and
 * answered by a line with their results.
 */
import { createInterface } from 'node:readline';
import { realClock } from '@lcs/platform/clock';
// Not by the index of the package: an emulator takes a minute to load all of it.
import { board12 } from '../../packages/hardware/src/board-layout.ts';
import { BusError } from '../../packages/hardware/src/buses/bus-error.ts';
import type { I2cBus } from '../../packages/hardware/src/buses/i2c-bus.ts';
import { Ads1114 } from '../../packages/hardware/src/chips/ads1114.ts';
import { Ads1115 } from '../../packages/hardware/src/chips/ads1115.ts';
import { BoardController } from '../../packages/hardware/src/chips/board-controller.ts';
import { ControllerChannel } from '../../packages/hardware/src/chips/controller-channel.ts';
import { Dac43608 } from '../../packages/hardware/src/chips/dac43608.ts';
import { Tmp1075 } from '../../packages/hardware/src/chips/tmp1075.ts';
import { LinuxBuses } from '../../packages/hardware/src/linux/linux-buses.ts';

export type Call =
  | readonly ['read', address: number, register: number, length: number]
  | readonly ['write', address: number, register: number, bytes: readonly number[]]
  | readonly ['chip', name: keyof typeof chips];

const places = { i2cBus: 1, i2cBinding: process.argv[2] ?? '' };
const clock = realClock();

/** What jobs and guard do with each chip. */
const chips = {
  ads1114: async (i2c: I2cBus) => {
    const adc = new Ads1114(i2c, 0x49, clock);
    await adc.setGain(2);
    return adc.readSeries(2);
  },
  ads1115: async (i2c: I2cBus) => {
    const adc = new Ads1115(i2c, 0x48, clock);
    const [one, other] = [adc.input(1), adc.input(0)];
    await other.setGain(2);
    return [await one.readVolts(), await other.readVolts()];
  },
  tmp1075: async (i2c: I2cBus) => {
    const sensor = new Tmp1075(i2c, 0x4f);
    return [await sensor.readCelsius(), await sensor.readCelsius()];
  },
  dac43608: async (i2c: I2cBus) => {
    const leds = new Dac43608(i2c, 0x49);
    await leds.set('A', 50.2);
    await leds.set('D', 100);
    await leds.set('A', 0);
  },
  controller: async (i2c: I2cBus) => {
    const controller = new BoardController(i2c, 0x2c);
    await controller.set('A', 80);
    await controller.set('D', 0);
    return [await controller.readVolts(1), await new ControllerChannel(controller, 2, clock).readVolts()];
  },
} as const;

async function result(i2c: I2cBus, call: Call): Promise<unknown> {
  switch (call[0]) {
    case 'read':
      return [...(await i2c.readRegister(call[1], call[2], call[3]))];
    case 'write':
      return i2c.writeRegister(call[1], call[2], Uint8Array.from(call[3]));
    case 'chip':
      return chips[call[1]](i2c);
  }
}

async function tried(i2c: I2cBus, call: Call): Promise<unknown> {
  try {
    return { value: (await result(i2c, call)) ?? null };
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    const { device, operation, reason } = error;
    return { device, operation, reason };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const calls: readonly Call[] = JSON.parse(line);
  const buses = new LinuxBuses({ places, lines: board12.pwmLines, wire: clock });
  const results: unknown[] = [];
  for (const call of calls) results.push(await tried(buses.i2c, call));
  await buses.stop();
  process.stdout.write(`${JSON.stringify(results)}\n`);
}
