import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock, Service } from '@lcs/platform';
import { compileCacheForChild } from '@lcs/platform/compile-cache';
import { reasonOf } from '@lcs/platform/file-errors';
import { StartupError } from '@lcs/platform/startup-error';
import { programFile } from '../program-file.ts';
import { type GuardEvent, type GuardLink, GuardLost } from './guard-link.ts';
import {
  type GuardCall,
  type GuardProcessOptions,
  type GuardReply,
  guardExitCodes,
  isGuardReply,
} from './guard-message.ts';
import type { GuardRequest, GuardResponse } from './guard-types.ts';

export interface GuardChildOptions {
  readonly process: GuardProcessOptions;
  readonly wire: Clock;
  readonly onGuardEvent: (event: GuardEvent) => void;
  /** A native program that switches every output off (`lcs-outputs-off`): for the time in which no guard can. */
  readonly switchOffProgram?: string;
}

interface Waiting {
  readonly resolve: (response: GuardResponse) => void;
  readonly reject: (error: GuardLost) => void;
  readonly cancelLimit: Cancel;
}

/**
 * A guard that takes longer to answer a heartbeat is stalled: it is killed, and the next one starts by switching
 * everything off. Two seconds are no stall: so long a computer may take to read a process in again. Other answers come when the outputs
 * have their level, and chips that do not answer delay them for a second each: the next guard would find the same chips.
 */
const responseLimitMs = 3000;
const outputsWithinMs = 15_000;
const restartAfterMs = 250;
/** After so long without a guard the native program switches off, unless the next one starts by then: it does the same first. Chosen. */
const withoutGuardMs = 3000;
/** A start that takes so much longer has failed: chips that do not answer take a second for each of four LEDs. Chosen. */
const slowStartMs = 5000;
/** The program ends after 5 s, or in a transfer of a second; one that hangs in the kernel writes nothing. PWM is off by then. */
const programEndsWithinMs = 7000;
/** A limit that is noticed so much later was held up with the whole node: then the answer may be waiting. Chosen. */
const stalledFromMs = 100;
/** A guard that cannot make its outputs safe in this time will not succeed later, and must not run beside the next one. */
const endsWithinMs = 2000;
/** A small heap: the guard has little to do, and each unit has one. */
const littleMemory = {
  execArgv: ['--max-semi-space-size=1', '--optimize-for-size', '--no-sparkplug', '--no-maglev'],
  env: { MALLOC_ARENA_MAX: '1' },
} as const;

/** Keeps a guard process running. */
export class GuardChild implements Service, GuardLink {
  readonly name = 'actuator guard process';
  readonly #options: GuardChildOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  /** It runs, and switches everything off. */
  #starting: ChildProcess | undefined;
  #endedSafely = false;
  #lastId = 0;
  #stopping = false;
  #cancelRestart: Cancel = () => {};
  #cancelSwitchOff: Cancel = () => {};
  /** While the native program runs, no guard starts: two writers must not undo each other's levels. Never rejects, and ends. */
  #switchingOff: Promise<void> = Promise.resolve();

  constructor(options: GuardChildOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Whether it was stopped, and has ended with everything off. */
  get endedSafely(): boolean {
    return this.#endedSafely;
  }

  /** Resolves when the guard has switched everything off. @throws StartupError */
  async start(): Promise<void> {
    this.#stopping = false;
    this.#endedSafely = false;
    try {
      await this.#spawn();
    } catch (error) {
      if (!(error instanceof GuardLost)) throw error;
      throw new StartupError(`The actuator guard did not start: ${error.reason}.`, { cause: error });
    }
  }

  /** Resolves when the guard has ended, with everything off unless it had to be killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart();
    this.#cancelSwitchOff();
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    // The guard ends with its channel.
    if (child.connected) child.disconnect();
    const cancelLimit = this.#options.wire.after(endsWithinMs, () => child.kill('SIGKILL'));
    const [code] = await ended;
    this.#endedSafely = code === guardExitCodes.safe;
    cancelLimit();
  }

  async request(request: GuardRequest): Promise<GuardResponse> {
    const child = this.#child;
    if (child === undefined) throw new GuardLost('it is being started again');
    this.#lastId += 1;
    const call: GuardCall = { id: this.#lastId, request };
    return new Promise((resolve, reject) => {
      this.#waiting.set(call.id, { resolve, reject, cancelLimit: () => {} });
      this.#limit(child, call.id, request.kind === 'renew' ? responseLimitMs : outputsWithinMs);
      // A failed delivery is followed by the end of the child, which rejects.
      child.send(call, undefined, undefined, () => {});
    });
  }

  /** Kills a guard that has not answered after this time of the node's own; a node that was held up itself waits once more. */
  #limit(child: ChildProcess, id: number, limitMs: number, isLast = false): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const { wire } = this.#options;
    const dueMs = wire.monotonic() + limitMs;
    const cancelLimit = wire.after(limitMs, () => {
      if (isLast || wire.monotonic() - dueMs < stalledFromMs) this.#kill(child);
      else this.#limit(child, id, responseLimitMs, true);
    });
    this.#waiting.set(id, { ...waiting, cancelLimit });
  }

  #kill(child: ChildProcess): void {
    child.kill('SIGKILL');
    // One that waits in the kernel, for a bus that hangs, does not end now: nor does it write again.
    this.#switchOffLater();
  }

  /** Unless a guard runs by then. */
  #switchOffLater(): void {
    const { wire, switchOffProgram } = this.#options;
    if (switchOffProgram === undefined) return;
    this.#cancelSwitchOff();
    const begin = () => {
      this.#switchingOff = switchOff(switchOffProgram, wire);
    };
    this.#cancelSwitchOff = wire.after(withoutGuardMs, () => {
      if (this.#starting === undefined) begin();
      else this.#cancelSwitchOff = wire.after(slowStartMs, begin);
    });
  }

  /** @throws GuardLost */
  async #spawn(): Promise<void> {
    await this.#switchingOff;
    const child = this.#fork();
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    child.once('spawn', () => {
      this.#starting = child;
    });
    child.on('message', (message: unknown) => {
      if (!isGuardReply(message)) return;
      if ('ready' in message) ready.resolve();
      else this.#take(message);
    });
    // It could not be started, or a message or signal did not reach it: then its end follows.
    child.on('error', (error) => ended.reject(new GuardLost(error.message)));
    child.on('exit', (code, signal) => {
      if (this.#starting === child) this.#starting = undefined;
      ended.reject(new GuardLost(`it ended with ${signal ?? code}`));
      if (this.#child === child) this.#lost(`it ended with ${signal ?? code}`);
    });
    await Promise.race([ready.promise, ended.promise]);
    // Stopped while the next guard started: this one is not needed.
    if (this.#stopping) return child.disconnect();
    this.#starting = undefined;
    this.#cancelSwitchOff();
    // It may run now: no level of this guard may come before its end.
    await Promise.race([this.#switchingOff, ended.promise]);
    this.#child = child;
    this.#options.onGuardEvent({ what: 'guard_ready' });
  }

  /** @throws GuardLost: some failures of the system are thrown, others arrive as an event */
  #fork(): ChildProcess {
    const program = fileURLToPath(programFile('guard-process', import.meta.url));
    try {
      return fork(program, [JSON.stringify(this.#options.process)], {
        env: { ...littleMemory.env, ...compileCacheForChild() },
        execArgv: [...littleMemory.execArgv],
      });
    } catch (error) {
      throw new GuardLost(reasonOf(error));
    }
  }

  #take(reply: Exclude<GuardReply, { ready: true }>): void {
    if ('notice' in reply) {
      this.#options.onGuardEvent(reply.notice);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    waiting?.cancelLimit();
    waiting?.resolve(reply.response);
  }

  #lost(reason: string): void {
    this.#child = undefined;
    for (const [id, { reject, cancelLimit }] of this.#waiting) {
      this.#waiting.delete(id);
      cancelLimit();
      reject(new GuardLost(reason));
    }
    if (this.#stopping) return;
    this.#options.onGuardEvent({ what: 'guard_lost' });
    this.#switchOffLater();
    this.#restartLater();
  }

  #restartLater(): void {
    this.#cancelRestart = this.#options.wire.after(restartAfterMs, () => {
      this.#spawn().catch((error: unknown) => {
        if (!(error instanceof GuardLost)) throw error;
        if (!this.#stopping) this.#restartLater();
      });
    });
  }
}

/**
 * Resolves when it has ended, however, or was given up: it is killed, and writes nothing more when the kernel returns to it. What it
 * cannot switch off it says on stderr, which is that of the service.
 */
async function switchOff(program: string, wire: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  let cancelLimit: Cancel = () => {};
  try {
    const child = spawn(program, { stdio: ['ignore', 'ignore', 'inherit'] });
    cancelLimit = wire.after(programEndsWithinMs, () => {
      child.kill('SIGKILL');
      late.resolve();
    });
    await Promise.race([once(child, 'exit'), late.promise]);
  } catch {
    // It could not be started either: the service manager runs it after the end of the node.
  } finally {
    cancelLimit();
  }
}
