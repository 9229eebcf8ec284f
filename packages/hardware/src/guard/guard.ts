import type { Cancel, Clock, Service } from '@lcs/platform';
import { type BoardLayout, pwmChannels } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { Buses } from '../buses/buses.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import { GuardCore, type GuardCoreOptions, whileHeatingMs } from './guard-core.ts';
import {
  type GuardNotice,
  type GuardRequest,
  type GuardResponse,
  type OutputId,
  outputIds,
  type Wiring,
} from './guard-types.ts';
import { type OutputDriver, outputDrivers, pwmDriver } from './output-drivers.ts';

export interface GuardOptions extends GuardCoreOptions {
  readonly buses: Buses;
  readonly layout: BoardLayout;
  readonly clock: Clock;
  readonly notify: (notice: GuardNotice) => void;
}

/** An output that could not be switched is tried again this often. */
const retryMs = 100;

/** An output that has not responded for some time after the start is missing: it is retried at this interval. */
const absentRetryMs = 5000;
const absentFromMs = 2000;

/**
 * Drives the outputs as the core decides. In its own process, or in the process of the jobs where time is virtual.
 * Outputs to be switched off are written before those to be switched on.
 */
export class Guard implements Service {
  readonly name = 'actuator guard';
  readonly #options: GuardOptions;
  readonly #core: GuardCore;
  readonly #drivers: Map<OutputId, OutputDriver>;
  /** What `#drivers` were made for. */
  #wiring: Wiring;
  /** Outputs whose driver must be opened before the next write. */
  readonly #unopened = new Set<OutputId>();
  readonly #sensor: Tmp1075;
  /** The level last written; missing when unknown, after a failure. */
  readonly #written = new Map<OutputId, number>();
  #writing: Promise<void> | undefined;
  #cancelDue: Cancel = () => {};
  /** When the timer is due, while one is set. */
  #armedMs: number | undefined;
  #temperatureTriedMs = Number.NEGATIVE_INFINITY;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** Outputs of the last round that failed. */
  readonly #failed = new Set<OutputId>();
  /** Outputs that have not responded since the start, and the time of the next attempt for each. */
  readonly #absent = new Map<OutputId, number>();
  /** Outputs whose failure was reported and that still fail. */
  readonly #reported = new Set<OutputId>();

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#core = new GuardCore(options);
    this.#wiring = options.wiring;
    this.#drivers = outputDrivers(options.buses, options.layout, options.wiring);
    this.#sensor = new Tmp1075(options.buses.i2c, options.layout.temperatureAddress);
  }

  /**
   * Switches everything off; each output is tried, even when another one fails. A unit starts without the chips that it has
   * not: an output that cannot be driven is reported, refused to every lease, and retried.
   */
  async start(): Promise<void> {
    this.#startedMs = this.#now();
    for (const [output, driver] of this.#drivers) {
      try {
        await driver.open();
        this.#written.set(output, 0);
      } catch (error) {
        this.#unopened.add(output);
        this.#absent.set(output, this.#now() + retryMs);
        this.#reportFailure(output, error);
      }
    }
    this.#arm();
  }

  /** Everything off, then no timer is left. */
  async stop(): Promise<void> {
    await this.parentLost();
    this.#disarm();
  }

  /** Decides and drives; the response follows when the outputs have their level. */
  async request(request: GuardRequest): Promise<GuardResponse> {
    if (request.kind === 'set' && request.percent > 0 && this.#core.isHeater(request.output)) {
      await this.#readTemperature(this.#now());
    }
    const response = this.#core.handle(request, this.#now());
    const driven = this.#drive();
    // A heartbeat has an immediate response, even while a chip is slow: otherwise the node would count the guard as stalled.
    if (request.kind !== 'renew') await driven;
    if (response.ok && request.kind === 'set' && this.#failed.has(request.output)) {
      return { ok: false, code: 'output_failed' };
    }
    return response;
  }

  /** The connection to the node has ended. Resolves when everything is off, or every output was tried once. */
  async parentLost(): Promise<void> {
    this.#core.parentLost(this.#now());
    // Another process may have switched it on before this guard started: write it once more.
    for (const output of this.#absent.keys()) this.#absent.set(output, this.#now());
    await this.#drive();
  }

  /** Whether every output is known to be off. */
  get isSafe(): boolean {
    return outputIds.every((output) => this.#written.get(output) === 0);
  }

  /** Whether all outputs are known to be off, except those that have never responded. */
  get onlyAbsentLeft(): boolean {
    return outputIds.every((output) => this.#written.get(output) === 0 || this.#absent.has(output));
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  async #runDue(): Promise<void> {
    this.#core.pass(this.#now());
    // Tried from now on: while the outputs are written only the other times are due.
    if (this.#isTemperatureOld(this.#now())) this.#temperatureTriedMs = this.#now();
    // Switch off before reading: a broken sensor may take long to fail.
    await this.#drive();
    if (this.#core.temperatureEveryMs(this.#now()) === undefined) return;
    await this.#readTemperature(this.#now());
    await this.#drive();
  }

  async #drive(): Promise<void> {
    for (const notice of this.#core.takeNotices()) this.#options.notify(notice);
    this.#followWiring();
    if (this.#writing !== undefined || this.#failed.size > 0 || this.#mostUrgent() !== undefined) {
      this.#writing ??= this.#write();
      await this.#writing;
      for (const notice of this.#core.takeNotices()) this.#options.notify(notice);
    }
    this.#arm();
  }

  /** Channels with another frequency get another driver. They are off; writing that again opens it. */
  #followWiring(): void {
    const { wiring } = this.#core;
    if (wiring === this.#wiring) return;
    for (const channel of pwmChannels) {
      if (wiring[channel]?.hertz === this.#wiring[channel]?.hertz) continue;
      this.#drivers.set(`pwm${channel}`, pwmDriver(this.#options.buses, wiring, channel));
      this.#unopened.add(`pwm${channel}`);
      this.#written.delete(`pwm${channel}`);
    }
    this.#wiring = wiring;
  }

  #arm(): void {
    const nowMs = this.#now();
    let dueMs = this.#core.nextDueMs();
    const readEveryMs = this.#core.temperatureEveryMs(nowMs);
    if (readEveryMs !== undefined) dueMs = Math.min(dueMs, this.#temperatureTriedMs + readEveryMs);
    for (const output of this.#failed) if (!this.#absent.has(output)) dueMs = Math.min(dueMs, nowMs + retryMs);
    for (const retriedMs of this.#absent.values()) dueMs = Math.min(dueMs, retriedMs);
    // Each command of a job arms: mostly for the same time.
    if (dueMs === this.#armedMs) return;
    this.#disarm();
    if (!Number.isFinite(dueMs)) return;
    this.#armedMs = dueMs;
    this.#cancelDue = this.#options.clock.after(dueMs - nowMs, () => {
      this.#armedMs = undefined;
      void this.#runDue();
    });
  }

  #disarm(): void {
    this.#cancelDue();
    this.#armedMs = undefined;
  }

  /** Writes until chips and core agree, one output at a time; each failed one is left to the next round. */
  async #write(): Promise<void> {
    this.#failed.clear();
    let output = this.#mostUrgent();
    // A round without a write must not end before the caller has stored the promise.
    if (output === undefined) await Promise.resolve();
    try {
      while (output !== undefined) {
        await this.#writeOne(output, this.#core.level(output));
        output = this.#mostUrgent();
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #mostUrgent(): OutputId | undefined {
    let wrong: OutputId | undefined;
    for (const output of outputIds) {
      const level = this.#core.level(output);
      if (this.#failed.has(output) || this.#written.get(output) === level) continue;
      // Not at each heartbeat: a bus that hangs would delay the others.
      if (level === 0 && (this.#absent.get(output) ?? 0) > this.#now()) continue;
      if (level === 0) return output;
      wrong ??= output;
    }
    return wrong;
  }

  async #writeOne(output: OutputId, percent: number): Promise<void> {
    try {
      const driver = this.#drivers.get(output);
      if (this.#unopened.has(output)) await driver?.open();
      // Another wiring may have arrived in the meantime, with another driver to open.
      if (driver === this.#drivers.get(output)) this.#unopened.delete(output);
      await driver?.set(percent);
      this.#written.set(output, percent);
      this.#absent.delete(output);
      this.#reported.delete(output);
    } catch (error) {
      // Any failure: the others must still be switched, "off" above all.
      this.#written.delete(output);
      this.#failed.add(output);
      if (this.#absent.has(output)) this.#absent.set(output, this.#now() + this.#absentWaitMs());
      this.#core.outputFailed(output, this.#now());
      this.#reportFailure(output, error);
    }
  }

  #absentWaitMs(): number {
    return this.#now() - this.#startedMs < absentFromMs ? retryMs : absentRetryMs;
  }

  #reportFailure(output: OutputId, error: unknown): void {
    if (!this.#reported.has(output)) {
      // A programming mistake includes the name of its error: the message does not contain it.
      const reason = error instanceof BusError ? error.message : String(error);
      this.#options.notify({ what: 'output_failed', output, reason });
    }
    this.#reported.add(output);
  }

  #isTemperatureOld(nowMs: number): boolean {
    // Sums of fractions of milliseconds may be slightly less than the due time.
    const everyMs = this.#core.temperatureEveryMs(nowMs) ?? whileHeatingMs;
    return this.#core.temperatureAgeMs(nowMs) >= everyMs - 1;
  }

  /** A failed reading is none: after 30 s without one the core switches the heater off and reports it. */
  async #readTemperature(nowMs: number): Promise<void> {
    if (!this.#isTemperatureOld(nowMs)) return;
    this.#temperatureTriedMs = nowMs;
    try {
      this.#core.temperatureRead(await this.#sensor.readCelsius(), this.#now());
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
    }
  }
}
