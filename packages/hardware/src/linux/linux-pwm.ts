import { BusError } from '../buses/bus-error.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';
import { LedPwmBank } from './led-pwm-bank.ts';
import { LinuxPwmBank, type LinuxPwmBankOptions } from './linux-pwm-bank.ts';

/**
 * The PWM channels of a board by what this computer has, channel by channel: as LEDs that go off by themselves where the overlay
 * `lcs-outputs` is loaded, otherwise through `/sys/class/pwm`.
 */
export class LinuxPwm implements PwmBank {
  readonly #leds: LedPwmBank;
  readonly #channels: LinuxPwmBank;
  readonly #chosen = new Map<number, PwmBank>();

  constructor(options: LinuxPwmBankOptions) {
    this.#leds = new LedPwmBank(options);
    this.#channels = new LinuxPwmBank(options);
  }

  /** Looked for each time: an overlay may have been loaded since. */
  async exportChannel(channel: number): Promise<void> {
    const bank = (await this.#leds.has(channel)) ? this.#leds : this.#channels;
    await bank.exportChannel(channel);
    this.#chosen.set(channel, bank);
  }

  async setPeriod(channel: number, periodNs: number): Promise<void> {
    await this.#bankOf(channel, 'set period').setPeriod(channel, periodNs);
  }

  async setDuty(channel: number, dutyNs: number): Promise<void> {
    await this.#bankOf(channel, 'set duty').setDuty(channel, dutyNs);
  }

  async setEnabled(channel: number, enabled: boolean): Promise<void> {
    await this.#bankOf(channel, 'enable').setEnabled(channel, enabled);
  }

  rewriteMs(channel: number): number | undefined {
    return this.#chosen.get(channel)?.rewriteMs?.(channel);
  }

  heldMs(channel: number): number | undefined {
    return this.#chosen.get(channel)?.heldMs?.(channel);
  }

  #bankOf(channel: number, operation: string): PwmBank {
    const bank = this.#chosen.get(channel);
    if (bank === undefined) throw new BusError(`pwm ${channel}`, operation, 'the channel is not exported');
    return bank;
  }
}
