import { realClock } from '@lcs/platform';
import type { NodeProcess } from '@lcs/testkit';

const restartMs = 300;
const wire = realClock();

/** A process that is started again whenever it has ended, as a service manager does. */
export class KeptProcess implements AsyncDisposable {
  readonly #start: () => Promise<NodeProcess>;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #process: NodeProcess | undefined;
  /** Starts so far, those that failed too. */
  starts = 0;

  constructor(start: () => Promise<NodeProcess>) {
    this.#start = start;
    this.#running = this.#run();
  }

  /** Undefined while it does not run. */
  get process(): NodeProcess | undefined {
    return this.#process;
  }

  async kill(): Promise<void> {
    await this.#process?.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.kill();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      this.starts += 1;
      try {
        const process = await this.#start();
        this.#process = process;
        if (signal.aborted) await process.kill('SIGKILL');
        await process.ended;
      } catch {
        // It has ended before it was ready, because the server was away, for example. If it never starts, the test sees that it is not there.
      }
      this.#process = undefined;
      await wire.sleep(restartMs, signal).catch(() => {});
    }
  }
}
