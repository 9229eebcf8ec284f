import type { Clock, Service } from '@lcs/platform';
import type { BoardLayout } from '../board-layout.ts';
import type { Buses } from '../buses/buses.ts';
import { loadI2cBinding } from './i2c-binding.ts';
import { kernelFiles } from './kernel-files.ts';
import { LinuxGpioBank } from './linux-gpio-bank.ts';
import { LinuxI2cBus } from './linux-i2c-bus.ts';
import { LinuxPwm } from './linux-pwm.ts';
import { systemTools, type Tools } from './tools.ts';

/** Locations of the buses of a computer, sent to the guard as JSON. Defaults are those of a Raspberry Pi. */
export interface LinuxPlaces {
  /** Default: 1. */
  readonly i2cBus?: number;
  /** Default: `i2c-bus`. Another name of a module is for tests. */
  readonly i2cBinding?: string;
  /** Default: `/sys`. */
  readonly sysfs?: string;
  /** Folders of programs, separated by colons. Default: those of the system. */
  readonly toolPath?: string;
}

export interface LinuxBusesOptions {
  readonly places: LinuxPlaces;
  readonly lines: BoardLayout['pwmLines'];
  readonly wire: Clock;
  /** Instead of the system's, for tests. */
  readonly tools?: Tools;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `process.hrtime` is the kernel's monotonic clock. */
const kernelUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** The buses of a real board. Each is opened at its first use, so that a unit starts without missing ones. */
export class LinuxBuses implements Buses, Service {
  readonly name = 'buses of the board';
  readonly i2c: LinuxI2cBus;
  readonly pwm: LinuxPwm;
  readonly gpio: LinuxGpioBank;

  constructor({ places, lines, wire, tools }: LinuxBusesOptions) {
    const { i2cBus = 1, i2cBinding = 'i2c-bus', sysfs = '/sys', toolPath = systemPath } = places;
    this.i2c = new LinuxI2cBus({ busNumber: i2cBus, load: () => loadI2cBinding(i2cBinding) });
    this.pwm = new LinuxPwm({ files: kernelFiles(sysfs), lines, wire });
    this.gpio = new LinuxGpioBank({ tools: tools ?? systemTools(toolPath), wire, kernelUs });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    await this.gpio.close();
    await this.i2c.close();
  }
}
