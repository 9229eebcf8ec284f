import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { Ads1114 } from '../chips/ads1114.ts';
import { Ads1115 } from '../chips/ads1115.ts';
import { BoardController } from '../chips/board-controller.ts';
import { Dac43608 } from '../chips/dac43608.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import { systemError, transcriptBinding } from '../testing/test-kernel.ts';
import {
  ads1114Transcript,
  ads1115Transcript,
  controllerTranscript,
  dac43608Transcript,
  type I2cExchange,
  tmp1075Transcript,
} from './chips.transcript.ts';
import { type I2cConnection, loadI2cBinding } from './i2c-binding.ts';
import { LinuxI2cBus } from './linux-i2c-bus.ts';

async function played(
  transcript: readonly I2cExchange[],
  talk: (bus: LinuxI2cBus, clock: VirtualClock) => Promise<unknown>,
) {
  const binding = transcriptBinding(transcript);
  const clock = new VirtualClock();
  const bus = new LinuxI2cBus({ busNumber: 1, load: async () => binding });
  let isDone = false;
  const running = talk(bus, clock).finally(() => {
    isDone = true;
  });
  running.catch(() => {});
  await clock.advanceUntil(() => isDone, 10_000);
  const result = await running;
  expect(binding.left()).toBe(0);
  return result;
}

describe('chips on the I2C bus of Linux, by transcripts made from their data sheets', () => {
  it('the temperature sensor', async () => {
    const celsius = await played(tmp1075Transcript, async (bus) => {
      const sensor = new Tmp1075(bus, 0x4f);
      return [await sensor.readCelsius(), await sensor.readCelsius()];
    });
    expect(celsius).toEqual([25, -25]);
  });

  it('the converter of a photodiode', async () => {
    const volts = await played(ads1114Transcript, async (bus, clock) => {
      const adc = new Ads1114(bus, 0x49, clock);
      await adc.setGain(2);
      return adc.readVolts();
    });
    expect(volts).toBeCloseTo(1.024, 9);
  });

  it('the converter with four inputs, one reading after the other', async () => {
    const volts = await played(ads1115Transcript, async (bus, clock) => {
      const adc = new Ads1115(bus, 0x48, clock);
      return Promise.all([adc.input(1).readVolts(), adc.input(0).readVolts()]);
    });
    expect(volts).toEqual([1, -0.000125]);
  });

  it('the LED driver of first boards', async () => {
    await played(dac43608Transcript, async (bus) => {
      const leds = new Dac43608(bus, 0x49);
      await leds.set('A', 50.2);
      await leds.set('A', 0);
    });
  });

  it('the controller of later boards', async () => {
    const volts = await played(controllerTranscript, async (bus) => {
      const controller = new BoardController(bus, 0x2c);
      await controller.set('A', 80);
      return controller.readVolts(1);
    });
    expect(volts).toBeCloseTo((830 / 4095) * 3.3, 9);
  });
});

describe('the I2C bus of Linux', () => {
  const busOf = (connection: Partial<I2cConnection>) => {
    const unused = async () => Promise.reject(new Error('not expected'));
    const whole: I2cConnection = { readI2cBlock: unused, writeI2cBlock: unused, close: async () => {}, ...connection };
    return new LinuxI2cBus({ busNumber: 1, load: async () => ({ openPromisified: async () => whole }) });
  };

  it.each([
    ['EREMOTEIO', 'no acknowledgement'],
    ['ENXIO', 'no acknowledgement'],
    ['ETIMEDOUT', 'the bus hangs (a chip holds its clock)'],
    ['EIO', 'the transfer was disturbed'],
    ['EOVERFLOW', 'the kernel reports EOVERFLOW'],
  ])('reports %s as %s', async (code, reason) => {
    const bus = busOf({ readI2cBlock: () => Promise.reject(systemError(code)) });
    await expect(bus.readRegister(0x48, 0, 2)).rejects.toMatchObject({ name: 'BusError', device: 'i2c 0x48', reason });
  });

  it.each([
    // As addons make them: the code is empty where Node's table for them has no name.
    [{ code: '', errno: 121 }, 'no acknowledgement'],
    [{ code: '', errno: 110 }, 'the bus hangs (a chip holds its clock)'],
    [{ code: '', errno: 6 }, 'no acknowledgement'],
    [{ code: 'Unknown system error -121', errno: -121 }, 'no acknowledgement'],
    [{ code: '', errno: 74 }, 'the kernel reports errno 74'],
    [{ errno: 5 }, 'the transfer was disturbed'],
  ])('reports %o, which has no name, as %s', async (system, reason) => {
    const failure = Object.assign(new Error('made up'), system);
    const bus = busOf({
      readI2cBlock: () => Promise.reject(failure),
      writeI2cBlock: () => Promise.reject(failure),
    });
    const expected = { name: 'BusError', device: 'i2c 0x48', reason };
    await expect(bus.readRegister(0x48, 0, 2)).rejects.toMatchObject(expected);
    await expect(bus.writeRegister(0x48, 0, Uint8Array.of(1))).rejects.toMatchObject(expected);
  });

  it('rejects a chip that returns too few bytes', async () => {
    const bus = busOf({ readI2cBlock: async () => ({ bytesRead: 1 }) });
    await expect(new Tmp1075(bus, 0x4f).readCelsius()).rejects.toThrow('1 bytes received instead of 2');
  });

  it('opens the bus at the first use, once, and again after it could not be opened', async () => {
    let opened = 0;
    const connection: I2cConnection = {
      readI2cBlock: async (_address, _register, length) => ({ bytesRead: length }),
      writeI2cBlock: async (_address, _register, length) => ({ bytesWritten: length }),
      close: async () => {},
    };
    const bus = new LinuxI2cBus({
      busNumber: 1,
      load: async () => ({
        openPromisified: async () => {
          opened += 1;
          if (opened === 1) throw Object.assign(systemError('ENOENT'), { syscall: 'open' });
          return connection;
        },
      }),
    });
    expect(opened).toBe(0);
    await expect(bus.readRegister(0x48, 0, 2)).rejects.toThrow(/dtparam=i2c_arm=on/);
    await Promise.all([bus.readRegister(0x48, 0, 2), bus.writeRegister(0x48, 1, Uint8Array.of(1, 2))]);
    expect(opened).toBe(2);
    await bus.close();
  });

  it('opens the bus again after a driver of the kernel had a chip: the addon keeps a file without an address', async () => {
    let opened = 0;
    const refused = Object.assign(systemError('EBUSY'), { syscall: 'setAddr' });
    const closed: number[] = [];
    const bus = new LinuxI2cBus({
      busNumber: 1,
      load: async () => ({
        openPromisified: async () => {
          opened += 1;
          const mine = opened;
          return {
            readI2cBlock: async (_address, _register, length) =>
              mine === 1 ? Promise.reject(refused) : { bytesRead: length },
            writeI2cBlock: async (_address, _register, length) => ({ bytesWritten: length }),
            close: async () => void closed.push(mine),
          };
        },
      }),
    });
    const reason = 'a driver of the kernel has this chip';
    await expect(bus.readRegister(0x49, 0, 2)).rejects.toMatchObject({ reason });
    expect(await bus.readRegister(0x49, 0, 2)).toHaveLength(2);
    await bus.close();
    expect(closed).toEqual([1, 2]);
  });

  it('has one call in flight while the bus hangs, and makes the others in order afterwards', async () => {
    const pending: (() => void)[] = [];
    const begun: number[] = [];
    const bus = busOf({
      readI2cBlock: (address, _register, length) => {
        begun.push(address);
        return new Promise((resolve) => pending.push(() => resolve({ bytesRead: length })));
      },
      writeI2cBlock: (address) => {
        begun.push(address);
        return Promise.reject(systemError('ETIMEDOUT'));
      },
    });
    const hung = bus.readRegister(0x4f, 0, 2);
    const written = expect(bus.writeRegister(0x49, 0, Uint8Array.of(1))).rejects.toThrow('hangs');
    const last = bus.readRegister(0x48, 0, 2);
    await new Promise(setImmediate);
    expect(begun).toEqual([0x4f]);
    pending[0]?.();
    await hung;
    await written;
    await new Promise(setImmediate);
    expect(begun).toEqual([0x4f, 0x49, 0x48]);
    // What waits when the bus is closed is not sent any more.
    const never = expect(bus.readRegister(0x48, 1, 2)).rejects.toThrow('closed');
    await bus.close();
    pending[1]?.();
    await last;
    await never;
    expect(begun).toHaveLength(3);
  });

  it('reports that its package is missing', async () => {
    const bus = new LinuxI2cBus({ busNumber: 1, load: () => loadI2cBinding('no-such-package-of-i2c') });
    await expect(bus.readRegister(0x48, 0, 2)).rejects.toThrow(
      'i2c 0x48: read register 0 failed: the package i2c-bus is not installed (run "npm install i2c-bus" where lcs is installed).',
    );
    await bus.close();
    // A package with another interface is rejected too.
    await expect(loadI2cBinding('node:os')).rejects.toThrow('i2c-bus is not installed');
  });
});
