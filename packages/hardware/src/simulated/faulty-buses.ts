import { BusError } from '../buses/bus-error.ts';
import type { Buses } from '../buses/buses.ts';
import type { GpioBank } from '../buses/gpio-bank.ts';
import { type I2cBus, i2cDevice } from '../buses/i2c-bus.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';

/** Faults of a device of a board. With all but `absent` and `burst` it acknowledges and returns wrong data. */
export type BusFault =
  | { readonly kind: 'absent' }
  /** Always the same bytes, repeated to the requested length. `registers`: of these only; missing: of all. */
  | { readonly kind: 'stuck'; readonly bytes: readonly number[]; readonly registers?: readonly number[] }
  /** Random bytes, of these registers or of all. `random` returns numbers from 0 to 1. */
  | { readonly kind: 'noise'; readonly random: () => number; readonly registers?: readonly number[] }
  /** One byte less than requested. */
  | { readonly kind: 'short' }
  /** The next so many transactions are disturbed, then all is well. */
  | { readonly kind: 'burst'; readonly transactions: number };

/**
 * Injects faults between drivers and a board, and removes them. Devices have their names from errors (`i2c 0x48`,
 * `pwm 5`, `gpio 21`); `i2c`, `pwm` and `gpio` are all of a kind.
 */
export class FaultyBuses implements Buses {
  readonly i2c: I2cBus;
  readonly pwm: PwmBank;
  readonly gpio: GpioBank;
  readonly #faults = new Map<string, BusFault>();

  constructor({ i2c, pwm, gpio }: Buses) {
    const acting = <T>(device: string, operation: string, work: () => Promise<T>): Promise<T> =>
      this.#refusal(device, operation) ?? work();
    this.i2c = {
      ...(i2c.hasVendorRegisters && { hasVendorRegisters: true }),
      readRegister: (address, register, length) => {
        const device = i2cDevice(address);
        const refused = this.#refusal(device, `read register ${register}`);
        return refused ?? this.#respond(device, register, length) ?? i2c.readRegister(address, register, length);
      },
      writeRegister: (address, register, bytes) =>
        acting(i2cDevice(address), `write register ${register}`, () => i2c.writeRegister(address, register, bytes)),
    };
    this.pwm = {
      exportChannel: (channel) => acting(`pwm ${channel}`, 'export', () => pwm.exportChannel(channel)),
      setPeriod: (channel, periodNs) => acting(`pwm ${channel}`, 'set period', () => pwm.setPeriod(channel, periodNs)),
      setDuty: (channel, dutyNs) => acting(`pwm ${channel}`, 'set duty', () => pwm.setDuty(channel, dutyNs)),
      setEnabled: (channel, enabled) => acting(`pwm ${channel}`, 'enable', () => pwm.setEnabled(channel, enabled)),
    };
    this.gpio = {
      watch: (line, edge, bias) => acting(`gpio ${line}`, 'watch', () => gpio.watch(line, edge, bias)),
      takeEdges: (line) => acting(`gpio ${line}`, 'take edges', () => gpio.takeEdges(line)),
      unwatch: (line) => gpio.unwatch(line),
      check: (line) => acting(`gpio ${line}`, 'check', async () => gpio.check?.(line)),
      setOutput: (line, isHigh) => acting(`gpio ${line}`, 'set output', () => gpio.setOutput(line, isHigh)),
    };
  }

  /** From now on. Replaces the previous fault of the device. */
  set(device: string, fault: BusFault): void {
    this.#faults.set(device, fault);
  }

  clear(device: string): void {
    this.#faults.delete(device);
  }

  #faultOf(device: string): readonly [string, BusFault] | undefined {
    const kind = device.split(' ')[0] ?? '';
    for (const key of [device, kind]) {
      const fault = this.#faults.get(key);
      if (fault !== undefined) return [key, fault];
    }
    return undefined;
  }

  /** A device whose operation fails. */
  #refusal(device: string, operation: string): Promise<never> | undefined {
    const [key, fault] = this.#faultOf(device) ?? [];
    if (key === undefined || fault === undefined) return undefined;
    if (fault.kind === 'absent') return Promise.reject(new BusError(device, operation, 'no acknowledgement'));
    if (fault.kind !== 'burst') return undefined;
    if (fault.transactions > 1) this.#faults.set(key, { kind: 'burst', transactions: fault.transactions - 1 });
    else this.#faults.delete(key);
    return Promise.reject(new BusError(device, operation, 'the transfer was disturbed'));
  }

  /** The answer of a chip with a fault; undefined: its measurement. */
  #respond(device: string, register: number, length: number): Promise<Uint8Array> | undefined {
    const fault = this.#faultOf(device)?.[1];
    if (fault !== undefined && 'registers' in fault && fault.registers?.includes(register) === false) return undefined;
    switch (fault?.kind) {
      case 'stuck':
        return Promise.resolve(Uint8Array.from({ length }, (_, index) => fault.bytes[index % fault.bytes.length] ?? 0));
      case 'noise':
        return Promise.resolve(Uint8Array.from({ length }, () => Math.floor(fault.random() * 256)));
      case 'short':
        return Promise.resolve(new Uint8Array(Math.max(0, length - 1)));
      default:
        return undefined;
    }
  }
}
