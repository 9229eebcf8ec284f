import type { Json } from '@lcs/contract';
import { type Dilution, ReferenceDarkError } from '@lcs/domain';
import { type JobContext, toTimestamp } from '@lcs/platform';
import { type HeldOutput, whileAlive } from '../shared/job-hands.ts';
import { type OpticalReading, opticalReadingKey } from '../shared/optical-reading.ts';
import { isHardwareTrouble, Trouble } from '../shared/trouble.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { OdChannel } from './od-channel.ts';
import type { OdConfig } from './od-config.ts';
import { type Measured, OdMeter } from './od-meter.ts';
import { type OdInForce, OdReport, type OdSignal } from './od-report.ts';
import { Reference } from './reference.ts';
import { SignalWatch } from './signal-watch.ts';

/** The LED's brightness and the noise of the signals are told with every so many readings. */
const brightnessEvery = 5;

/** Faster readings wear the LED and warm the culture; shorter intervals are for short looks. */
const shortIntervalS = 1;

/** A restless reference is said again this often. */
const unstableSaidAgainMs = 300_000;

type Devices = Pick<UnitDevices, 'photodiodes' | 'memory' | 'opticalReadings' | 'showTrouble'> & OdInForce;

/** The photodiodes of the configuration, on the converters of this board. @throws Error for one that the board has not */
export function odChannels(config: OdConfig, { photodiodes }: Pick<UnitDevices, 'photodiodes'>): readonly OdChannel[] {
  return config.channels.map(({ channel, angle }) => {
    const photodiode = photodiodes.get(channel);
    if (photodiode === undefined)
      throw new Error(`[od_config.photodiode_channel] ${channel}=${angle}: this board has no photodiode ${channel}.`);
    return new OdChannel(channel, angle, photodiode);
  });
}

/** Reads the optical density again and again, and survives chips that fail meanwhile. */
export class OdReading {
  readonly #context: JobContext;
  readonly #config: OdConfig;
  readonly #devices: Devices;
  readonly #light: HeldOutput;
  readonly #meter: OdMeter;
  readonly #reference: Reference;
  readonly #report: OdReport;
  readonly #watch: SignalWatch;
  readonly #trouble: Trouble;
  #wanted: number | 'auto';
  /** What is measured with, %; undefined until light and darkness were looked at. */
  #intensity: number | undefined;
  #intervalS: number | null;
  #stopRepeating = () => {};
  #gridMs = 0;
  /** The reading under way, or the light being lent. Never rejects. */
  #atWork: Promise<unknown> | undefined;
  #isLit = false;
  #isAsleep = false;
  #readings = 0;
  #unstableSaidMs = Number.NEGATIVE_INFINITY;

  /** @throws JobConfigError, Error for a photodiode that the board has not */
  constructor(context: JobContext, config: OdConfig, devices: Devices, light: HeldOutput) {
    this.#context = context;
    this.#config = config;
    this.#devices = devices;
    this.#light = light;
    this.#wanted = config.intensity;
    this.#intervalS = config.intervalS;
    const lamp = { on: (percent: number) => this.#lightAt(percent), off: () => this.#lightAt(0) };
    this.#meter = new OdMeter(context, config, odChannels(config, devices), lamp, devices.showTrouble);
    this.#reference = new Reference(devices.memory, context.experimentUid ?? context.experiment);
    this.#report = new OdReport(context, devices);
    this.#watch = new SignalWatch(context);
    const check = 'Check the photodiode boards and the LED cable. Readings go on by themselves when it answers again.';
    this.#trouble = new Trouble(context, 'The optical density cannot be read.', check);
  }

  /** From now on readings are taken at the interval, the first one at once. */
  begin(): void {
    this.#stopRepeating();
    this.#announce('ended');
    if (this.#intervalS === null) return;
    if (this.#intervalS < shortIntervalS)
      this.#context.log('WARNING', `An interval of ${this.#intervalS} s leaves the LED no rest: not for long use.`);
    this.#gridMs = this.#context.clock.monotonic();
    const cancelFirst = this.#context.clock.after(0, () => this.#tick());
    const cancelOthers = this.#context.repeat(1000 * this.#intervalS, () => this.#tick());
    this.#stopRepeating = () => {
      cancelFirst();
      cancelOthers();
    };
  }

  /** One reading, whatever the interval; a fault is thrown. */
  async snapshot(): Promise<void> {
    await this.#alone(() => this.#attempt());
  }

  /** Between two readings; those that become due meanwhile are left out. */
  async lend<Result>(percent: number, work: () => Promise<Result>): Promise<Result> {
    const { clock, signal } = this.#context;
    while (this.#atWork !== undefined) await whileAlive(signal, this.#atWork);
    return this.#alone(async () => {
      await this.#lightAt(percent);
      try {
        await clock.sleep(this.#config.settleMs);
        return await whileAlive(signal, work());
      } finally {
        if (!signal.aborted) await this.#darken();
      }
    });
  }

  async apply(values: Readonly<Record<string, Json>>): Promise<void> {
    const { ir_led_intensity: intensity, interval } = values;
    if (typeof intensity === 'number') this.#changeIntensity(intensity);
    if (interval === undefined) return;
    this.#intervalS = typeof interval === 'number' ? interval : null;
    this.#meter.intervalS = this.#intervalS;
    this.begin();
    if (!this.#meter.staysLit && this.#atWork === undefined) await this.#darken();
  }

  /** Liquid was added: a thinner culture is no loss of signal. */
  dosed(dose: Dilution): void {
    this.#watch.dosed(dose);
  }

  async sleep(): Promise<void> {
    this.#isAsleep = true;
    this.#announce('off');
    await this.#darken();
  }

  wake(): void {
    this.#isAsleep = false;
    this.#announce('ended');
  }

  async stop(): Promise<void> {
    this.#devices.opticalReadings.publish(opticalReadingKey, { phase: 'off' });
    await this.#light.release();
  }

  #changeIntensity(intensity: number): void {
    if (intensity > 90) this.#context.log('WARNING', `An intensity of ${intensity} % ages the LED quickly.`);
    this.#wanted = intensity;
    if (this.#intensity === undefined) return;
    this.#intensity = intensity;
    this.#meter.forget();
    this.#reference.restart();
    this.#watch.forget();
  }

  async #tick(): Promise<void> {
    if (this.#atWork !== undefined || this.#isAsleep) return;
    await this.#alone(() => this.#tryAgain());
  }

  /** Nothing else happens to the light meanwhile. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = work();
    const settled = done.catch(() => {});
    this.#atWork = settled;
    try {
      return await done;
    } finally {
      if (this.#atWork === settled) this.#atWork = undefined;
    }
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.#attempt();
      this.#trouble.over();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareTrouble(error) && !(error instanceof ReferenceDarkError)) throw error;
      this.#meter.distrust();
      this.#trouble.is(error);
      await this.#darken();
      // Whoever rests during a reading must not rest for as long as the fault lasts.
      this.#announce('ended');
    }
  }

  async #attempt(): Promise<void> {
    this.#announce('begun');
    if (this.#intensity === undefined) {
      const found = await this.#meter.prepare(this.#wanted);
      // Somebody may have wished for another one meanwhile.
      this.#intensity = this.#wanted === 'auto' ? found : this.#wanted;
      this.#context.publish('ir_led_intensity', this.#intensity);
    }
    await this.#read(this.#intensity);
    this.#announce('ended');
  }

  async #read(intensity: number): Promise<void> {
    const { clock, signal } = this.#context;
    const wasLit = this.#isLit;
    await this.#lightAt(intensity);
    if (!wasLit) await clock.sleep(this.#config.settleMs);
    const atMs = clock.now();
    if (this.#readings === 0) this.#context.publish('first_od_obs_time', atMs / 1000);
    const measured = await whileAlive(signal, this.#meter.measure());
    if (!this.#meter.staysLit || this.#isAsleep) await this.#lightAt(0);
    // Somebody has put the job to sleep, or changed the light, in the middle of it.
    if (this.#isAsleep || intensity !== this.#intensity) {
      this.#meter.forget();
      return;
    }
    this.#tell(measured, atMs, intensity);
    this.#readings += 1;
  }

  #tell(measured: readonly Measured[], atMs: number, intensity: number): void {
    const reference = measured.find(({ channel }) => channel.angle === 'REF');
    const followed = reference === undefined ? undefined : this.#follow(reference.volts, atMs, intensity);
    // Of the monotonic clock: the other may be set meanwhile.
    const seenAtMs = this.#context.clock.monotonic();
    const signals = measured
      .filter((one) => one !== reference)
      .map(({ channel, volts, isSaturated }): OdSignal => {
        const value = volts / (followed?.divisor ?? 1);
        const seen = { atMs: seenAtMs, signal: value, isSaturated, brightness: followed?.health };
        const quality = this.#watch.flagsOf(channel, seen);
        const flags = followed?.isUnstable ? [...quality, 'reference_unstable'] : quality;
        return { channel, value, rescale: followed?.rescale ?? 1, flags };
      });
    this.#report.tell(signals, atMs, intensity);
    if (this.#readings % brightnessEvery === 0)
      this.#context.publish('signal_noise', { signal_noise: this.#watch.noise(), timestamp: toTimestamp(atMs) });
  }

  #follow(volts: number, atMs: number, intensity: number) {
    const { normalization, referencePastWeight: pastWeight } = this.#config;
    const parameters = { normalization, pastWeight, intervalS: this.#intervalS ?? 5 };
    const followed = this.#reference.follow(parameters, volts, intensity);
    if (followed.isUnstable) this.#tellUnstable(followed.health);
    if (this.#readings % brightnessEvery === 0) {
      const { relative } = followed;
      this.#context.reading({ source: 'ir_led_relative_intensity', value: relative, atMs });
      const published = { relative_intensity_of_ir_led: relative, timestamp: toTimestamp(atMs) };
      this.#context.publish('relative_intensity_of_ir_led', published);
    }
    return followed;
  }

  /** Others stop acting on what is read now: `dosing_automation` goes to sleep on this event. */
  #tellUnstable(relative: number): void {
    this.#context.event({ name: 'reference_unstable', data: { relative_intensity: relative } });
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - this.#unstableSaidMs < unstableSaidAgainMs) return;
    this.#unstableSaidMs = nowMs;
    this.#context.log('WARNING', 'The reference photodiode jumps: check that vial and LED sit firmly in the unit.');
  }

  async #lightAt(percent: number): Promise<void> {
    this.#isLit = false;
    await this.#light.set(percent);
    this.#isLit = percent > 0;
  }

  /** After a fault: what does not obey now is switched off by the guard, which tries until it does. */
  async #darken(): Promise<void> {
    try {
      await this.#lightAt(0);
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#trouble.is(error);
    }
  }

  #announce(phase: OpticalReading['phase']): void {
    this.#devices.opticalReadings.publish(opticalReadingKey, this.#news(phase));
  }

  #news(phase: OpticalReading['phase']): OpticalReading {
    if (phase === 'off' || this.#intervalS === null || this.#isAsleep) return { phase: 'off' };
    const intervalMs = 1000 * this.#intervalS;
    const beats = Math.floor((this.#context.clock.monotonic() - this.#gridMs) / intervalMs) + 1;
    const nextAtMs = this.#gridMs + beats * intervalMs;
    return { phase, nextAtMs, intervalMs, wantsDark: this.#config.turnsOffOtherLeds };
  }
}
