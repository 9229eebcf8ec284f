import { inputLevel, mainsFrequency, type OversamplingPlan, recommendedIntensity, type Sample } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { type FaultCode, faultCodes } from '../shared/fault-codes.ts';
import type { ChannelLevel, OdChannel } from './od-channel.ts';
import type { OdConfig } from './od-config.ts';
import { oversample, planFor, readingMs } from './oversample.ts';

/** The light of a measurement. All methods reject as the guard does. */
export interface Light {
  on(percent: number): Promise<void>;
  off(): Promise<void>;
}

/** One photodiode's part of a reading. */
export interface Measured {
  readonly channel: OdChannel;
  /** Volts, darkness subtracted; negative where noise or light from outside makes the darkness brighter. */
  readonly volts: number;
  readonly isSaturated: boolean;
  /** The conversions of the reading, if asked for: volts, without subtraction of the darkness. */
  readonly conversions?: readonly Sample[];
}

interface Level extends ChannelLevel {
  readonly channel: OdChannel;
  /** Empty where the converter has found the level by itself. */
  readonly conversions: readonly Sample[];
}

/** A photodiode gets more light than its input bears. */
class OverVoltage extends Error {
  constructor({ channel, angle }: OdChannel, volts: number) {
    super(
      `Photodiode ${channel} (${angle}) gives ${volts.toFixed(2)} V, more than its input bears. ` +
        'Lower the intensity of the infrared LED, or use a smaller angle.',
    );
    this.name = 'OverVoltage';
  }
}

/** Intensity (%) of the search for an automatic intensity, and its number of samples. */
const testedIntensity = 85;
const tunedOn = 10;

/** Whether there is no time to switch the LED off between two readings. */
export function staysLit(intervalS: number | null, settleMs: number): boolean {
  return intervalS !== null && settleMs + readingMs(planFor(intervalS)) > 800 * intervalS;
}

/** Measures volts: dark offsets, gains, mains hum, limits of the inputs. */
export class OdMeter {
  readonly channels: readonly OdChannel[];
  readonly #context: Pick<JobContext, 'clock' | 'signal' | 'log'>;
  readonly #config: OdConfig;
  readonly #light: Light;
  readonly #showFault: (code: FaultCode) => void;
  #mainsHz: 50 | 60 | undefined;
  #intervalS: number | null;
  /** What the light was switched to last, %. */
  #litPercent = 0;
  /** Photodiodes whose high voltage was logged. */
  readonly #warned = new Set<OdChannel>();

  constructor(
    context: Pick<JobContext, 'clock' | 'signal' | 'log'>,
    config: OdConfig,
    channels: readonly OdChannel[],
    light: Light,
    showFault: (code: FaultCode) => void = () => {},
  ) {
    this.#context = context;
    this.#config = config;
    this.channels = channels;
    this.#light = light;
    this.#showFault = showFault;
    this.#mainsHz = config.mainsHz;
    this.#intervalS = config.intervalS;
  }

  get plan(): OversamplingPlan {
    return planFor(this.#intervalS);
  }

  /** Milliseconds until light and photodiodes are steady after a change from dark to light or back. */
  get settleMs(): number {
    return Math.max(this.#config.settleMs, this.#followMs);
  }

  /** Milliseconds until the slowest photodiode shows a change of the light. */
  get #followMs(): number {
    return Math.max(0, ...this.channels.map(({ photodiode: { settlingMs = 0 } }) => settlingMs));
  }

  /** The interval of readings from now on; null: only on request. */
  set intervalS(intervalS: number | null) {
    this.#intervalS = intervalS;
  }

  /** Reads the dark signal, finds gains and the mains frequency; returns the intensity (%) for measuring. @throws as measure */
  async prepare(requested: number | 'auto'): Promise<number> {
    const { clock } = this.#context;
    const intensity = requested === 'auto' ? testedIntensity : requested;
    await this.#light.off();
    await clock.sleep(this.settleMs);
    if (this.#config.usesDarkOffsets) await this.#findDark();
    await this.lightUp(intensity, true);
    await this.#tune();
    await this.#findMains();
    return requested === 'auto' ? this.#suitableIntensity(intensity) : intensity;
  }

  /** Switches the light to `percent`. `settles`: it was dark; another light that is on already is waited for where photodiodes need it. */
  async lightUp(percent: number, settles: boolean): Promise<void> {
    const isOther = percent !== this.#litPercent;
    await this.#light.on(percent);
    this.#litPercent = percent;
    const waitMs = settles ? this.settleMs : isOther ? this.#followMs : 0;
    if (waitMs > 0) await this.#context.clock.sleep(waitMs);
  }

  /** After a fault the chips may have been without power. */
  resetGains(): void {
    for (const channel of this.channels) channel.resetGain();
  }

  /** The volts of all photodiodes in the light that is on. @throws BusError, OverVoltage, the signal's reason */
  async measure(keeps: 'levels' | 'conversions' = 'levels'): Promise<readonly Measured[]> {
    await Promise.all(this.channels.map((channel) => channel.suit()));
    const levels = await this.#levels(keeps);
    return levels.map(({ channel, volts, isClipped, conversions }) => {
      const isNearLimit = this.#isNearLimit(channel, volts);
      const measured = { channel, volts: volts - channel.darkVolts, isSaturated: isClipped || isNearLimit };
      return keeps === 'conversions' ? { ...measured, conversions } : measured;
    });
  }

  async #levels(keeps: 'levels' | 'conversions' = 'levels'): Promise<readonly Level[]> {
    const { plan } = this;
    const bursts =
      keeps === 'conversions'
        ? this.channels.map(() => undefined)
        : await Promise.all(this.channels.map(({ photodiode }) => photodiode.burst?.(plan)));
    this.#context.signal.throwIfAborted();
    const samples = bursts.includes(undefined) ? await this.#samples(plan) : [];
    return this.channels.map((channel, index) => {
      const burst = bursts[index];
      const conversions = samples[index] ?? [];
      const level = burst === undefined ? channel.level(conversions, this.#mainsHz) : channel.levelOfBurst(burst);
      return { channel, ...level, conversions };
    });
  }

  #samples(plan: OversamplingPlan): Promise<readonly (readonly Sample[])[]> {
    const { clock, signal } = this.#context;
    const photodiodes = this.channels.map(({ photodiode }) => photodiode);
    return oversample(photodiodes, plan, { clock, signal });
  }

  async #findDark(): Promise<void> {
    await Promise.all(this.channels.map((channel) => channel.suit(0)));
    for (const { channel, volts } of await this.#levels()) channel.darkVolts = volts;
  }

  /** Reads with the widest range of each converter, and selects its gain. */
  async #tune(): Promise<void> {
    await Promise.all(this.channels.map((channel) => channel.open()));
    await Promise.all(
      this.channels.map(async (channel) => {
        const volts = await channel.photodiode.readSeries(tunedOn);
        const mean = volts.reduce((sum, value) => sum + value, 0) / tunedOn;
        this.#isNearLimit(channel, mean);
        await channel.suit(mean);
      }),
    );
    this.#context.signal.throwIfAborted();
  }

  /** Once: the mains do not change. A converter that finds levels by itself needs to know nothing of them. */
  async #findMains(): Promise<void> {
    if (this.#mainsHz !== undefined) return;
    const [first] = this.channels;
    if ((await first?.photodiode.burst?.(this.plan)) !== undefined) return;
    const [samples = []] = await this.#samples(this.plan);
    this.#mainsHz = mainsFrequency(samples);
  }

  /** With a reference and one signal the best intensity can be computed. */
  async #suitableIntensity(tested: number): Promise<number> {
    const levels = await this.measure();
    const reference = levels.find(({ channel }) => channel.angle === 'REF');
    const [signal, ...others] = levels.filter(({ channel }) => channel.angle !== 'REF');
    if (reference === undefined || signal === undefined || others.length > 0) return tested;
    return recommendedIntensity(tested, reference.volts, signal.volts);
  }

  #isNearLimit(channel: OdChannel, volts: number): boolean {
    const level = inputLevel(volts);
    if (level !== 'fine') this.#showFault(faultCodes.photodiode);
    if (level === 'over_limit') throw new OverVoltage(channel, volts);
    if (level === 'fine') return false;
    if (!this.#warned.has(channel)) {
      const where = `Photodiode ${channel.channel} (${channel.angle}) gives ${volts.toFixed(2)} V`;
      this.#context.log('WARNING', `${where}, near the limit of its input. Lower the intensity of the infrared LED.`);
    }
    this.#warned.add(channel);
    return true;
  }
}
