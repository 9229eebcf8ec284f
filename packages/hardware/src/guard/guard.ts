import type { Cancel, Clock, Service } from '@lcs/platform';
import { type BoardLayout, pwmChannels } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { Buses } from '../buses/buses.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import { GuardCore, type GuardCoreOptions, whileHeatingMs } from './guard-core.ts';
import type { GuardNotice, GuardRequest, GuardResponse, OutputId, Wiring } from './guard-types.ts';
import { ledDrivers, pwmDriver, pwmDrivers } from './output-drivers.ts';
import { OutputWriter } from './output-writer.ts';

export interface GuardOptions extends GuardCoreOptions {
  readonly buses: Buses;
  readonly layout: BoardLayout;
  readonly clock: Clock;
  readonly notify: (notice: GuardNotice) => void;
  /** A mistake of the program: what the guard decides cannot be relied upon any more. Default: the process ends with the error. */
  readonly onUnexpected?: (error: unknown) => void;
}

/** A timer that comes so late was held up with the whole process. Shorter stalls hide no heartbeat until the node counts as silent. */
const stalledFromMs = 500;

/** A programming mistake includes the name of its error: the message does not contain it. */
const reasonOf = (error: unknown): string => (error instanceof BusError ? error.message : String(error));

/**
 * Drives the outputs as the core decides. In its own process, or in the process of the jobs where time is virtual.
 * Outputs to be switched off are written before those to be switched on; PWM does not wait for I2C.
 */
export class Guard implements Service {
  readonly name = 'actuator guard';
  readonly #options: GuardOptions;
  readonly #core: GuardCore;
  readonly #pwm: OutputWriter;
  readonly #leds: OutputWriter;
  /** What the drivers of `#pwm` were made for. */
  #wiring: Wiring;
  readonly #sensor: Tmp1075;
  #cancelDue: Cancel = () => {};
  /** When the timer is due, while one is set. */
  #armedMs: number | undefined;
  #temperatureTriedMs = Number.NEGATIVE_INFINITY;
  /** The present reading: a sensor that hangs must not take further threads from the writes of PWM. */
  #reading: Promise<void> | undefined;
  /** Whether a reading failed by a mistake of the program, and none succeeded since. */
  #isSensorReported = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#core = new GuardCore(options);
    this.#wiring = options.wiring;
    const { buses, layout, clock, wiring } = options;
    const common = {
      clock,
      // Without a node to watch, the board is a simulated one in this process.
      rewrites: options.watch !== undefined,
      level: (output: OutputId) => this.#core.level(output),
      onFailed: (output: OutputId) => this.#core.outputFailed(output, this.#now()),
      onWentOff: (output: OutputId, atMs: number) => this.#core.outputWentOff(output, atMs),
      report: (output: OutputId, error: unknown) =>
        this.#notify({ what: 'output_failed', output, reason: reasonOf(error) }),
    };
    this.#pwm = new OutputWriter({ ...common, drivers: pwmDrivers(buses, wiring) });
    this.#leds = new OutputWriter({ ...common, drivers: ledDrivers(buses, layout) });
    this.#sensor = new Tmp1075(buses.i2c, layout.temperatureAddress);
  }

  /**
   * Switches everything off; each output is tried, even when another one fails. A unit starts without the chips that it has
   * not: an output that cannot be driven is reported, refused to every lease, and retried.
   */
  async start(): Promise<void> {
    await Promise.all([this.#pwm.open(), this.#leds.open()]);
    this.#arm();
  }

  /** Everything off, then no timer is left. */
  async stop(): Promise<void> {
    await this.parentLost();
    this.#disarm();
  }

  /** Decides and drives; the response follows when the outputs that it concerns have their level. */
  async request(request: GuardRequest): Promise<GuardResponse> {
    if (request.kind === 'set' && request.percent > 0 && this.#core.isHeater(request.output)) {
      const nowMs = this.#now();
      if (this.#isTemperatureOld(nowMs)) await this.#readTemperature(nowMs);
    }
    this.#excuseOwnStall();
    const response = this.#core.handle(request, this.#now());
    const [pwm, leds] = this.#drive();
    // A heartbeat has an immediate response, even while a chip is slow: otherwise the node would count the guard as stalled.
    if (request.kind === 'renew') return response;
    if (pwm !== undefined && concerns(request, this.#pwm)) await pwm;
    if (leds !== undefined && concerns(request, this.#leds)) await leds;
    if (response.ok && request.kind === 'set' && this.#hasFailed(request.output)) {
      this.#core.outputFailed(request.output, this.#now());
      return { ok: false, code: 'output_failed' };
    }
    return response;
  }

  /** The connection to the node has ended. Resolves when everything is off, or every output was tried once. */
  async parentLost(): Promise<void> {
    this.#core.parentLost(this.#now());
    // Another process may have switched it on before this guard started: write it once more.
    this.#pwm.retryAbsent();
    this.#leds.retryAbsent();
    await Promise.all(this.#drive());
  }

  /** Whether every output is known to be off. */
  get isSafe(): boolean {
    return this.#pwm.isSafe && this.#leds.isSafe;
  }

  /** Whether all outputs are known to be off, except those that have never responded. */
  get onlyAbsentLeft(): boolean {
    return this.#pwm.onlyAbsentLeft && this.#leds.onlyAbsentLeft;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #hasFailed(output: OutputId): boolean {
    return this.#pwm.hasFailed(output) || this.#leds.hasFailed(output);
  }

  /** The listener must not prevent what is decided from being driven. */
  #notify(notice: GuardNotice): void {
    try {
      this.#options.notify(notice);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const { onUnexpected } = this.#options;
    if (onUnexpected !== undefined) onUnexpected(error);
    // Not here: what is decided is still driven.
    else
      queueMicrotask(() => {
        throw error;
      });
  }

  /** Messages of the node may have waited while this process did not run. */
  #excuseOwnStall(): void {
    const nowMs = this.#now();
    if (nowMs - (this.#armedMs ?? Number.POSITIVE_INFINITY) >= stalledFromMs) this.#core.excuseParent(nowMs);
  }

  async #runDue(): Promise<void> {
    this.#core.pass(this.#now());
    // Tried from now on: while the outputs are written only the other times are due.
    const isOld = this.#isTemperatureOld(this.#now());
    if (isOld) this.#temperatureTriedMs = this.#now();
    // Switch off before reading: a broken sensor may take long to fail.
    const [pwm] = this.#drive();
    if (pwm !== undefined) await pwm;
    if (this.#core.temperatureEveryMs(this.#now()) === undefined) return;
    // Who began the present reading drives after it.
    if (this.#reading !== undefined) return;
    await this.#readTemperature(this.#now());
    this.#drive();
  }

  /** Begins to drive what is decided, on both buses; undefined: nothing is to be done there. */
  #drive(): readonly [pwm: Promise<void> | undefined, leds: Promise<void> | undefined] {
    this.#takeNotices();
    this.#followWiring();
    const pwm = this.#pwm.write();
    const leds = this.#leds.write();
    this.#arm();
    return [pwm && this.#driven(pwm), leds && this.#driven(leds)];
  }

  async #driven(writing: Promise<void>): Promise<void> {
    try {
      await writing;
      this.#takeNotices();
      this.#arm();
    } catch (error) {
      this.#fail(error);
    }
  }

  #takeNotices(): void {
    for (const notice of this.#core.takeNotices()) this.#notify(notice);
  }

  /** Channels with another frequency get another driver. They are off; writing that again opens it. */
  #followWiring(): void {
    const { wiring } = this.#core;
    if (wiring === this.#wiring) return;
    for (const channel of pwmChannels) {
      if (wiring[channel]?.hertz === this.#wiring[channel]?.hertz) continue;
      this.#pwm.replace(`pwm${channel}`, pwmDriver(this.#options.buses, wiring, channel));
    }
    this.#wiring = wiring;
  }

  #arm(): void {
    const nowMs = this.#now();
    let dueMs = Math.min(this.#core.nextDueMs(), this.#pwm.nextDueMs(nowMs), this.#leds.nextDueMs(nowMs));
    const readEveryMs = this.#core.temperatureEveryMs(nowMs);
    if (readEveryMs !== undefined) dueMs = Math.min(dueMs, this.#temperatureTriedMs + readEveryMs);
    // Each command of a job arms: mostly for the same time.
    if (dueMs === this.#armedMs) return;
    this.#disarm();
    if (!Number.isFinite(dueMs)) return;
    this.#armedMs = dueMs;
    this.#cancelDue = this.#options.clock.after(dueMs - nowMs, () => {
      this.#excuseOwnStall();
      this.#armedMs = undefined;
      void this.#runDue().catch((error: unknown) => this.#fail(error));
    });
  }

  #disarm(): void {
    this.#cancelDue();
    this.#armedMs = undefined;
  }

  #isTemperatureOld(nowMs: number): boolean {
    // Sums of fractions of milliseconds may be slightly less than the due time.
    const everyMs = this.#core.temperatureEveryMs(nowMs) ?? whileHeatingMs;
    return this.#core.temperatureAgeMs(nowMs) >= everyMs - 1;
  }

  /** A failed reading is none, whatever the reason: after 30 s without one the core switches the heater off and reports it. */
  async #readTemperature(nowMs: number): Promise<void> {
    if (!this.#isTemperatureOld(nowMs)) return;
    this.#temperatureTriedMs = nowMs;
    this.#reading ??= this.#tryReading().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #tryReading(): Promise<void> {
    try {
      const celsius = await this.#sensor.readCelsius();
      this.#isSensorReported = false;
      this.#core.temperatureRead(celsius, this.#now());
    } catch (error) {
      if (error instanceof BusError) return;
      const output = this.#core.heater;
      if (!this.#isSensorReported && output !== undefined)
        this.#notify({ what: 'output_failed', output, reason: `its temperature cannot be read: ${String(error)}` });
      this.#isSensorReported = true;
    }
  }
}

/** Whether the response to a request waits for the outputs of a writer. */
function concerns(request: GuardRequest, writer: OutputWriter): boolean {
  switch (request.kind) {
    case 'set':
      return writer.has(request.output);
    case 'acquire':
      return request.outputs.some((output) => writer.has(output));
    case 'stop':
      return request.outputs?.some((output) => writer.has(output)) ?? true;
    default:
      return true;
  }
}
