import type { Clock } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';
import { errnoOf } from './errno.ts';
import { type KernelFiles, readText } from './kernel-files.ts';
import { onChannel, patiently } from './pwm-access.ts';

export interface LedPwmBankOptions {
  /** `/sys`. */
  readonly files: KernelFiles;
  readonly wire: Clock;
}

/** Folder of the LED that the overlay `lcs-outputs` makes of a channel. */
export const ledFolder = (channel: number): string => `class/leds/lcs:pwm${channel}`;

/**
 * The kernel holds a level for this long, and switches it off unless it is written again. Its timer may be 32 ms late (timer wheel at
 * 250 Hz), and `pwm-gpio` ends its period first (62.5 ms at 16 Hz): off within 2 s.
 */
export const heldMs = 1800;
/** The guard may be 1.3 s late before an output is interrupted. Chosen. */
export const rewriteEveryMs = 500;

/** The trigger sets the brightness with the next tick of the kernel (4 ms at 250 Hz), and not before the write returns. */
const settleMs = 5;
const settleReads = 10;

/** Without the trigger the level stays, as that of a PWM channel. */
type LedMode = 'pattern' | 'plain';

interface Led {
  readonly folder: string;
  readonly maximum: number;
  readonly mode: LedMode;
  /** Of the overlay: the kernel's interface for LEDs cannot change it. undefined: unknown. */
  readonly fixedPeriodNs: number | undefined;
}

/** Periods that differ by less are the same frequency. Chosen. */
const samePeriod = 0.01;

/**
 * PWM channels as LEDs of the kernel with its trigger `pattern` (kernel documentation, `ABI/testing/sysfs-class-led-trigger-pattern`;
 * semantics as in `drivers/leds/trigger/ledtrig-pattern.c`): each level is written with its own end, so that an output goes off when no
 * program writes it again.
 *
 * A pattern is a list of brightness and milliseconds; between equal levels nothing is dimmed, and a duration of 0 is a step. A write
 * ends the running pattern without changing the brightness, and begins the new one. `repeat` counts down to 0 and then refuses every
 * further pattern: it is written each time, and after the pattern, because it begins the stored one again.
 */
export class LedPwmBank implements PwmBank {
  readonly #options: LedPwmBankOptions;
  readonly #leds = new Map<number, Led>();
  readonly #periodsNs = new Map<number, number>();
  /** Folders whose trigger is known to end its patterns. */
  readonly #bounded = new Set<string>();

  constructor(options: LedPwmBankOptions) {
    this.#options = options;
  }

  /** Whether the overlay has made this channel an LED. @throws BusError */
  async has(channel: number): Promise<boolean> {
    return onChannel(channel, 'export', async () => {
      try {
        await this.#read(`${ledFolder(channel)}/max_brightness`);
        return true;
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return false;
        throw error;
      }
    });
  }

  async exportChannel(channel: number): Promise<void> {
    await onChannel(channel, 'export', async () => {
      const folder = ledFolder(channel);
      const maximum = Number(await this.#read(`${folder}/max_brightness`));
      const mode = await this.#activate(folder);
      this.#leds.set(channel, { folder, maximum, mode, fixedPeriodNs: await this.#fixedPeriodNs(channel) });
    });
  }

  /** Only remembered: it is compared with that of the overlay when the channel is switched on. Off is off at any frequency. */
  async setPeriod(channel: number, periodNs: number): Promise<void> {
    this.#ledOf(channel, 'set period');
    this.#periodsNs.set(channel, periodNs);
  }

  async setDuty(channel: number, dutyNs: number): Promise<void> {
    const led = this.#ledOf(channel, 'set duty');
    if (dutyNs === 0) return this.#switchOff(channel, led);
    const brightness = this.#brightness(channel, led, dutyNs);
    await onChannel(channel, 'set duty', async () => {
      if (led.mode === 'plain') await this.#write(`${led.folder}/brightness`, String(brightness));
      else await this.#writePattern(led.folder, `${brightness} ${heldMs} ${brightness} 0 0 0 0 0`);
      await this.#mustBe(channel, led, brightness);
    });
  }

  /** An LED is always enabled. */
  async setEnabled(channel: number): Promise<void> {
    this.#ledOf(channel, 'enable');
  }

  rewriteMs(channel: number): number | undefined {
    return this.#leds.get(channel)?.mode === 'pattern' ? rewriteEveryMs : undefined;
  }

  heldMs(channel: number): number | undefined {
    return this.#leds.get(channel)?.mode === 'pattern' ? heldMs : undefined;
  }

  /** By the pattern, so that the trigger stays; else by a brightness of 0, which removes any trigger. */
  async #switchOff(channel: number, led: Led): Promise<void> {
    await onChannel(channel, 'set duty', async () => {
      try {
        if (led.mode === 'plain') throw new BusError(`pwm ${channel}`, 'set duty', 'the LED has no trigger');
        await this.#writePattern(led.folder, '0 0 0 0');
        await this.#mustBe(channel, led, 0);
      } catch {
        await this.#write(`${led.folder}/brightness`, '0');
        await this.#mustBe(channel, led, 0);
      }
    });
  }

  async #writePattern(folder: string, pattern: string): Promise<void> {
    try {
      if (!this.#bounded.has(folder)) await this.#activate(folder);
      await this.#writeBounded(folder, pattern);
    } catch (error) {
      // Something has removed the trigger, as `lcs-outputs-off` does.
      if (errnoOf(error) !== 'ENOENT' || (await this.#activate(folder)) === 'plain') throw error;
      await this.#writeBounded(folder, pattern);
    }
  }

  async #writeBounded(folder: string, pattern: string): Promise<void> {
    try {
      await this.#write(`${folder}/pattern`, `${pattern}\n`);
      await this.#write(`${folder}/repeat`, '1\n');
    } catch (error) {
      this.#bounded.delete(folder);
      throw error;
    }
  }

  /**
   * Makes the trigger active. Not again where it is: that would switch the output off for a moment. A new trigger repeats its pattern
   * without end until it has a number of repetitions: it gets one before any level.
   */
  async #activate(folder: string): Promise<LedMode> {
    const known = (await this.#read(`${folder}/trigger`)).split(/\s+/);
    if (!known.includes('[pattern]')) {
      if (!known.includes('pattern')) return 'plain';
      await this.#write(`${folder}/trigger`, 'pattern');
    }
    if ((await this.#read(`${folder}/repeat`)) === '-1') await this.#write(`${folder}/repeat`, '1\n');
    this.#bounded.add(folder);
    return 'pattern';
  }

  #brightness(channel: number, { maximum, fixedPeriodNs }: Led, dutyNs: number): number {
    const periodNs = this.#periodsNs.get(channel);
    if (periodNs === undefined || dutyNs > periodNs)
      throw new BusError(`pwm ${channel}`, 'set duty', 'invalid argument');
    if (fixedPeriodNs !== undefined && Math.abs(fixedPeriodNs / periodNs - 1) > samePeriod) {
      const [fixed, wanted] = [fixedPeriodNs, periodNs].map((period) => `${Number((1e9 / period).toPrecision(4))} Hz`);
      const line = `dtoverlay=lcs-outputs,period${channel}=${periodNs}`;
      const reason = `its overlay gives it ${fixed}, not ${wanted}: write "${line}" into config.txt and start the computer again`;
      throw new BusError(`pwm ${channel}`, 'set duty', reason);
    }
    return Math.round((dutyNs / periodNs) * maximum);
  }

  /** What the kernel's LED is set to; the PWM behind it cannot be read. */
  async #mustBe(channel: number, { folder, maximum }: Led, brightness: number): Promise<void> {
    let kept = '';
    for (let left = settleReads; left > 0; left -= 1) {
      kept = await this.#read(`${folder}/brightness`);
      if (kept === String(brightness)) return;
      await this.#options.wire.sleep(settleMs);
    }
    throw new BusError(`pwm ${channel}`, 'set duty', `${kept} of ${maximum} is set, not ${brightness}`);
  }

  /** Property `pwms` of the LED's node: four numbers, high byte first; the third is the period. */
  async #fixedPeriodNs(channel: number): Promise<number | undefined> {
    try {
      const cells = await this.#options.files.read(`${ledFolder(channel)}/device/of_node/pwm${channel}/pwms`);
      return cells.length >= 12 ? new DataView(cells.buffer, cells.byteOffset).getUint32(8) : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #ledOf(channel: number, operation: string): Led {
    const led = this.#leds.get(channel);
    if (led === undefined) throw new BusError(`pwm ${channel}`, operation, 'the channel is not exported');
    return led;
  }

  #read(file: string): Promise<string> {
    return patiently(this.#options.wire, () => readText(this.#options.files, file));
  }

  #write(file: string, text: string): Promise<void> {
    return patiently(this.#options.wire, () => this.#options.files.write(file, text));
  }
}
