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
  /** How often a level above 0 must be set again, ms; undefined: it stays. */
  readonly rewriteMs?: number | undefined;
  /** After so long without being set again the output is off, ms; undefined: not known, or it stays. */
  readonly heldMs?: number | undefined;
}

/**
 * LEDs are set again this often: their chip forgets them when it loses power, and says nothing. The board's controller switches an LED
 * off that was not set for three times as long (`led_limit_ms` of its firmware).
 */
const ledRewriteMs = 2000;

/** For a channel without wiring, which is always at 0 %. */
const anyHertz = 200;

/** What moves liquid or heats. */
export const pwmDrivers = (buses: Pick<Buses, 'pwm'>, wiring: Wiring): ReadonlyMap<OutputId, OutputDriver> =>
  new Map(pwmChannels.map((channel) => [`pwm${channel}`, pwmDriver(buses, wiring, channel)]));

export function ledDrivers(buses: Pick<Buses, 'i2c'>, layout: BoardLayout): ReadonlyMap<OutputId, OutputDriver> {
  const leds = ledDriver(buses, layout);
  return new Map(
    ledNames.map((led) => [
      `led${led}`,
      { open: () => leds.set(led, 0), set: (percent: number) => leds.set(led, percent), rewriteMs: ledRewriteMs },
    ]),
  );
}

/** The driver of one PWM channel. */
export const pwmDriver = ({ pwm }: Pick<Buses, 'pwm'>, wiring: Wiring, channel: PwmChannel): PwmOutput =>
  new PwmOutput(pwm, channel, wiring[channel]?.hertz ?? anyHertz);

function ledDriver(buses: Pick<Buses, 'i2c'>, { ledDriver: { chip, address } }: BoardLayout): LedDriver {
  return chip === 'controller' ? new BoardController(buses.i2c, address) : new Dac43608(buses.i2c, address);
}
