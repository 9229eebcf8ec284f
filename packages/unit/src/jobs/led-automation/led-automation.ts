import type { Json } from '@lcs/contract';
import type { ActuationReason, LedAutomation as Automation, LightCommand } from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import type { EndReason, JobContext } from '@lcs/node';
import { type Cancel, StoreError } from '@lcs/platform';
import { AutomationLog } from '../shared/automation-log.ts';
import { endRule } from '../shared/end-rule.ts';
import { isHardwareFault } from '../shared/hardware-fault.ts';
import { type HeldLeds, LedLocked } from '../shared/held-leds.ts';
import type { UnitDevices } from '../unit-devices.ts';
import type { KeptLight } from './kept-light.ts';

/** The shortest time to the next check. Value of a similar system. */
const leastWaitMs = 50;

/** Number and interval of retries when an LED could not be set. Values of a similar system. */
const tries = { most: 6, apartMs: 500 };

/** The time to the next check after failed retries, so that a short fault does not keep a night lit. Chosen. */
const evaluateAgainMs = 60_000;

export interface LedSetup {
  readonly automation: Automation;
  readonly settings: Readonly<Record<string, number>>;
  /** The origin of the phases, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** The held level before a restart, %; undefined: none. */
  readonly heldPercent: number | undefined;
  readonly recordEvent: UnitDevices['recordEvent'];
}

/** Sets the LEDs by the rule, at each moment at which its result changes. */
export class LedAutomation {
  readonly #context: JobContext;
  readonly #setup: LedSetup;
  readonly #leds: HeldLeds;
  readonly #kept: KeptLight;
  readonly #automationLog: AutomationLog;
  readonly #settings: Map<string, number>;
  /** By the monotonic clock: setting the clock must not change the phase. */
  readonly #startMs: number;
  #cancel: Cancel = () => {};
  #isPaused = false;
  #hasEvaluated = false;
  /** The level that was set last, %; undefined: none yet, or not on all LEDs. */
  #percent: number | undefined;
  /** The level that was last reported, %. */
  #reportedFailures = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(context: JobContext, setup: LedSetup, leds: HeldLeds, kept: KeptLight) {
    const { clock } = context;
    this.#context = context;
    this.#setup = setup;
    this.#leds = leds;
    this.#kept = kept;
    this.#automationLog = new AutomationLog(context, 'led', setup.automation.name, setup.recordEvent);
    this.#settings = new Map(Object.entries(setup.settings));
    this.#startMs = clock.monotonic() - Math.max(0, clock.now() - setup.sinceMs);
  }

  begin(): void {
    for (const [name, value] of this.#settings) this.#context.publish(name, value);
    this.#automationLog.recordSettings(Object.fromEntries(this.#settings));
    if (this.#setup.automation.channels.length > 0) this.#context.clock.after(0, () => this.#evaluate());
  }

  apply(values: Readonly<Record<string, Json>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'number' && this.#settings.has(name)) this.#settings.set(name, value);
    }
    this.#automationLog.recordSettings(Object.fromEntries(this.#settings));
    if (this.#setup.automation.channels.length > 0) this.#context.clock.after(0, () => this.#evaluate());
  }

  /** The LEDs keep their level, or that of its sleep before a restart. */
  async sleep(): Promise<void> {
    this.#isPaused = true;
    this.#cancel();
    const { heldPercent } = this.#setup;
    if (!this.#hasEvaluated && heldPercent !== undefined) {
      this.#hasEvaluated = true;
      const rule = 'The light stays as it was when the job was paused.';
      const held = { percent: heldPercent, changesInMs: undefined, rule };
      this.#context.clock.after(0, () => this.#inTurn(() => this.#setAll(held)));
      return;
    }
    await this.#keep(this.#percent);
  }

  async wake(): Promise<void> {
    this.#isPaused = false;
    await this.#evaluate();
    await this.#keep(undefined);
  }

  stop(reason: EndReason): Promise<void> {
    this.#automationLog.end();
    return this.#leds.release({ origin: this.#origin, rule: endRule(reason) });
  }

  get #origin(): string {
    return `${this.#context.jobName}:${this.#setup.automation.name}`;
  }

  #evaluate(): Promise<void> {
    return this.#inTurn(() => this.#evaluateOnce());
  }

  /** Serialises the checks that set LEDs. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  /** The light keeps its level even if that cannot be recorded. */
  async #keep(percent: number | undefined): Promise<void> {
    try {
      await this.#kept.hold(percent);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#context.log('WARNING', `The light that is held could not be recorded for a restart: ${error.message}.`);
    }
  }

  async #evaluateOnce(): Promise<void> {
    this.#cancel();
    if (this.#isPaused) return;
    this.#hasEvaluated = true;
    const { clock } = this.#context;
    const order = this.#setup.automation.evaluate(clock.monotonic() - this.#startMs, (name) => this.#setting(name));
    if (order.changesInMs !== undefined)
      this.#cancel = clock.after(Math.max(leastWaitMs, order.changesInMs), () => this.#evaluate());
    if (order.percent === this.#percent) return;
    await this.#setAll(order);
    if (this.#percent === undefined && !this.#isPaused) this.#evaluateWithin(evaluateAgainMs, order.changesInMs);
  }

  #evaluateWithin(mostMs: number, changesInMs = mostMs): void {
    this.#cancel();
    const waitMs = Math.max(leastWaitMs, Math.min(mostMs, changesInMs));
    this.#cancel = this.#context.clock.after(waitMs, () => this.#evaluate());
  }

  #setting(name: string): number {
    const value = this.#settings.get(name);
    if (value === undefined) throw new Error(`The automation does not declare ${name}.`);
    return value;
  }

  async #setAll({ percent, rule }: LightCommand): Promise<void> {
    const { channels } = this.#setup.automation;
    const because: ActuationReason = { origin: this.#origin, rule, settings: Object.fromEntries(this.#settings) };
    const before = this.#reportedFailures;
    this.#percent = percent;
    for (const channel of channels) await this.#try(() => this.#leds.set(channel, percent, because), channel);
    if (before === percent || this.#percent === undefined) return;
    this.#reportedFailures = percent;
    const message = `LEDs ${channels.join(' and ')} go from ${before} % to ${percent} %.`;
    const data = { intensity: percent, channels: [...channels] };
    this.#automationLog.recordEvent({ name: 'ChangedLedIntensity', message, data });
    this.#context.log('INFO', message);
  }

  /** Waits for the end of a temporary fault, such as an OD reading. */
  async #try(set: () => Promise<void>, channel: string): Promise<void> {
    const { clock, signal, log } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await set();
      } catch (error) {
        signal.throwIfAborted();
        const mayPass = error instanceof LedLocked || error instanceof GuardRefused || isHardwareFault(error);
        if (!mayPass) throw error;
        if (attempt >= tries.most) {
          // It is retried soon.
          this.#percent = undefined;
          log('WARNING', `LED ${channel} could not be set after ${attempt} attempts: ${error.message}`);
          return;
        }
        await clock.sleep(tries.apartMs);
      }
    }
  }
}
