import type { Json } from '@lcs/contract';
import type { ActuationReason, LedAutomation as Automation, LightCommand } from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import type { Cancel, EndReason, JobContext } from '@lcs/platform';
import { AutomationVoice } from '../shared/automation-voice.ts';
import { endRule } from '../shared/end-rule.ts';
import { type HeldLeds, LedLocked } from '../shared/held-leds.ts';
import { isHardwareTrouble } from '../shared/trouble.ts';

/** The next look is never nearer than this. As a similar system has it. */
const leastWaitMs = 50;

/** An LED that could not be set is tried again so often, so far apart. As a similar system has it. */
const tries = { most: 6, apartMs: 500 };

/** After that it is looked at again so much later: a night must not stay lit for a trouble of seconds. Chosen. */
const lookAgainMs = 60_000;

export interface LedSetup {
  readonly automation: Automation;
  readonly settings: Readonly<Record<string, number>>;
  /** Milliseconds since 1970: what the phases are counted from. */
  readonly sinceMs: number;
}

/** Sets the LEDs as the rule says, at the moment at which it says something else. */
export class LedAutomation {
  readonly #context: JobContext;
  readonly #setup: LedSetup;
  readonly #leds: HeldLeds;
  readonly #voice: AutomationVoice;
  readonly #settings: Map<string, number>;
  /** Of the monotonic clock: a clock that is set must not turn night into day. */
  readonly #startMs: number;
  #cancel: Cancel = () => {};
  #isAsleep = false;
  /** What was set last, %; undefined: nothing as yet, or not all of them could be. */
  #percent: number | undefined;
  /** What was last told to be in force, %. */
  #told = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(context: JobContext, setup: LedSetup, leds: HeldLeds) {
    const { clock } = context;
    this.#context = context;
    this.#setup = setup;
    this.#leds = leds;
    this.#voice = new AutomationVoice(context, 'led', setup.automation.name);
    this.#settings = new Map(Object.entries(setup.settings));
    this.#startMs = clock.monotonic() - Math.max(0, clock.now() - setup.sinceMs);
  }

  begin(): void {
    for (const [name, value] of this.#settings) this.#context.publish(name, value);
    this.#voice.inForce(Object.fromEntries(this.#settings));
    if (this.#setup.automation.channels.length > 0) this.#context.clock.after(0, () => this.#look());
  }

  apply(values: Readonly<Record<string, Json>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'number' && this.#settings.has(name)) this.#settings.set(name, value);
    }
    this.#voice.inForce(Object.fromEntries(this.#settings));
    if (this.#setup.automation.channels.length > 0) this.#context.clock.after(0, () => this.#look());
  }

  /** The LEDs stay as they are. */
  sleep(): void {
    this.#isAsleep = true;
    this.#cancel();
  }

  wake(): Promise<void> {
    this.#isAsleep = false;
    return this.#look();
  }

  stop(reason: EndReason): Promise<void> {
    return this.#leds.release({ origin: this.#origin, rule: endRule(reason) });
  }

  get #origin(): string {
    return `${this.#context.jobName}:${this.#setup.automation.name}`;
  }

  /** One look after the other. */
  #look(): Promise<void> {
    this.#work = this.#work.then(() => this.#lookOnce());
    return this.#work;
  }

  async #lookOnce(): Promise<void> {
    this.#cancel();
    if (this.#isAsleep) return;
    const { clock } = this.#context;
    const order = this.#setup.automation.evaluate(clock.monotonic() - this.#startMs, (name) => this.#setting(name));
    if (order.changesInMs !== undefined)
      this.#cancel = clock.after(Math.max(leastWaitMs, order.changesInMs), () => this.#look());
    if (order.percent === this.#percent) return;
    await this.#setAll(order);
    if (this.#percent === undefined && !this.#isAsleep) this.#lookWithin(lookAgainMs, order.changesInMs);
  }

  #lookWithin(mostMs: number, changesInMs = mostMs): void {
    this.#cancel();
    const waitMs = Math.max(leastWaitMs, Math.min(mostMs, changesInMs));
    this.#cancel = this.#context.clock.after(waitMs, () => this.#look());
  }

  #setting(name: string): number {
    const value = this.#settings.get(name);
    if (value === undefined) throw new Error(`The automation does not declare ${name}.`);
    return value;
  }

  async #setAll({ percent, rule }: LightCommand): Promise<void> {
    const { channels } = this.#setup.automation;
    const because: ActuationReason = { origin: this.#origin, rule, settings: Object.fromEntries(this.#settings) };
    const before = this.#told;
    this.#percent = percent;
    for (const channel of channels) await this.#try(() => this.#leds.set(channel, percent, because), channel);
    if (before === percent || this.#percent === undefined) return;
    this.#told = percent;
    const message = `LEDs ${channels.join(' and ')} go from ${before} % to ${percent} %.`;
    const data = { intensity: percent, channels: [...channels] };
    this.#voice.tell({ name: 'ChangedLedIntensity', message, data });
    this.#context.log('INFO', `ChangedLedIntensity: ${message}`);
  }

  /** Waits out what passes, as an optical reading does. */
  async #try(set: () => Promise<void>, channel: string): Promise<void> {
    const { clock, signal, log } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await set();
      } catch (error) {
        signal.throwIfAborted();
        const mayPass = error instanceof LedLocked || error instanceof GuardRefused || isHardwareTrouble(error);
        if (!mayPass) throw error;
        if (attempt >= tries.most) {
          // It is tried again soon.
          this.#percent = undefined;
          log('WARNING', `LED ${channel} could not be set after ${attempt} attempts: ${error.message}`);
          return;
        }
        await clock.sleep(tries.apartMs);
      }
    }
  }
}
