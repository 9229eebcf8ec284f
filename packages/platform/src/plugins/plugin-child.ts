import { type ChildProcess, fork } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import { compileCacheForChild } from '../node/compile-cache.ts';
import { boundedLines } from './bounded-lines.ts';
import { Channel } from './channel.ts';
import type { ChildCalls, NodeCalls } from './plugin-calls.ts';

/** How long processes of plugins may take, in milliseconds, and how much memory they may have. */
export interface PluginLimits {
  /** To load a plugin and tell what it adds. */
  readonly loadMs: number;
  /** Without any sign of life: an endless loop, or work that blocks the thread. */
  readonly silentMs: number;
  /** From the wish that it ends to SIGTERM, and to SIGKILL. */
  readonly terminateMs: number;
  readonly killMs: number;
  /** To answer a request. */
  readonly routeMs: number;
  /** A process that only answers requests goes when there were none for so long. */
  readonly idleMs: number;
  /** Of JavaScript's own heap. */
  readonly heapMiB: number;
}

export const usualPluginLimits: PluginLimits = {
  loadMs: 10_000,
  silentMs: 5_000,
  terminateMs: 5_000,
  killMs: 10_000,
  routeMs: 10_000,
  idleMs: 60_000,
  heapMiB: 64,
};

/** The process of a plugin has ended, or had to be ended; the message says why, for people. */
export class PluginEnded extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PluginEnded';
  }
}

export interface PluginChildOptions {
  /** For the log. */
  readonly plugin: string;
  /** The file that is loaded. */
  readonly entry: string;
  readonly wire: Clock;
  /** Virtual time stands still until the process has dealt with what it was told. */
  readonly holds: Pick<Clock, 'hold'>;
  readonly log: Log;
  readonly limits: PluginLimits;
  /** What it may ask for. */
  readonly serve: ConstructorParameters<typeof Channel<NodeCalls, ChildCalls>>[0]['handlers'];
}

/** Signs of life are asked for this often within the time that a process may be silent. */
const looksInSilence = 5;
/** Lines that it may write before nobody listens any more. */
const mostLines = 1_000;
const mostOfLine = 1_000;
/** A plugin that asks for more has lost its way, and would take the node with it. */
const mostCallsInSecond = 1_000;

const isSeen = (message: unknown): message is { readonly seen: number } =>
  typeof message === 'object' && message !== null && 'seen' in message && typeof message.seen === 'number';

/** Beside this file as a source or, in the bundle, under the name that the build has given. */
function besides(name: 'plugin-process' | 'plugin-api'): string {
  const isSource = import.meta.url.endsWith('.ts');
  if (!isSource) return new URL(`./${name}.js`, import.meta.url).href;
  return name === 'plugin-api' ? import.meta.resolve('@lcs/plugin-api') : new URL(`./${name}.ts`, import.meta.url).href;
}

/** A process that has one plugin loaded. Whatever the plugin does there reaches the node as an answer or as this one's end. */
export class PluginChild {
  readonly #options: PluginChildOptions;
  readonly #process: ChildProcess;
  readonly #channel: Channel<NodeCalls, ChildCalls>;
  readonly #ended = Promise.withResolvers<PluginEnded>();
  readonly #holds: (() => void)[] = [];
  #cancelLooks: Cancel;
  #reason: string | undefined;
  #lastWords = '';
  #lines = 0;
  #sent = 0;
  #seen = 0;
  #missedLooks = 0;
  #second = 0;
  #calls = 0;
  #hasSpoken = false;
  #isEnding = false;
  #hasExited = false;

  constructor(options: PluginChildOptions) {
    const { entry, limits, wire, serve } = options;
    this.#options = options;
    this.#process = fork(
      fileURLToPath(besides('plugin-process')),
      [JSON.stringify({ entry, api: besides('plugin-api') })],
      {
        cwd: dirname(entry),
        env: compileCacheForChild(),
        execArgv: [`--max-old-space-size=${limits.heapMiB}`, '--max-semi-space-size=2'],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    this.#channel = new Channel<NodeCalls, ChildCalls>({ send: (message) => this.#send(message), handlers: serve });
    this.#process.on('message', (message: unknown) => this.#take(message));
    this.#process.on('error', (error) => this.#gone(`Its process failed: ${error.message}`));
    this.#process.on('exit', (code, signal) => this.#gone(this.#why(code, signal)));
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) boundedLines(stream, mostOfLine, (line) => this.#line(line));
    }
    this.#cancelLooks = wire.every(limits.silentMs / looksInSilence, () => this.#look());
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves, with the reason, when the process is no more. */
  get ended(): Promise<PluginEnded> {
    return this.#ended.promise;
  }

  /** Rejects with RemoteError when the plugin throws, with PluginEnded when its process ends first. */
  readonly call: Channel<NodeCalls, ChildCalls>['call'] = (name, given) => this.#channel.call(name, given);

  /** The same within a time; beyond it the process is killed. */
  async callWithin<Name extends keyof ChildCalls & string>(
    limitMs: number,
    name: Name,
    given: ChildCalls[Name]['given'],
  ): Promise<Awaited<ChildCalls[Name]['answer']>> {
    const cancel = this.#options.wire.after(limitMs, () => this.kill(`It took longer than ${limitMs / 1000} s.`));
    try {
      return await this.call(name, given);
    } finally {
      cancel();
    }
  }

  /** Ends it after a last call: SIGTERM and SIGKILL follow when that takes too long. Resolves when it has ended. */
  async end(farewell: () => Promise<unknown> = async () => {}): Promise<void> {
    if (this.#hasExited) return;
    const { wire, limits } = this.#options;
    this.#isEnding = true;
    const cancels = [
      wire.after(limits.terminateMs, () => this.#process.kill('SIGTERM')),
      wire.after(limits.killMs, () => this.#process.kill('SIGKILL')),
    ];
    try {
      await farewell();
    } finally {
      if (this.#process.connected) this.#process.disconnect();
      await this.ended;
      for (const cancel of cancels) cancel();
    }
  }

  /** At once. */
  kill(reason: string): void {
    this.#reason ??= reason;
    this.#process.kill('SIGKILL');
  }

  #send(message: object): void {
    this.#sent += 1;
    this.#holds.push(this.#options.holds.hold(`the plugin ${this.#options.plugin}`));
    // A failed delivery is followed by the end of the process, which rejects.
    if (this.#process.connected) this.#process.send(message, undefined, undefined, () => {});
  }

  #take(message: unknown): void {
    // What was on its way when it was killed is not done any more.
    if (this.#reason !== undefined && !isSeen(message)) return;
    this.#hasSpoken = true;
    this.#missedLooks = 0;
    if (!isSeen(message)) {
      const isCall = typeof message === 'object' && message !== null && 'call' in message;
      if (isCall && !this.#mayCall()) return;
      const release = this.#options.holds.hold(`a wish of the plugin ${this.#options.plugin}`);
      const served = this.#channel.take(message);
      // Who sleeps waits for time to go on.
      if (isCall && message.call === 'sleepFor') release();
      else void served.finally(release);
      return;
    }
    // It cannot have seen more than it was sent, whatever it says.
    for (const seen = Math.min(message.seen, this.#sent); this.#seen < seen; this.#seen += 1) this.#holds.shift()?.();
  }

  /** Counts what it asks for. */
  #mayCall(): boolean {
    const second = Math.floor(this.#options.wire.monotonic() / 1000);
    if (second !== this.#second) this.#calls = 0;
    this.#second = second;
    this.#calls += 1;
    if (this.#calls <= mostCallsInSecond) return true;
    this.kill(`It asked for more than ${mostCallsInSecond} things in a second.`);
    return false;
  }

  /** Whether it still turns: something that it was sent and has not seen is a sign that it does not. */
  #look(): void {
    if (this.#seen < this.#sent) this.#missedLooks += 1;
    else if (this.#process.connected) this.#send({ look: true });
    const { silentMs, loadMs } = this.#options.limits;
    // Until its first sign of life the process is still being made, which takes what the machine needs.
    const limitMs = this.#hasSpoken ? silentMs : Math.max(silentMs, loadMs);
    if (this.#missedLooks <= (looksInSilence * limitMs) / silentMs) return;
    this.kill(`It gave no sign of life for ${limitMs / 1000} s: an endless loop, or work that blocks its thread.`);
  }

  #line(line: string): void {
    this.#lines += 1;
    if (line.trim() !== '') this.#lastWords = line.trim();
    const { log, plugin } = this.#options;
    if (this.#lines <= mostLines) log.info('A plugin wrote a line', { plugin, line });
  }

  #why(code: number | null, signal: string | null): string {
    if (this.#reason !== undefined) return this.#reason;
    if (this.#isEnding && code === 0) return 'It was ended.';
    const words = this.#lastWords === '' ? '' : ` Its last words: ${this.#lastWords.slice(0, 300)}`;
    return `Its process ended with ${signal ?? `exit code ${code}`}.${words}`;
  }

  #gone(reason: string): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#cancelLooks();
    const error = new PluginEnded(reason);
    this.#channel.close(error);
    for (const release of this.#holds.splice(0)) release();
    this.#ended.resolve(error);
  }
}
