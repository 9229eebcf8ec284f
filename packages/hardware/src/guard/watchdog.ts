import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock, Service } from '@lcs/platform';
import { compileCacheForChild } from '@lcs/platform/compile-cache';
import { errnoOf } from '@lcs/platform/file-errors';
import { programFile } from '../program-file.ts';
import type { GuardProcessOptions } from './guard-message.ts';

export interface WatchdogOptions {
  readonly process: GuardProcessOptions;
  /** File of its process ID: the next node waits until this watchdog has done its work. */
  readonly pidPath: string;
  readonly wire: Clock;
  /** Whether the guard has ended with everything off. */
  readonly isSafe: () => boolean;
  /** The watchdog has ended, and why; it is restarted. */
  readonly onLost: (reason: string) => void;
}

/**
 * Waits in a shell, which takes under 1 MB, until the node writes a line (all outputs are off) or its end of the pipe is
 * closed for any reason; then the same process becomes the program that switches off. No signal that can be ignored
 * ends it.
 */
const waitingScript = `trap '' HUP INT TERM; read -r line && exit 0; exec "$0" "$@"`;
const safeLine = 'safe\n';

const restartAfterMs = 1000;
/** A watchdog that cannot be kept running is reported this often. */
const reportEveryMs = 600_000;
/** The switch-off by the process of a killed node may take this long. A restarted node that waits for it keeps its outputs off. */
const previousEndsWithinMs = 5000;
const endsWithinMs = 2000;
const pollMs = 20;

/**
 * The third process of a unit. While the node runs it replaces a lost guard, and the guard switches
 * off when the node is lost; the watchdog covers the loss of both. It switches off at the end of every node that did
 * not stop by itself: writing 0 a second time while a guard does the same changes nothing.
 */
export class Watchdog implements Service {
  readonly name = 'watchdog of the outputs';
  readonly #options: WatchdogOptions;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #cancelRestart: Cancel = () => {};
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Resolves when no other watchdog writes to the outputs any more, and this one waits. */
  async start(): Promise<void> {
    this.#isStopping = false;
    await this.#previousEnds();
    await this.#spawn();
  }

  /** After the guard: with everything off it just ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child === undefined) return;
    const over = new AbortController();
    const ended = once(child, 'exit').finally(() => over.abort());
    child.stdin?.end(this.#options.isSafe() ? safeLine : '');
    // One that has work to do finishes it, also after its node.
    await Promise.race([ended, this.#options.wire.sleep(endsWithinMs, over.signal).catch(() => {})]);
    if (child.exitCode !== null) await rm(this.#options.pidPath, { force: true });
  }

  async #spawn(): Promise<void> {
    const program = fileURLToPath(programFile('switch-off-process', import.meta.url));
    const args = ['-c', waitingScript, process.execPath, program, JSON.stringify(this.#options.process)];
    const child = spawn('/bin/sh', args, {
      stdio: ['pipe', 'ignore', 'inherit'],
      // A signal to the node's process group does not reach it.
      detached: true,
      env: compileCacheForChild(),
    });
    this.#child = child;
    // A message that comes too late is handled by the event of its end.
    child.stdin?.on('error', () => {});
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('exit', (code, signal) => this.#lost(child, `it ended with ${signal ?? code}`));
    if (child.pid !== undefined) await this.#keepPid(child.pid);
  }

  async #keepPid(pid: number): Promise<void> {
    try {
      await writeFile(this.#options.pidPath, `${pid}\n`);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // On a full disk it still watches.
      this.#report(`its process ID cannot be stored (${errnoOf(error)})`);
    }
  }

  #lost(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#isStopping) return;
    this.#report(reason);
    this.#cancelRestart = this.#options.wire.after(restartAfterMs, () => void this.#spawn());
  }

  #report(reason: string): void {
    const nowMs = this.#options.wire.monotonic();
    if (nowMs - this.#reportedMs < reportEveryMs) return;
    this.#reportedMs = nowMs;
    this.#options.onLost(reason);
  }

  /** The process of a killed node must not switch off outputs that the guard of this node drives. */
  async #previousEnds(): Promise<void> {
    const { pidPath, wire } = this.#options;
    const pid = Number(await textOf(pidPath));
    if (!Number.isSafeInteger(pid) || pid <= 1) return;
    const giveUpMs = wire.monotonic() + previousEndsWithinMs;
    while (await isWatchdog(pid)) {
      if (wire.monotonic() < giveUpMs) await wire.sleep(pollMs);
      else process.kill(pid, 'SIGKILL');
    }
  }
}

/** Its process ID may belong to another program by now. */
const isWatchdog = async (pid: number): Promise<boolean> =>
  (await textOf(`/proc/${pid}/cmdline`)).includes('switch-off-process');

/** Empty when the file or the process does not exist. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return '';
  }
}
