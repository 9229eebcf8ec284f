import { type ChildProcess, fork } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cancel, type Clock, compileCacheForChild, type Log } from '@lcs/platform';
import { boundedLines } from './bounded-lines.ts';
import { Channel } from './channel.ts';
import type { ChildCalls, NodeCalls } from './plugin-calls.ts';

/** Time limits of plugin processes, in milliseconds, and their memory limit. */
export interface PluginLimits {
  /** To load a plugin and report what it adds. */
  readonly loadMs: number;
  /** Without a response: an endless loop, or work that blocks the thread. */
  readonly silentMs: number;
  /** From the request to end to SIGTERM, and to SIGKILL. */
  readonly terminateMs: number;
  readonly killMs: number;
  /** To answer a request. */
  readonly routeMs: number;
  /** A process that only answers requests ends after this time without one. */
  readonly idleMs: number;
  /** Of the JavaScript heap. */
  readonly heapMiB: number;
}

export const defaultPluginLimits: PluginLimits = {
  loadMs: 10_000,
  silentMs: 5_000,
  terminateMs: 5_000,
  killMs: 10_000,
  routeMs: 10_000,
  idleMs: 60_000,
  heapMiB: 64,
};

/** The process of a plugin has ended or was killed; the message contains the reason. */
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
  /** Virtual time stands still until the process has handled its messages. */
  readonly holds: Pick<Clock, 'hold'>;
  readonly log: Log;
  readonly limits: PluginLimits;
  /** The calls that the plugin may make. */
  readonly serve: ConstructorParameters<typeof Channel<NodeCalls, ChildCalls>>[0]['handlers'];
}

/** Number of heartbeats within the time that a process may be silent. */
const heartbeatsPerSilence = 5;
/** Limits of what a plugin may write to the log. */
const maxLoggedLines = 1_000;
const maxLineLength = 1_000;
/** A plugin that calls more often would block the node. */
const maxCallsPerSecond = 1_000;

const isSeen = (message: unknown): message is { readonly seen: number } =>
  typeof message === 'object' && message !== null && 'seen' in message && typeof message.seen === 'number';

/** The file beside this one: a source or, in the bundle, the name that the build assigns. */
function programFileUrl(name: 'plugin-process' | 'plugin-api'): string {
  const isSource = import.meta.url.endsWith('.ts');
  if (!isSource) return new URL(`./${name}.js`, import.meta.url).href;
  return name === 'plugin-api' ? import.meta.resolve('@lcs/plugin-api') : new URL(`./${name}.ts`, import.meta.url).href;
}

/** A process with one plugin. Whatever the plugin does, the node only sees answers and the end of the process. */
export class PluginChild {
  readonly #options: PluginChildOptions;
  readonly #process: ChildProcess;
  readonly #channel: Channel<NodeCalls, ChildCalls>;
  readonly #ended = Promise.withResolvers<PluginEnded>();
  readonly #holds: (() => void)[] = [];
  #stopHeartbeats: Cancel;
  #reason: string | undefined;
  #lastOutput = '';
  #lines = 0;
  #sent = 0;
  #received = 0;
  #missedHeartbeats = 0;
  #second = 0;
  #calls = 0;
  #hasResponded = false;
  #isEnding = false;
  #hasExited = false;

  constructor(options: PluginChildOptions) {
    const { entry, limits, wire, serve } = options;
    this.#options = options;
    this.#process = fork(
      fileURLToPath(programFileUrl('plugin-process')),
      [JSON.stringify({ entry, api: programFileUrl('plugin-api') })],
      {
        cwd: dirname(entry),
        env: compileCacheForChild(),
        execArgv: [`--max-old-space-size=${limits.heapMiB}`, '--max-semi-space-size=2'],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    this.#channel = new Channel<NodeCalls, ChildCalls>({ send: (message) => this.#send(message), handlers: serve });
    this.#process.on('message', (message: unknown) => this.#receive(message));
    this.#process.on('error', (error) => this.#handleExit(`Its process failed: ${error.message}`));
    this.#process.on('exit', (code, signal) => this.#handleExit(this.#exitReason(code, signal)));
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) boundedLines(stream, maxLineLength, (line) => this.#line(line));
    }
    this.#stopHeartbeats = wire.every(limits.silentMs / heartbeatsPerSilence, () => this.#checkHeartbeat());
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves with the reason when the process has ended. */
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
  async end(atEnd: () => Promise<unknown> = async () => {}): Promise<void> {
    if (this.#hasExited) return;
    const { wire, limits } = this.#options;
    this.#isEnding = true;
    const cancels = [
      wire.after(limits.terminateMs, () => this.#process.kill('SIGTERM')),
      wire.after(limits.killMs, () => this.#process.kill('SIGKILL')),
    ];
    try {
      await atEnd();
    } finally {
      if (this.#process.connected) this.#process.disconnect();
      await this.ended;
      for (const cancel of cancels) cancel();
    }
  }

  /** Kills the process at once. */
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

  #receive(message: unknown): void {
    // Messages that arrive after a kill are ignored.
    if (this.#reason !== undefined && !isSeen(message)) return;
    this.#hasResponded = true;
    this.#missedHeartbeats = 0;
    if (!isSeen(message)) {
      const isCall = typeof message === 'object' && message !== null && 'call' in message;
      if (isCall && !this.#mayCall()) return;
      const release = this.#options.holds.hold(`a call of the plugin ${this.#options.plugin}`);
      const served = this.#channel.take(message);
      // A plugin that sleeps waits for virtual time.
      if (isCall && message.call === 'sleepFor') release();
      else void served.finally(release);
      return;
    }
    // A process cannot have received more than was sent.
    for (const seen = Math.min(message.seen, this.#sent); this.#received < seen; this.#received += 1)
      this.#holds.shift()?.();
  }

  /** Counts the calls of a second. */
  #mayCall(): boolean {
    const second = Math.floor(this.#options.wire.monotonic() / 1000);
    if (second !== this.#second) this.#calls = 0;
    this.#second = second;
    this.#calls += 1;
    if (this.#calls <= maxCallsPerSecond) return true;
    this.kill(`It made more than ${maxCallsPerSecond} calls in a second.`);
    return false;
  }

  /** Kills the process when it has not received a message for too long. */
  #checkHeartbeat(): void {
    if (this.#received < this.#sent) this.#missedHeartbeats += 1;
    else if (this.#process.connected) this.#send({ look: true });
    const { silentMs, loadMs } = this.#options.limits;
    // Until its first response the process is starting, which depends on the machine.
    const limitMs = this.#hasResponded ? silentMs : Math.max(silentMs, loadMs);
    if (this.#missedHeartbeats <= (heartbeatsPerSilence * limitMs) / silentMs) return;
    this.kill(`It did not respond for ${limitMs / 1000} s: an endless loop, or work that blocks its thread.`);
  }

  #line(line: string): void {
    this.#lines += 1;
    if (line.trim() !== '') this.#lastOutput = line.trim();
    const { log, plugin } = this.#options;
    if (this.#lines <= maxLoggedLines) log.info('A plugin wrote a line', { plugin, line });
  }

  #exitReason(code: number | null, signal: string | null): string {
    if (this.#reason !== undefined) return this.#reason;
    if (this.#isEnding && code === 0) return 'It was ended.';
    const output = this.#lastOutput === '' ? '' : ` Its last output: ${this.#lastOutput.slice(0, 300)}`;
    return `Its process ended with ${signal ?? `exit code ${code}`}.${output}`;
  }

  #handleExit(reason: string): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#stopHeartbeats();
    const error = new PluginEnded(reason);
    this.#channel.close(error);
    for (const release of this.#holds.splice(0)) release();
    this.#ended.resolve(error);
  }
}
