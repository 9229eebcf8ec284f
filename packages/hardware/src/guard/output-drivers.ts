import { type BoardLayout, type PwmChannel, pwmChannels } from '../board-layout.ts';
import type { Buses } from '../buses/buses.ts';
import { BoardController } from '../chips/board-controller.ts';
import { Dac43608 } from '../chips/dac43608.ts';
import { type LedDriver, ledNames } from '../chips/led-driver.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import type { OutputId, Wiring } from './guard-types.ts';

export interface OutputDriver {
  /** Brings the output to a known state: off. @throws BusError */
  open(): Promise<void>;
  /** @throws BusError */
  set(percent: number): Promise<void>;
}

/** For a channel without wiring, which is always at 0 %. */
const anyHertz = 200;

/** The drivers of all outputs of a board. */
export function outputDrivers(buses: Buses, layout: BoardLayout, wiring: Wiring): Map<OutputId, OutputDriver> {
  const drivers = new Map<OutputId, OutputDriver>();
  for (const channel of pwmChannels) drivers.set(`pwm${channel}`, pwmDriver(buses, wiring, channel));
  const leds = ledDriver(buses, layout);
  for (const led of ledNames) {
    drivers.set(`led${led}`, { open: () => leds.set(led, 0), set: (percent) => leds.set(led, percent) });
  }
  return drivers;
}

/** The driver of one PWM channel. */
export const pwmDriver = ({ pwm }: Pick<Buses, 'pwm'>, wiring: Wiring, channel: PwmChannel): PwmOutput =>
  new PwmOutput(pwm, channel, wiring[channel]?.hertz ?? anyHertz);

function ledDriver(buses: Buses, { ledDriver: { chip, address } }: BoardLayout): LedDriver {
  return chip === 'controller' ? new BoardController(buses.i2c, address) : new Dac43608(buses.i2c, address);
}
