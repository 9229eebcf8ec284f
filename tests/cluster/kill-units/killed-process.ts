import type { Clock } from '@lcs/platform';
import type { LeaderProcess } from '@lcs/testkit';
import type { PlannedKill } from './plan.ts';

type NodeProcess = LeaderProcess;

/** A completed kill. */
export interface CompletedKill {
  readonly name: string;
  readonly kill: PlannedKill;
  /** Milliseconds since 1970, when it was seen. */
  readonly atMs: number;
  /** When it was killed from outside; a process that killed itself did so at some moment before `atMs`. */
  readonly orderedMs: number | undefined;
  /** Whether it ended itself at the named point, not because that point was not reached in time. */
  readonly reachedPoint: boolean;
}

/** A process that the test starts, kills and starts again. */
export interface KillableProcess {
  readonly name: string;
  readonly kills: readonly PlannedKill[];
  /** Time limit for reaching a named point. */
  readonly pointTimeoutMs: number;
  start(crashAt?: string): Promise<NodeProcess>;
}

/** The pause between a kill and the next start: the guard of the process has a second. */
const restMs = { least: 1_300, most: 2_300 };

const isKilled = (error: unknown) => error instanceof Error && error.message.includes('SIGKILL');
/** The operating system may use a released port for an outgoing connection for a moment. */
const isPortTaken = (error: unknown) => error instanceof Error && /\bport\b.*\bin use\b|EADDRINUSE/.test(error.message);

/** The successive processes of one node. */
export class ProcessRuns {
  readonly #options: KillableProcess;
  readonly #wire: Clock;
  readonly #onKill: (onKill: CompletedKill) => void;
  #process: NodeProcess | undefined;

  constructor(options: KillableProcess, wire: Clock, onKill: (onKill: CompletedKill) => void) {
    this.#options = options;
    this.#wire = wire;
    this.#onKill = onKill;
  }

  get process(): NodeProcess {
    if (this.#process === undefined) throw new Error(`${this.#options.name} is not up.`);
    return this.#process;
  }

  async begin(): Promise<NodeProcess> {
    this.#process = await this.#start();
    return this.#process;
  }

  /** Executes all kills; the process that runs afterwards stays. */
  async run(): Promise<void> {
    for (const [index, kill] of this.#options.kills.entries()) {
      if (index > 0) this.#process = await this.#startForKill(kill);
      await this.#kill(kill);
      this.#process = undefined;
      await this.#wire.sleep(restMs.least + (index % 5) * 0.25 * (restMs.most - restMs.least));
    }
    this.#process ??= await this.#start();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#process?.kill(signal);
  }

  async #startForKill(kill: PlannedKill): Promise<NodeProcess | undefined> {
    const crashAt = kill.at === 'point' ? `${kill.point}:${kill.hits}` : undefined;
    try {
      return await this.#start(crashAt);
    } catch (error) {
      if (kill.at === 'point' && isKilled(error)) return undefined;
      throw error;
    }
  }

  async #kill(kill: PlannedKill): Promise<void> {
    const { name, pointTimeoutMs } = this.#options;
    const process = this.#process;
    let orderedMs: number | undefined;
    if (process !== undefined) {
      const waiting = new AbortController();
      const timeout = this.#wire
        .sleep(kill.at === 'time' ? kill.afterMs : pointTimeoutMs, waiting.signal)
        .then(() => 'too long' as const)
        .catch(() => 'ended' as const);
      const first = await Promise.race([process.ended, timeout]);
      waiting.abort();
      if (first === 'too long') {
        orderedMs = this.#wire.now();
        process.child.kill('SIGKILL');
      }
      const { code, signal } = await process.ended;
      if (signal !== 'SIGKILL') throw new Error(`${name} ended by itself (${code ?? signal}).`);
    }
    const reachedPoint = kill.at === 'point' && orderedMs === undefined;
    this.#onKill({ name, kill, atMs: this.#wire.now(), orderedMs, reachedPoint });
  }

  async #start(crashAt?: string): Promise<NodeProcess> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.start(crashAt);
      } catch (error) {
        if (!isPortTaken(error) || attempt === 20) throw error;
        await this.#wire.sleep(500);
      }
    }
  }
}
