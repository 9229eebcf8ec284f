import type { Clock } from '@lcs/platform';
import type { LeaderProcess } from '@lcs/testkit';
import type { Death } from './plan.ts';

type NodeProcess = LeaderProcess;

/** A completed kill. */
export interface Died {
  readonly name: string;
  readonly death: Death;
  /** Milliseconds since 1970, when it was seen. */
  readonly atMs: number;
  /** When it was killed from outside; a process that killed itself did so at some moment before `atMs`. */
  readonly orderedMs: number | undefined;
  /** Whether it ended itself at the named point, not because that point was not reached in time. */
  readonly reachedPoint: boolean;
}

/** Something that is started, killed and started again. */
export interface Mortal {
  readonly name: string;
  readonly deaths: readonly Death[];
  /** How long a named point is waited for. */
  readonly patienceMs: number;
  start(crashAt?: string): Promise<NodeProcess>;
}

/** So long after a kill nothing of this process is started: its guard has a second. */
const restMs = { least: 1_300, most: 2_300 };

const isKilled = (error: unknown) => error instanceof Error && error.message.includes('SIGKILL');
/** A port that was given up may be lent to somebody's outgoing connection for a moment. */
const isPortTaken = (error: unknown) => error instanceof Error && /\bport\b.*\bin use\b|EADDRINUSE/.test(error.message);

/** The processes of one mortal, one after the other. */
export class Lives {
  readonly #mortal: Mortal;
  readonly #wire: Clock;
  readonly #died: (died: Died) => void;
  #process: NodeProcess | undefined;

  constructor(mortal: Mortal, wire: Clock, died: (died: Died) => void) {
    this.#mortal = mortal;
    this.#wire = wire;
    this.#died = died;
  }

  get process(): NodeProcess {
    if (this.#process === undefined) throw new Error(`${this.#mortal.name} is not up.`);
    return this.#process;
  }

  async begin(): Promise<NodeProcess> {
    this.#process = await this.#start();
    return this.#process;
  }

  /** Executes all kills; the process that runs afterwards stays. */
  async run(): Promise<void> {
    for (const [index, death] of this.#mortal.deaths.entries()) {
      if (index > 0) this.#process = await this.#startToDie(death);
      await this.#die(death);
      this.#process = undefined;
      await this.#wire.sleep(restMs.least + (index % 5) * 0.25 * (restMs.most - restMs.least));
    }
    this.#process ??= await this.#start();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#process?.kill(signal);
  }

  async #startToDie(death: Death): Promise<NodeProcess | undefined> {
    const crashAt = death.at === 'point' ? `${death.point}:${death.hits}` : undefined;
    try {
      return await this.#start(crashAt);
    } catch (error) {
      if (death.at === 'point' && isKilled(error)) return undefined;
      throw error;
    }
  }

  async #die(death: Death): Promise<void> {
    const { name, patienceMs } = this.#mortal;
    const process = this.#process;
    let orderedMs: number | undefined;
    if (process !== undefined) {
      const waiting = new AbortController();
      const tooLong = this.#wire
        .sleep(death.at === 'time' ? death.afterMs : patienceMs, waiting.signal)
        .then(() => 'too long' as const)
        .catch(() => 'ended' as const);
      const first = await Promise.race([process.ended, tooLong]);
      waiting.abort();
      if (first === 'too long') {
        orderedMs = this.#wire.now();
        process.child.kill('SIGKILL');
      }
      const { code, signal } = await process.ended;
      if (signal !== 'SIGKILL') throw new Error(`${name} ended by itself (${code ?? signal}).`);
    }
    const reachedPoint = death.at === 'point' && orderedMs === undefined;
    this.#died({ name, death, atMs: this.#wire.now(), orderedMs, reachedPoint });
  }

  async #start(crashAt?: string): Promise<NodeProcess> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#mortal.start(crashAt);
      } catch (error) {
        if (!isPortTaken(error) || attempt === 20) throw error;
        await this.#wire.sleep(500);
      }
    }
  }
}
