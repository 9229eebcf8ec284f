import type { I2cExchange } from '../linux/chips.transcript.ts';
import type { I2cBinding, I2cConnection } from '../linux/i2c-binding.ts';
import type { KernelFiles } from '../linux/kernel-files.ts';
import type { PwmChipTranscript } from '../linux/raspberry-pi.transcript.ts';
import type { RunningTool, ToolOutput, Tools } from '../linux/tools.ts';

/** An error of the operating system. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: made up`), { code });

interface PwmState {
  period: number;
  duty_cycle: number;
  enable: number;
  polarity: string;
}

export interface FakeSysfsOptions {
  readonly chips: readonly PwmChipTranscript[];
  /** A channel that was just exported may not be written for so many attempts, as before udev has come. */
  readonly deniedAttempts?: number;
  readonly onChange?: (chip: string, channel: number, state: Readonly<PwmState>) => void;
}

/** `/sys` with the rules of the kernel for PWM (`drivers/pwm/core.c`, `sysfs.c`). */
export class FakeSysfs implements KernelFiles {
  readonly written: string[] = [];
  /** It accepts attributes and does not set them. */
  isDeaf = false;
  readonly #options: FakeSysfsOptions;
  readonly #channels = new Map<string, PwmState>();
  #denied = 0;

  constructor(options: FakeSysfsOptions) {
    this.#options = options;
  }

  /** As another program has left it. */
  leave(path: string, state: Partial<PwmState>): void {
    this.#channels.set(path, { period: 0, duty_cycle: 0, enable: 0, polarity: 'normal', ...state });
  }

  state(path: string): Readonly<PwmState> | undefined {
    return this.#channels.get(path);
  }

  async list(folder: string): Promise<readonly string[]> {
    if (folder !== 'class/pwm' || this.#options.chips.length === 0) throw systemError('ENOENT');
    return this.#options.chips.map(({ name }) => name);
  }

  async read(file: string): Promise<Uint8Array> {
    const { chip, rest } = this.#chipOf(file);
    if (rest === 'device/uevent') return new TextEncoder().encode(chip.uevent);
    if (rest === 'device/of_node/gpios' && chip.gpios !== undefined) return Uint8Array.from(chip.gpios);
    const { state, attribute } = this.#channelOf(file);
    const value = new Map<string, number | string>(Object.entries(state)).get(attribute);
    if (value === undefined) throw systemError('ENOENT');
    return new TextEncoder().encode(`${value}\n`);
  }

  async write(file: string, text: string): Promise<void> {
    const { chip, rest } = this.#chipOf(file);
    if (rest === 'export') return this.#export(chip, Number(text));
    const { state, attribute, path } = this.#channelOf(file);
    if (this.#denied > 0) {
      this.#denied -= 1;
      throw systemError('EACCES');
    }
    const next = { ...state, [attribute]: attribute === 'polarity' ? text : Number(text) };
    if (attribute === 'polarity' && state.enable === 1) throw systemError('EBUSY');
    const isChangeOfState = attribute !== 'polarity';
    if (isChangeOfState && (next.period === 0 || next.duty_cycle > next.period)) throw systemError('EINVAL');
    this.written.push(`${path}/${attribute}=${text}`);
    if (this.isDeaf) return;
    this.#channels.set(path, next);
    this.#options.onChange?.(chip.name, Number(path.at(-1)), next);
  }

  #export(chip: PwmChipTranscript, channel: number): void {
    if (!(channel < chip.channels)) throw systemError('ENODEV');
    const path = `class/pwm/${chip.name}/pwm${channel}`;
    if (this.#channels.has(path)) throw systemError('EBUSY');
    this.written.push(`${path} exported`);
    this.leave(path, {});
    this.#denied = this.#options.deniedAttempts ?? 0;
  }

  #chipOf(file: string): { readonly chip: PwmChipTranscript; readonly rest: string } {
    const [, name, rest = ''] = /^class\/pwm\/(pwmchip\d+)\/(.*)$/.exec(file) ?? [];
    const chip = this.#options.chips.find((known) => known.name === name);
    if (chip === undefined) throw systemError('ENOENT');
    return { chip, rest };
  }

  #channelOf(file: string) {
    const [, path = '', attribute = ''] = /^(.*\/pwm\d+)\/(\w+)$/.exec(file) ?? [];
    const state = this.#channels.get(path);
    if (state === undefined) throw systemError('ENOENT');
    return { state, attribute, path };
  }
}

/** A binding that plays a transcript: any other transaction, or another order, fails. */
export function transcriptBinding(exchanges: readonly I2cExchange[]): I2cBinding & { readonly left: () => number } {
  const left = [...exchanges];
  const next = (address: number, register: number): I2cExchange => {
    const exchange = left.shift();
    if (exchange?.address !== address || exchange.register !== register)
      throw new Error(
        `The transcript has ${JSON.stringify(exchange)}, received 0x${address.toString(16)} ${register}.`,
      );
    return exchange;
  };
  const connection: I2cConnection = {
    readI2cBlock: async (address, register, length, buffer) => {
      const { read = [] } = next(address, register);
      buffer.set(read.slice(0, length));
      return { bytesRead: Math.min(read.length, length) };
    },
    writeI2cBlock: async (address, register, length, buffer) => {
      const { written = [] } = next(address, register);
      const bytes = [...buffer.subarray(0, length)];
      if (bytes.join() !== written.join())
        throw new Error(`The transcript has ${written.join()}, received ${bytes.join()}.`);
      return { bytesWritten: length };
    },
    close: async () => {},
  };
  return { openPromisified: async () => connection, left: () => left.length };
}

interface StartedTool {
  readonly program: string;
  readonly args: readonly string[];
  readonly printLine: (line: string) => void;
  readonly end: (output: Partial<ToolOutput>) => void;
  readonly isRunning: () => boolean;
}

/** Tools with scripted output. */
export class FakeTools implements Tools {
  readonly started: StartedTool[] = [];
  readonly #results: Readonly<Record<string, Partial<ToolOutput> | Error>>;
  readonly #onStart: (tool: StartedTool) => void;

  /** @param results by the program and its arguments, separated by spaces */
  constructor(
    results: Readonly<Record<string, Partial<ToolOutput> | Error>>,
    onStart: (tool: StartedTool) => void = () => {},
  ) {
    this.#results = results;
    this.#onStart = onStart;
  }

  async run(program: string, args: readonly string[]): Promise<ToolOutput> {
    const result = this.#results[[program, ...args].join(' ')];
    if (result instanceof Error) throw result;
    return { code: 0, stdout: '', stderr: '', ...result };
  }

  start(program: string, args: readonly string[], onLine: (line: string) => void): RunningTool {
    const ending = Promise.withResolvers<ToolOutput>();
    let isRunning = true;
    const end = (output: Partial<ToolOutput>) => {
      isRunning = false;
      ending.resolve({ code: null, stdout: '', stderr: '', ...output });
    };
    const tool = { program, args, printLine: onLine, end, isRunning: () => isRunning };
    this.started.push(tool);
    this.#onStart(tool);
    return { ended: ending.promise, stop: () => end({}) };
  }
}
