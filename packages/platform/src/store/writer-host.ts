import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Cancel } from '../clock/clock.ts';
import type { Service } from '../lifecycle/lifecycle.ts';
import { workerFile } from './worker-file.ts';
import type { WriterOpening, WriterSettings } from './writer-protocol.ts';

/** What it is sent is short-lived: a small nursery costs no time, and the default may grow to 48 MB. Tried. */
const maxYoungGenerationSizeMb = 12;

/**
 * The thread in which databases are written. Each of them opened here has a writing connection, lanes and a message port of
 * its own; what fails in one leaves the others alone. They share the thread's time, and its end.
 */
export class WriterHost implements Service {
  readonly name = 'store writer';
  readonly #listeners = new Set<(cause: unknown) => void>();
  #worker: Worker | undefined;

  async start(): Promise<void> {
    const worker = new Worker(workerFile('writer-worker', import.meta.url), {
      name: 'store-writer',
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    this.#worker = worker;
    let cause: unknown = new Error('its thread ended');
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      const listeners = [...this.#listeners];
      this.#listeners.clear();
      for (const listener of listeners) listener(cause);
    });
  }

  /** Ends the thread; its databases should be closed. */
  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Tells the reason, once, when the thread is gone. */
  onEnd(listener: (cause: unknown) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets the process end although the thread has not been stopped. */
  unref(): void {
    this.#worker?.unref();
  }

  /** Opens one database; it is served on the port, which is closed when it is. @throws Error when the host is not up. */
  open(settings: WriterSettings): MessagePort {
    if (this.#worker === undefined) throw new Error('The thread that writes databases is not running.');
    const { port1: ours, port2: theirs } = new MessageChannel();
    const opening: WriterOpening = { settings, port: theirs };
    this.#worker.postMessage(opening, [theirs]);
    return ours;
  }
}
