import { measuredRpm, readSetting, startKick, stirringSettings } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { irOutputOf, odConfig } from '../od-reading/od-config.ts';
import { HeldOutput, whileRunning } from '../shared/held-output.ts';
import { pwmOutput } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';

/** Time limit of a test. */
const longestTestMs = 180_000;

/** Conversions of one reading: ten periods of mains hum at 50 Hz, twelve at 60 Hz. */
const conversions = 26;

/** Settling time of the LED and the converter. */
const litMs = 125;

const allLeds = ['ledA', 'ledB', 'ledC', 'ledD'] as const;

/** A test exceeded its time limit. */
export class TookTooLong extends Error {
  constructor() {
    super(`It was not done within ${longestTestMs / 1000} s.`);
    this.name = 'TookTooLong';
  }
}

/** The configuration names a photodiode that the board does not have. */
export class PhotodiodeMissing extends Error {
  constructor(channel: string) {
    super(`The board has no photodiode ${channel}, which is configured.`);
    this.name = 'PhotodiodeMissing';
  }
}

/** The test bench of a unit's hardware: its outputs, held during the tests, and its sensors. */
export class SelfTestRig {
  readonly #context: JobContext;
  readonly devices: UnitDevices;
  readonly od: ReturnType<typeof odConfig>;
  readonly initialDuty: number;
  readonly #held = new Map<string, HeldOutput>();
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(context: JobContext, devices: UnitDevices) {
    this.#context = context;
    this.devices = devices;
    this.od = odConfig(context);
    this.initialDuty = readSetting(context.config, stirringSettings.initialDuty);
  }

  /** Acquires all outputs, so that other jobs cannot disturb a test. @throws the rejection of the guard */
  async begin(): Promise<void> {
    for (const output of [...allLeds, this.#stirrer, this.#heater])
      this.#held.set(output, await HeldOutput.take(this.#context, output));
  }

  /** Restarts the time limit for the next test. */
  nextTest(): void {
    this.#endsAtMs = this.#context.clock.monotonic() + longestTestMs;
  }

  /** Switches all outputs off. @throws the rejection of the guard */
  async allOff(): Promise<void> {
    this.#endsAtMs = Number.POSITIVE_INFINITY;
    for (const output of this.#held.values()) await output.set(0);
  }

  async end(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const output of held) await output.release();
  }

  async rest(ms: number): Promise<void> {
    await this.#context.clock.sleep(Math.max(0, Math.min(ms, this.#endsAtMs - this.#context.clock.monotonic())));
    if (this.#context.clock.monotonic() >= this.#endsAtMs) throw new TookTooLong();
  }

  /** The infrared LED, %. */
  async light(percent: number): Promise<void> {
    await this.#set(irOutputOf(this.#context.config), percent);
    const settling = this.od.channels.map(({ channel }) => this.devices.photodiodes.get(channel)?.settlingMs ?? 0);
    await this.rest(Math.max(litMs, ...settling));
  }

  stir(duty: number): Promise<void> {
    return this.#set(this.#stirrer, duty);
  }

  heat(duty: number): Promise<void> {
    return this.#set(this.#heater, duty);
  }

  /** Starts the stirrer with a kick and brings it to `duty` (%). */
  async spinUp(duty: number, settleMs: number): Promise<void> {
    for (const kick of startKick) {
      await this.stir(kick.duty);
      await this.rest(1000 * kick.seconds);
    }
    await this.stir(duty);
    await this.rest(settleMs);
  }

  /** The mean RPM over `windowMs`. @throws BusError */
  async rpm(windowMs: number): Promise<number> {
    const { signal } = this.#context;
    const edgesUs = await whileRunning(signal, this.devices.hallSensor.measure(windowMs, signal));
    await this.rest(0);
    return measuredRpm(edgesUs.map((edgeUs) => edgeUs / 1e6));
  }

  /** Of the heater's board, °C. @throws BusError */
  boardC(): Promise<number> {
    return whileRunning(this.#context.signal, this.devices.boardTemperature.readCelsius());
  }

  /** Volts by photodiode, each the mean of one reading; photodiodes without a converter are omitted. @throws BusError */
  async volts(): Promise<Readonly<Record<string, number>>> {
    const seen: Record<string, number> = {};
    for (const { channel } of this.od.channels) {
      const photodiode = this.devices.photodiodes.get(channel);
      if (photodiode === undefined) throw new PhotodiodeMissing(channel);
      await whileRunning(this.#context.signal, photodiode.setGain(1));
      const all = await whileRunning(this.#context.signal, photodiode.readSeries(conversions));
      seen[channel] = all.reduce((sum, value) => sum + value, 0) / all.length;
    }
    await this.rest(0);
    return seen;
  }

  /** The mean of several readings by photodiode. @throws BusError */
  async meanVolts(readings: number, spacingMs = 0): Promise<Readonly<Record<string, number>>> {
    const all: Readonly<Record<string, number>>[] = [];
    for (let index = 0; index < readings; index += 1) {
      all.push(await this.volts());
      await this.rest(spacingMs);
    }
    return Object.fromEntries(
      this.od.channels.map(({ channel }) => [
        channel,
        all.reduce((sum, one) => sum + (one[channel] ?? 0), 0) / readings,
      ]),
    );
  }

  /** Letter of the infrared LED. */
  get irLed(): string {
    return irOutputOf(this.#context.config).slice(-1);
  }

  get #stirrer(): string {
    return pwmOutput(this.#context.config, 'stirring');
  }

  get #heater(): string {
    return pwmOutput(this.#context.config, 'heating');
  }

  async #set(output: string, percent: number): Promise<void> {
    await this.rest(0);
    await this.#held.get(output)?.set(percent);
  }
}
