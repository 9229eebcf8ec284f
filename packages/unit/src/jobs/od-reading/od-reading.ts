import { ApiError, type Json } from '@lcs/contract';
import {
  canShareLight,
  type Dilution,
  initialOdReadingState,
  type OdReadingEffect,
  type OdReadingEvent,
  type OdReadingNotice,
  type OdReadingState,
  odReadingStep,
  ReferenceDarkError,
} from '@lcs/domain';
import { type JobContext, whileRunning } from '@lcs/node';
import { type Cancel, toTimestamp, untilAborted } from '@lcs/platform';
import { allOf } from '../shared/all-of.ts';
import type { ExtraReadingsRequest } from '../shared/extra-readings.ts';
import { HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import type { HeldOutput } from '../shared/held-output.ts';
import { LogLimit } from '../shared/log-limit.ts';
import { opticalReadingKey } from '../shared/optical-reading.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { ConversionRecorder } from './conversion-recorder.ts';
import { OdChannel } from './od-channel.ts';
import type { OdConfig } from './od-config.ts';
import { type Measured, OdMeter, staysLit } from './od-meter.ts';
import { type OdConversion, OdReport, type OdSignal, type ReadingMoment } from './od-report.ts';
import { Reference } from './reference.ts';
import { SignalWatch } from './signal-watch.ts';

/** An unstable reference is logged again after this time. */
const unstableLoggedAgainMs = 300_000;

type Devices = Pick<UnitDevices, 'photodiodes' | 'memory' | 'opticalReadings' | 'showFault'> & OdConversion;

type Effect = OdReadingEffect<readonly Measured[]>;
type Event = OdReadingEvent<readonly Measured[]>;

const notices: Readonly<Record<OdReadingNotice, (value: number) => string>> = {
  short_interval: (intervalS) => `An interval of ${intervalS} s wears the LED: use it only for short times.`,
  high_intensity: (percent) => `An intensity of ${percent} % ages the LED quickly.`,
};

/** The photodiodes of the configuration, on the converters of this board. @throws ApiError `job_hardware_missing` */
export function odChannels(
  job: string,
  config: OdConfig,
  { photodiodes }: Pick<UnitDevices, 'photodiodes'>,
): readonly OdChannel[] {
  return config.channels.map(({ channel, angle }) => {
    const photodiode = photodiodes.get(channel);
    if (photodiode !== undefined) return new OdChannel(channel, angle, photodiode);
    const missing = `[od_config.photodiode_channel] ${channel}=${angle}: this board has no photodiode ${channel}.`;
    throw new ApiError('job_hardware_missing', { job, missing });
  });
}

/** Drives the optical readings: performs the effects of their state machine, and returns results to it. */
export class OdReading {
  readonly #context: JobContext;
  readonly #config: OdConfig;
  readonly #devices: Devices;
  readonly #light: HeldOutput;
  readonly #meter: OdMeter;
  readonly #reference: Reference;
  readonly #report: OdReport;
  readonly #conversions: ConversionRecorder;
  readonly #watch: SignalWatch;
  readonly #fault: HardwareFault;
  readonly #unstable: LogLimit;
  readonly #parameters: Parameters<typeof odReadingStep>[2];
  #state: OdReadingState;
  #cancelSchedule: Cancel = () => {};
  /** Resolves when the present operation ends; never, if the job ends before that. */
  #freed = Promise.withResolvers<void>();

  /** @throws ConfigValueError, ApiError `job_hardware_missing` for a photodiode that the board does not have */
  constructor(context: JobContext, config: OdConfig, devices: Devices, light: HeldOutput) {
    this.#context = context;
    this.#config = config;
    this.#devices = devices;
    this.#light = light;
    const infraredLed = { on: (percent: number) => light.set(percent), off: () => light.set(0) };
    this.#meter = new OdMeter(
      context,
      config,
      odChannels(context.jobName, config, devices),
      infraredLed,
      devices.showFault,
    );
    this.#reference = new Reference(devices.memory, context.experimentUid ?? context.experiment);
    this.#report = new OdReport(context, devices, config.smoothingPenalizer);
    this.#conversions = new ConversionRecorder(context);
    this.#watch = new SignalWatch(context);
    const check = 'Check the photodiode boards and the LED cable. Readings continue when the hardware responds again.';
    this.#fault = new HardwareFault(context, 'The optical density cannot be read.', check);
    this.#unstable = new LogLimit(context.clock, unstableLoggedAgainMs);
    this.#parameters = {
      turnsOffOtherLeds: config.turnsOffOtherLeds,
      staysLit: (intervalS) => staysLit(intervalS, this.#meter.settleMs),
    };
    this.#state = initialOdReadingState({ requestedIntensity: config.intensity, intervalS: config.intervalS });
  }

  /** Takes readings at the interval, the first one at once. */
  begin(): Promise<void> {
    return this.#send({ kind: 'start' });
  }

  /** Takes one reading; a fault ends the job. */
  async snapshot(): Promise<void> {
    const { promise: freed } = this.#freed;
    this.#context.clock.after(0, () => this.#send({ kind: 'due' }));
    await untilAborted(this.#context.signal, freed);
  }

  /** Between two readings; readings that become due in the meantime are skipped. */
  async withLight<Result>(percent: number, work: () => Promise<Result>): Promise<Result> {
    const { clock, signal } = this.#context;
    await this.#isFree();
    await this.#send({ kind: 'share_light' });
    try {
      await this.#light.set(percent);
      await clock.sleep(this.#config.settleMs);
      return await whileRunning(signal, work());
    } finally {
      if (!signal.aborted) await this.#send({ kind: 'returned' });
    }
  }

  /** Readings beside the grid. While the job is paused none is taken; its end ends them. */
  async takeExtra({ count, everyMs }: ExtraReadingsRequest): Promise<void> {
    const { clock, signal } = this.#context;
    if (this.#state.intervalS === null) return;
    const nowMs = clock.monotonic();
    const atMs = Array.from({ length: count }, (_, index) => nowMs + (index + 1) * everyMs);
    try {
      await this.#send({ kind: 'plan_extra', atMs });
      for (const dueMs of atMs) {
        await clock.sleep(Math.max(0, dueMs - clock.monotonic()));
        await this.#send({ kind: 'due' });
      }
      await this.#isFree();
    } catch (error) {
      // Whoever asked for them goes on without.
      if (!signal.aborted) throw error;
    }
  }

  /** Resolves when no operation is under way. */
  async #isFree(): Promise<void> {
    while (!canShareLight(this.#state)) await untilAborted(this.#context.signal, this.#freed.promise);
  }

  async apply(values: Readonly<Record<string, Json>>): Promise<void> {
    const { ir_led_intensity: intensity, interval, record_conversions: recordedS } = values;
    if (typeof recordedS === 'number') this.#conversions.recordFor(recordedS);
    if (typeof intensity === 'number') await this.#send({ kind: 'set_intensity', intensity });
    if (interval === undefined) return;
    const intervalS = typeof interval === 'number' ? interval : null;
    this.#meter.intervalS = intervalS;
    await this.#send({ kind: 'set_interval', intervalS });
  }

  /** Liquid was added: the signals fall without any fault. */
  dosed(dose: Dilution): void {
    this.#watch.dosed(dose);
  }

  /** Resolves when the LED is off. */
  sleep(): Promise<void> {
    return this.#send({ kind: 'pause' });
  }

  wake(): Promise<void> {
    return this.#send({ kind: 'resume' });
  }

  async stop(): Promise<void> {
    this.#devices.opticalReadings.publish(opticalReadingKey, { phase: 'off' });
    await this.#light.release();
  }

  /** Resolves when the LED is set; measurements continue afterwards. */
  #send(event: Event): Promise<void> {
    const nowMs = this.#context.clock.monotonic();
    const before = this.#state.activity;
    const { state, effects } = odReadingStep<readonly Measured[]>(this.#state, { ...event, nowMs }, this.#parameters);
    this.#state = state;
    // Most effects are performed at once: a promise for each of them took longer than the effect.
    const performed: Promise<void>[] = [];
    for (const effect of effects) {
      const lasting = this.#perform(effect);
      if (lasting !== undefined) performed.push(lasting);
    }
    if (state.activity !== before && canShareLight(state)) {
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    }
    return allOf(performed);
  }

  /** Undefined: it is done. */
  #perform(effect: Effect): Promise<void> | undefined {
    const { clock } = this.#context;
    switch (effect.kind) {
      case 'announce':
        this.#devices.opticalReadings.publish(opticalReadingKey, effect.reading);
        break;
      case 'schedule':
        this.#schedule(effect.intervalMs);
        break;
      case 'prepare':
        clock.after(0, () => this.#attempt(() => this.#prepare(effect.intensity)));
        break;
      case 'measure':
        clock.after(0, () => this.#attempt(() => this.#measure(effect)));
        break;
      case 'report':
        return this.#attempt(() => this.#reportMeasured(effect));
      case 'led_off':
        return this.#ledOff();
      case 'publish_intensity':
        this.#context.publish('ir_led_intensity', effect.intensity);
        break;
      case 'restart_tracking':
        this.#report.forget();
        this.#reference.restart();
        this.#watch.forget();
        break;
      case 'reset_gains':
        this.#meter.resetGains();
        break;
      case 'notify':
        this.#context.log('WARNING', notices[effect.notice](effect.value));
        break;
    }
    return undefined;
  }

  #schedule(intervalMs: number | null): void {
    this.#cancelSchedule();
    if (intervalMs === null) return;
    const { clock } = this.#context;
    const cancelFirst = clock.after(0, () => this.#send({ kind: 'due' }));
    const cancelOthers = clock.every(intervalMs, () => this.#send({ kind: 'due' }));
    this.#cancelSchedule = () => {
      cancelFirst();
      cancelOthers();
    };
  }

  /** Performs an operation whose hardware may fail; the next reading repeats it. */
  async #attempt(operation: () => Event | Promise<Event>): Promise<void> {
    try {
      await this.#send(await operation());
    } catch (error) {
      this.#context.signal.throwIfAborted();
      const isExpected = isHardwareFault(error) || error instanceof ReferenceDarkError;
      if (!isExpected || this.#context.options.snapshot === true) throw error;
      this.#fault.set(error);
      await this.#send({ kind: 'failed' });
    }
  }

  async #prepare(intensity: number | 'auto'): Promise<Event> {
    return { kind: 'prepared', intensity: await this.#meter.prepare(intensity) };
  }

  async #measure({ intensity, settles, isFirst }: Extract<Effect, { kind: 'measure' }>): Promise<Event> {
    const { clock, signal } = this.#context;
    await this.#meter.lightUp(intensity, settles);
    const atMs = clock.now();
    if (isFirst) this.#context.publish('first_od_obs_time', atMs / 1000);
    return {
      kind: 'measured',
      measured: await whileRunning(signal, this.#meter.measure(this.#conversions.keeps)),
      atMs,
    };
  }

  #reportMeasured({ measured, atMs, intensity, reportsBrightness }: Extract<Effect, { kind: 'report' }>): Event {
    const reference = measured.find(({ channel }) => channel.angle === 'REF');
    const timestamp = toTimestamp(atMs);
    const moment = { atMs, timestamp, intensity, intervalS: this.#state.intervalS };
    const followed = reference === undefined ? undefined : this.#follow(reference.volts, moment, reportsBrightness);
    // Monotonic time: a correction of the clock must not appear as a gap.
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
    this.#report.record(signals, moment);
    this.#conversions.record(measured, atMs);
    if (reportsBrightness) this.#context.publish('signal_noise', { signal_noise: this.#watch.noise(), timestamp });
    this.#fault.clear();
    return { kind: 'reported' };
  }

  /** @throws ReferenceDarkError */
  #follow(volts: number, { atMs, timestamp, intensity, intervalS }: ReadingMoment, reportsBrightness: boolean) {
    const { normalization, referencePastWeight: pastWeight } = this.#config;
    const parameters = { normalization, pastWeight, intervalS: intervalS ?? 5 };
    const followed = this.#reference.follow(parameters, volts, intensity);
    if (followed.isUnstable) this.#reportUnstable(followed.health);
    if (reportsBrightness) {
      const { relative } = followed;
      this.#context.reading({ source: 'ir_led_relative_intensity', value: relative, atMs });
      const published = { relative_intensity_of_ir_led: relative, timestamp };
      this.#context.publish('relative_intensity_of_ir_led', published);
    }
    return followed;
  }

  /** Other jobs stop acting on these readings: `dosing_automation` pauses on this event. */
  #reportUnstable(relative: number): void {
    this.#context.event({ name: 'reference_unstable', data: { relative_intensity: relative } });
    if (this.#unstable.isDue())
      this.#context.log('WARNING', 'The reference photodiode jumps. Check that vial and LED sit firmly in the unit.');
  }

  /** An LED that does not obey is switched off by the guard, which tries until it succeeds. */
  async #ledOff(): Promise<void> {
    try {
      await this.#light.set(0);
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#fault.set(error);
    }
  }
}
