import type { GpioBank } from './gpio-bank.ts';
import type { I2cBus } from './i2c-bus.ts';
import type { PwmBank } from './pwm-bank.ts';

/** All that a unit's board is reached by, simulated or real. */
export interface Buses {
  readonly i2c: I2cBus;
  readonly pwm: PwmBank;
  readonly gpio: GpioBank;
}
