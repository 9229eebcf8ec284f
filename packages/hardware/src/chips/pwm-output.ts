import type { PwmBank } from '../buses/pwm-bank.ts';
import { checkPercent } from './percent.ts';

const nanosecondsPerSecond = 1e9;

/** One PWM channel of fixed frequency. */
export class PwmOutput {
  readonly #bank: PwmBank;
  readonly #channel: number;
  readonly #periodNs: number;

  constructor(bank: PwmBank, channel: number, hertz: number) {
    this.#bank = bank;
    this.#channel = channel;
    this.#periodNs = Math.round(nanosecondsPerSecond / hertz);
  }

  /** How often a level above 0 must be set again; undefined: it stays. */
  get rewriteMs(): number | undefined {
    return this.#bank.rewriteMs?.(this.#channel);
  }

  /** After so long without being set again it is off; undefined: it stays. */
  get heldMs(): number | undefined {
    return this.#bank.heldMs?.(this.#channel);
  }

  /** Leaves the channel enabled at 0 %. Safe on a channel that a killed program left running. @throws BusError */
  async open(): Promise<void> {
    await this.#bank.exportChannel(this.#channel);
    // Duty first: a period shorter than the duty left behind is refused.
    await this.#bank.setDuty(this.#channel, 0);
    await this.#bank.setPeriod(this.#channel, this.#periodNs);
    await this.#bank.setEnabled(this.#channel, true);
  }

  /** 0 to 100. @throws BusError */
  async set(percent: number): Promise<void> {
    await this.#bank.setDuty(this.#channel, Math.round((checkPercent(percent) / 100) * this.#periodNs));
  }
}
