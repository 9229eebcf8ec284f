import type { Clock } from '@lcs/platform';
import type { BoardLayout } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';
import { errnoOf } from './errno.ts';
import { type KernelFiles, readText } from './kernel-files.ts';
import { onChannel, patiently } from './pwm-access.ts';
import { findPwmPlaces, type PwmPlace } from './pwm-places.ts';

export interface LinuxPwmBankOptions {
  /** `/sys`. */
  readonly files: KernelFiles;
  /** GPIO of each channel. */
  readonly lines: BoardLayout['pwmLines'];
  readonly wire: Clock;
}

/** The line of the computer's `config.txt` that gives a GPIO its PWM. */
const overlayFor = (line: number): string =>
  line === 12 || line === 13 ? 'dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4' : `dtoverlay=pwm-gpio,gpio=${line}`;

/**
 * PWM channels of a board through `/sys/class/pwm` (kernel documentation, `driver-api/pwm.rst` and `ABI/testing/sysfs-class-pwm`).
 * The kernel makes the signal, in hardware or by its own timers (driver `pwm-gpio`): it continues when the program ends, and
 * no timer of this program makes it. The guard or `lcs outputs-off` switches it off.
 */
export class LinuxPwmBank implements PwmBank {
  readonly #options: LinuxPwmBankOptions;
  readonly #exported = new Map<number, string>();

  constructor(options: LinuxPwmBankOptions) {
    this.#options = options;
  }

  async exportChannel(channel: number): Promise<void> {
    await onChannel(channel, 'export', async () => {
      const place = await this.#placeOf(channel);
      const folder = `${place.chip}/pwm${place.channel}`;
      if (!(await this.#isThere(folder))) await this.#export(place, folder);
      // Inverted, 0 % would be on all the time. The kernel changes it only while the channel is off.
      if ((await this.#read(`${folder}/polarity`)) === 'inversed') {
        await this.#write(`${folder}/enable`, 0);
        await patiently(this.#options.wire, () => this.#options.files.write(`${folder}/polarity`, 'normal'));
      }
      this.#exported.set(channel, folder);
    });
  }

  async setPeriod(channel: number, periodNs: number): Promise<void> {
    await this.#set(channel, 'set period', 'period', periodNs);
  }

  async setDuty(channel: number, dutyNs: number): Promise<void> {
    const folder = this.#folderOf(channel, 'set duty');
    await onChannel(channel, 'set duty', async () => {
      // A channel without a period rejects any duty, also 0: it is off.
      if (dutyNs === 0 && (await this.#read(`${folder}/period`)) === '0') return;
      await this.#write(`${folder}/duty_cycle`, dutyNs);
      // The kernel returns the duty that is set, not one rounded to the steps of the chip (`pwm_get_state`).
      const kept = await this.#read(`${folder}/duty_cycle`);
      if (kept !== String(dutyNs))
        throw new BusError(`pwm ${channel}`, 'set duty', `${kept} ns are set, not ${dutyNs}`);
    });
  }

  async setEnabled(channel: number, enabled: boolean): Promise<void> {
    await this.#set(channel, 'enable', 'enable', enabled ? 1 : 0);
  }

  async #set(channel: number, operation: string, attribute: string, value: number): Promise<void> {
    const folder = this.#folderOf(channel, operation);
    await onChannel(channel, operation, () => this.#write(`${folder}/${attribute}`, value));
  }

  #folderOf(channel: number, operation: string): string {
    const folder = this.#exported.get(channel);
    if (folder === undefined) throw new BusError(`pwm ${channel}`, operation, 'the channel is not exported');
    return folder;
  }

  async #placeOf(channel: number): Promise<PwmPlace> {
    const line = new Map(Object.entries(this.#options.lines)).get(String(channel));
    if (line === undefined) throw new BusError(`pwm ${channel}`, 'export', 'no such channel');
    // Searched for each time: an overlay may have been loaded since.
    const place = (await findPwmPlaces(this.#options.files)).get(line);
    if (place !== undefined) return place;
    const missing = `GPIO${line} has no PWM: add "${overlayFor(line)}" to config.txt and start the computer again`;
    throw new BusError(`pwm ${channel}`, 'export', missing);
  }

  async #export({ chip, channel }: PwmPlace, folder: string): Promise<void> {
    try {
      await this.#write(`${chip}/export`, channel);
    } catch (error) {
      // Node and guard may do it at the same moment.
      if (errnoOf(error) !== 'EBUSY' || !(await this.#isThere(folder))) throw error;
    }
  }

  async #isThere(folder: string): Promise<boolean> {
    try {
      await this.#options.files.read(`${folder}/enable`);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EACCES') return true;
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  #read(file: string): Promise<string> {
    return patiently(this.#options.wire, () => readText(this.#options.files, file));
  }

  #write(file: string, value: number): Promise<void> {
    return patiently(this.#options.wire, () => this.#options.files.write(file, String(value)));
  }
}
