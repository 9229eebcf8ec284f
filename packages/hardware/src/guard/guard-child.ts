import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Cancel, type Clock, compileCacheForChild, type Living } from '@lcs/platform';
import { programFile } from '../program-file.ts';
import { type GuardLink, GuardLost, type GuardNews } from './guard-link.ts';
import { type GuardCall, type GuardProcessOptions, type GuardReply, isGuardReply } from './guard-message.ts';
import type { GuardAnswer, GuardRequest } from './guard-types.ts';

export interface GuardChildOptions {
  readonly process: GuardProcessOptions;
  readonly wire: Clock;
  readonly onNews: (news: GuardNews) => void;
}

interface Waiting {
  readonly resolve: (answer: GuardAnswer) => void;
  readonly reject: (error: GuardLost) => void;
  readonly cancelLimit: Cancel;
}

/** A guard that takes longer to answer stands still: it is killed, and the next one begins by switching everything off. */
const answerWithinMs = 2000;
const restartAfterMs = 250;
/** One that cannot make its outputs safe in this time will not do it later, and must not be there beside its successor. */
const endsWithinMs = 2000;
/** It has little to do, and is there beside each unit. */
const littleMemory = {
  execArgv: ['--max-semi-space-size=1', '--optimize-for-size', '--no-sparkplug', '--no-maglev'],
  env: { MALLOC_ARENA_MAX: '1' },
} as const;

/** Keeps a guard process running. */
export class GuardChild implements Living, GuardLink {
  readonly name = 'actuator guard process';
  readonly #options: GuardChildOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #lastId = 0;
  #stopping = false;
  #cancelRestart: Cancel = () => {};

  constructor(options: GuardChildOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the guard has switched everything off. @throws GuardLost */
  async start(): Promise<void> {
    this.#stopping = false;
    await this.#spawn();
  }

  /** Resolves when the guard has ended, with everything off unless it had to be killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    // The guard switches everything off and ends; it heeds no signal that can be heeded.
    if (child.connected) child.disconnect();
    const cancelLimit = this.#options.wire.after(endsWithinMs, () => child.kill('SIGKILL'));
    await ended;
    cancelLimit();
  }

  async request(request: GuardRequest): Promise<GuardAnswer> {
    const child = this.#child;
    if (child === undefined) throw new GuardLost('it is being started again');
    this.#lastId += 1;
    const call: GuardCall = { id: this.#lastId, request };
    return new Promise((resolve, reject) => {
      const cancelLimit = this.#options.wire.after(answerWithinMs, () => child.kill('SIGKILL'));
      this.#waiting.set(call.id, { resolve, reject, cancelLimit });
      // A failed delivery is followed by the end of the child, which rejects.
      child.send(call, undefined, undefined, () => {});
    });
  }

  async #spawn(): Promise<void> {
    const program = fileURLToPath(programFile('guard-process', import.meta.url));
    const child = fork(program, [JSON.stringify(this.#options.process)], {
      env: { ...littleMemory.env, ...compileCacheForChild() },
      execArgv: [...littleMemory.execArgv],
    });
    const ready = Promise.withResolvers<void>();
    child.on('message', (message: unknown) => {
      if (!isGuardReply(message)) return;
      if ('ready' in message) ready.resolve();
      else this.#take(message);
    });
    child.on('exit', (code, signal) => {
      ready.reject(new GuardLost(`it ended with ${signal ?? code}`));
      if (this.#child === child) this.#lost(`it ended with ${signal ?? code}`);
    });
    await ready.promise;
    // Stopped while its successor came up: nobody needs this one.
    if (this.#stopping) return child.disconnect();
    this.#child = child;
    this.#options.onNews({ what: 'guard_ready' });
  }

  #take(reply: Exclude<GuardReply, { ready: true }>): void {
    if ('notice' in reply) {
      this.#options.onNews(reply.notice);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    waiting?.cancelLimit();
    waiting?.resolve(reply.answer);
  }

  #lost(reason: string): void {
    this.#child = undefined;
    for (const [id, { reject, cancelLimit }] of this.#waiting) {
      this.#waiting.delete(id);
      cancelLimit();
      reject(new GuardLost(reason));
    }
    if (this.#stopping) return;
    this.#options.onNews({ what: 'guard_lost' });
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
