import type { Cancel, Clock } from '@lcs/platform';
import type { KernelFiles } from '../linux/kernel-files.ts';
import { systemError } from './test-kernel.ts';

interface Tuple {
  readonly brightness: number;
  readonly ms: number;
}

/** The trigger's data of one LED (`struct pattern_trig_data`). */
interface PatternTrigger {
  tuples: readonly Tuple[];
  current: number;
  next: number;
  dimmedMs: number;
  repeat: number;
  lastRepeat: number;
  isIndefinite: boolean;
  cancelTimer: Cancel;
}

interface FakeLed {
  brightness: number;
  trigger: PatternTrigger | undefined;
  deniedAttempts: number;
}

export interface FakeLedsOptions {
  /** Of the kernel: its timers run on when every program has ended. */
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly channels: readonly number[];
  /** `ledtrig-pattern` is loaded, and active from the start as the overlay asks for. Default. */
  readonly trigger?: 'active' | 'loaded' | 'missing';
  readonly maximum?: number;
  /** Periods of the overlay, nanoseconds. */
  readonly periodsNs?: Readonly<Record<number, number>>;
  /** So many attempts to write fail after a trigger was activated, as before udev has come. */
  readonly deniedAttempts?: number;
  /** Everything else below `/sys`. */
  readonly others?: KernelFiles;
}

/** One tick of the kernel, ms (250 Hz), and how late its timer wheel may be for longer times. */
const tickMs = 4;
const wheelMs = 32;
const dimmingMs = 50;

/**
 * `/sys/class/leds` with the rules of the kernel: `drivers/leds/led-class.c`, `led-triggers.c`, `trigger/ledtrig-pattern.c` and
 * `leds-pwm.c` (6.6 to 6.12), read and written anew.
 */
export class FakeLeds implements KernelFiles {
  /** What each output did, and when. */
  readonly changes: { readonly channel: number; readonly brightness: number; readonly atMs: number }[] = [];
  /** Writes of these files fail so. */
  readonly failures = new Map<string, string>();
  /** A write arrives in two parts. */
  isShort = false;
  /** It accepts patterns and does not run them. */
  isDeaf = false;
  readonly #options: FakeLedsOptions;
  readonly #leds = new Map<number, FakeLed>();

  constructor(options: FakeLedsOptions) {
    this.#options = options;
    for (const channel of options.channels) {
      this.#leds.set(channel, { brightness: 0, trigger: undefined, deniedAttempts: 0 });
      if ((options.trigger ?? 'active') === 'active') this.#activate(this.#led(channel));
    }
  }

  brightness(channel: number): number {
    return this.#led(channel).brightness;
  }

  async list(folder: string): Promise<readonly string[]> {
    if (folder === 'class/leds') return [...this.#leds.keys()].map((channel) => `lcs:pwm${channel}`);
    if (this.#options.others === undefined) throw systemError('ENOENT');
    return this.#options.others.list(folder);
  }

  async read(file: string): Promise<Uint8Array> {
    const { channel, attribute } = parsed(file);
    const led = channel === undefined ? undefined : this.#leds.get(channel);
    if (channel === undefined && this.#options.others !== undefined) return this.#options.others.read(file);
    if (led === undefined || channel === undefined) throw systemError('ENOENT');
    if (attribute === `device/of_node/pwm${channel}/pwms`) return this.#pwms(channel);
    return new TextEncoder().encode(`${this.#shown(led, attribute)}\n`);
  }

  async write(file: string, text: string): Promise<void> {
    const { channel, attribute } = parsed(file);
    if (channel === undefined && this.#options.others !== undefined) return this.#options.others.write(file, text);
    const led = channel === undefined ? undefined : this.#leds.get(channel);
    if (led === undefined || channel === undefined) throw systemError('ENOENT');
    const failure = this.failures.get(file);
    if (failure !== undefined) throw systemError(failure);
    if (led.deniedAttempts > 0) {
      led.deniedAttempts -= 1;
      throw systemError('EACCES');
    }
    const middle = Math.ceil(text.length / 2);
    const parts = this.isShort ? [text.slice(0, middle), text.slice(middle)] : [text];
    for (const part of parts) this.#store(led, channel, attribute, part);
  }

  #store(led: FakeLed, channel: number, attribute: string, text: string): void {
    switch (attribute) {
      case 'brightness':
        // A brightness of 0 removes the trigger.
        if (Number(text) === 0) this.#deactivate(led, channel);
        this.#set(led, channel, Math.min(Number(text), this.#maximum));
        return;
      case 'trigger':
        if (text.trim() !== 'none' && (text.trim() !== 'pattern' || this.#options.trigger === 'missing'))
          throw systemError('EINVAL');
        // Also when it is the same one.
        this.#deactivate(led, channel);
        if (text.trim() === 'pattern') this.#activate(led);
        return;
      case 'pattern':
        this.#storePattern(led, channel, text);
        return;
      case 'repeat':
        this.#storeRepeat(led, channel, Number(text));
        return;
      default:
        throw systemError('EACCES');
    }
  }

  #storePattern(led: FakeLed, channel: number, text: string): void {
    const trigger = triggerOf(led);
    trigger.cancelTimer();
    trigger.tuples = [];
    const tuples: Tuple[] = [];
    let rest = text;
    while (rest.length > 1) {
      const [found, brightness, ms] = /^\s*(\d+)\s+(\d+)\s*/.exec(rest) ?? [];
      // The output keeps its level, and no timer is left.
      if (found === undefined || Number(brightness) > this.#maximum) throw systemError('EINVAL');
      tuples.push({ brightness: Number(brightness), ms: Number(ms) });
      rest = rest.slice(found.length);
    }
    if (tuples.length < 2) throw systemError('EINVAL');
    trigger.tuples = tuples;
    this.#startPattern(led, trigger, channel);
  }

  #storeRepeat(led: FakeLed, channel: number, repeat: number): void {
    const trigger = triggerOf(led);
    if (!Number.isInteger(repeat) || repeat < -1 || repeat === 0) throw systemError('EINVAL');
    trigger.cancelTimer();
    trigger.repeat = repeat;
    trigger.lastRepeat = repeat;
    trigger.isIndefinite = repeat === -1;
    if (trigger.tuples.length > 0) this.#startPattern(led, trigger, channel);
  }

  #startPattern(led: FakeLed, trigger: PatternTrigger, channel: number): void {
    trigger.dimmedMs = 0;
    trigger.current = 0;
    trigger.next = 1;
    if (!this.isDeaf) this.#schedule(led, trigger, channel, 0);
  }

  #schedule(led: FakeLed, trigger: PatternTrigger, channel: number, ms: number): void {
    const lateMs = ms > 256 ? wheelMs : tickMs;
    trigger.cancelTimer = this.#options.clock.after(ms + lateMs, () => this.#run(led, trigger, channel));
  }

  /** `pattern_trig_timer_common_function` */
  #run(led: FakeLed, trigger: PatternTrigger, channel: number): void {
    for (;;) {
      if (!trigger.isIndefinite && trigger.repeat === 0) return;
      const [current, next] = [trigger.tuples[trigger.current], trigger.tuples[trigger.next]];
      if (current === undefined || next === undefined) return;
      if (current.brightness === next.brightness) {
        this.#set(led, channel, current.brightness);
        this.#schedule(led, trigger, channel, current.ms);
        if (next.ms === 0) advance(trigger);
        advance(trigger);
        return;
      }
      if (trigger.dimmedMs > current.ms) {
        advance(trigger);
        continue;
      }
      const isStep = trigger.dimmedMs === 0 || current.ms < dimmingMs;
      const way = isStep ? 0 : ((next.brightness - current.brightness) * trigger.dimmedMs) / current.ms;
      this.#set(led, channel, Math.trunc(current.brightness + way));
      this.#schedule(led, trigger, channel, dimmingMs);
      trigger.dimmedMs += dimmingMs;
      return;
    }
  }

  #activate(led: FakeLed): void {
    led.trigger = {
      tuples: [],
      current: 0,
      next: 1,
      dimmedMs: 0,
      repeat: 0,
      lastRepeat: 0,
      isIndefinite: true,
      cancelTimer: () => {},
    };
    led.deniedAttempts = this.#options.deniedAttempts ?? 0;
  }

  #deactivate(led: FakeLed, channel: number): void {
    if (led.trigger === undefined) return;
    led.trigger.cancelTimer();
    led.trigger = undefined;
    this.#set(led, channel, 0);
  }

  #set(led: FakeLed, channel: number, brightness: number): void {
    if (led.brightness === brightness) return;
    led.brightness = brightness;
    this.changes.push({ channel, brightness, atMs: this.#options.clock.monotonic() });
  }

  #shown(led: FakeLed, attribute: string): string | number {
    if (attribute === 'brightness') return led.brightness;
    if (attribute === 'max_brightness') return this.#maximum;
    if (attribute === 'trigger') {
      const known = this.#options.trigger === 'missing' ? '' : led.trigger === undefined ? ' pattern' : ' [pattern]';
      return `${led.trigger === undefined ? '[none]' : 'none'} timer heartbeat${known}`;
    }
    if (attribute === 'repeat') {
      const { isIndefinite, lastRepeat } = triggerOf(led);
      return isIndefinite ? -1 : lastRepeat;
    }
    throw systemError('ENOENT');
  }

  #pwms(channel: number): Uint8Array {
    const periodNs = this.#options.periodsNs?.[channel];
    if (periodNs === undefined) throw systemError('ENOENT');
    const cells = new DataView(new ArrayBuffer(16));
    cells.setUint32(0, 7);
    cells.setUint32(8, periodNs);
    return new Uint8Array(cells.buffer);
  }

  get #maximum(): number {
    return this.#options.maximum ?? 10_000;
  }

  #led(channel: number): FakeLed {
    const led = this.#leds.get(channel);
    if (led === undefined) throw new Error(`no LED ${channel}`);
    return led;
  }
}

/** `pattern_trig_update_patterns` */
function advance(trigger: PatternTrigger): void {
  trigger.current = trigger.next;
  if (!trigger.isIndefinite && trigger.current === 0) trigger.repeat -= 1;
  trigger.next = trigger.next === trigger.tuples.length - 1 ? 0 : trigger.next + 1;
  trigger.dimmedMs = 0;
}

function triggerOf({ trigger }: FakeLed): PatternTrigger {
  // The files of a trigger are there while it is active.
  if (trigger === undefined) throw systemError('ENOENT');
  return trigger;
}

function parsed(file: string): { readonly channel: number | undefined; readonly attribute: string } {
  const [, channel, attribute = ''] = /^class\/leds\/lcs:pwm(\d+)\/(.*)$/.exec(file) ?? [];
  return { channel: channel === undefined ? undefined : Number(channel), attribute };
}
