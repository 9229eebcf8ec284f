import {
  type ActuationReason,
  actuationEvent,
  type LedChannel,
  type OpticalReading,
  odReadingSettings,
  readSetting,
} from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import type { ActuatorLease, JobContext, JobEvent, JobOrigin } from '@lcs/node';
import { whileRunning } from './held-output.ts';
import type { InfraredLight } from './infrared-light.ts';
import { infraredChannel } from './job-config.ts';
import type { LedHolder, LedHolders } from './led-holders.ts';
import { type OpticalReadings, opticalReadingKey } from './optical-reading.ts';

/** An LED that the optical readings hold: no other job may set it. */
export class LedLocked extends Error {
  constructor(channel: LedChannel) {
    super(`LED ${channel} is the infrared one, and the optical density is read with it: it was not set.`);
    this.name = 'LedLocked';
  }
}

export interface LedDevices {
  readonly leds: LedHolders;
  readonly infraredLight: InfraredLight;
  readonly opticalReadings: OpticalReadings;
  /** Records an event of a job, also of a job that ends. */
  readonly recordEvent: (job: JobOrigin, event: JobEvent) => void;
}

interface Led {
  readonly lease: ActuatorLease;
  percent: number;
}

/** The LED that is called infrared. */
const irChannel = (config: JobContext['config']): string => infraredChannel(config) ?? 'A';

/** LEDs that a job sets. If configured, they are dark while the optical density is read. */
export class HeldLeds implements LedHolder {
  readonly #context: JobContext;
  readonly #devices: LedDevices;
  readonly #isSilent: boolean;
  readonly #lost: (channel: LedChannel) => void;
  readonly #leds = new Map<LedChannel, Led>();
  readonly #leadMs: number;
  #isDark = false;
  /** A wait for the next darkness ends when a newer change arrives. */
  #changes = 0;
  /** Outputs are set one after the other. */
  #turns: Promise<unknown> = Promise.resolve();
  #leaveLight = () => {};

  /** `isSilent`: changes are not recorded as events. `lost`: another job has set one of its LEDs. */
  constructor(
    context: JobContext,
    devices: LedDevices,
    more: { readonly isSilent?: boolean; readonly lost?: (channel: LedChannel) => void } = {},
  ) {
    this.#context = context;
    this.#devices = devices;
    this.#isSilent = more.isSilent ?? false;
    this.#lost = more.lost ?? (() => {});
    this.#leadMs = 1000 * readSetting(context.config, odReadingSettings.settleTime);
  }

  /** The effective levels, %; LEDs that the job does not hold are left out. */
  get levels(): ReadonlyMap<LedChannel, number> {
    return new Map([...this.#leds].map(([channel, { percent }]) => [channel, percent]));
  }

  /** Follows the optical readings from now on. */
  begin(): void {
    const { opticalReadings } = this.#devices;
    this.#context.listen(opticalReadings, (reading) => this.#follow(reading));
    const latest = opticalReadings.latest(opticalReadingKey);
    if (latest !== undefined) this.#context.clock.after(0, () => this.#follow(latest));
  }

  /** Whether only the optical readings may set this LED now. */
  isLocked(channel: LedChannel): boolean {
    return channel === irChannel(this.#context.config) && this.#devices.infraredLight.holder !== undefined;
  }

  /** Sets one to a level, %. @throws LedLocked, the refusal of the guard, the reason of the job's end */
  async set(channel: LedChannel, percent: number, reason: ActuationReason): Promise<void> {
    if (this.isLocked(channel)) throw new LedLocked(channel);
    const led = await whileRunning(this.#context.signal, this.#hold(channel));
    const from = led.percent;
    led.percent = percent;
    await whileRunning(this.#context.signal, this.#inForce(channel, led));
    this.#recordActuation(channel, from, percent, reason);
  }

  /** Takes over an LED from another job at its level; nothing changes. @throws as `set` */
  async addHeld(channel: LedChannel, percent: number): Promise<void> {
    const led = await whileRunning(this.#context.signal, this.#hold(channel));
    led.percent = percent;
    await whileRunning(this.#context.signal, this.#inForce(channel, led));
  }

  async giveUp(channel: LedChannel): Promise<void> {
    // After the end of the job its outputs are off, and it has nothing to give.
    if (this.#context.signal.aborted) this.#leds.delete(channel);
    await this.#release(channel);
    this.#lost(channel);
  }

  /** Switches them off and releases them; `why` is recorded. Also for the end of a job. */
  async release(reason: ActuationReason): Promise<void> {
    for (const [channel, { percent }] of [...this.#leds]) {
      await this.#release(channel);
      if (percent > 0) this.#recordActuation(channel, percent, 0, reason);
    }
  }

  async #hold(channel: LedChannel): Promise<Led> {
    const known = this.#leds.get(channel);
    if (known !== undefined) return known;
    if (channel === irChannel(this.#context.config)) {
      await this.#devices.infraredLight.free();
      this.#leaveLight = this.#devices.infraredLight.borrow(() => this.giveUp(channel));
    }
    await this.#devices.leds.acquire(channel, this);
    const led = { lease: await this.#context.lease([`led${channel}`]), percent: 0 };
    this.#leds.set(channel, led);
    return led;
  }

  async #release(channel: LedChannel): Promise<void> {
    const led = this.#leds.get(channel);
    if (led === undefined) return;
    this.#leds.delete(channel);
    if (channel === irChannel(this.#context.config)) this.#leaveLight();
    await this.#turns;
    await led.lease.release();
    this.#devices.leds.leave(channel, this);
  }

  #inForce(channel: LedChannel, { lease, percent }: Led): Promise<void> {
    const turn = this.#turns.then(() => lease.set(`led${channel}`, this.#isDark ? 0 : percent));
    // Only the order is kept here; the caller has the outcome.
    this.#turns = turn.catch(() => {});
    return turn;
  }

  async #follow(reading: OpticalReading): Promise<void> {
    this.#changes += 1;
    const turn = this.#changes;
    if (reading.phase === 'off' || !reading.wantsDark) return this.#setDark(false);
    if (reading.phase === 'begun') return this.#setDark(true);
    await this.#setDark(false);
    const { clock } = this.#context;
    await clock.sleep(Math.max(0, reading.nextAtMs - this.#leadMs - clock.monotonic()));
    if (turn === this.#changes) await this.#setDark(true);
  }

  /** Not recorded: it occurs with each reading, and the configuration has it. */
  async #setDark(isDark: boolean): Promise<void> {
    if (this.#isDark === isDark) return;
    this.#isDark = isDark;
    for (const [channel, led] of this.#leds) {
      if (led.percent === 0) continue;
      try {
        await whileRunning(this.#context.signal, this.#inForce(channel, led));
      } catch (error) {
        // Released in the meantime: it is dark.
        if (!(error instanceof GuardRefused && !this.#leds.has(channel))) throw error;
      }
    }
  }

  #recordActuation(channel: LedChannel, from: number, to: number, reason: ActuationReason): void {
    const { recordEvent } = this.#devices;
    const output = `led_${channel}` as const;
    recordEvent(this.#context, actuationEvent({ output, from, to, unit: '%', reason }));
    if (this.#isSilent) return;
    recordEvent(this.#context, {
      name: 'led_change',
      data: { channel, intensity: to, source_of_event: reason.origin },
    });
  }
}
