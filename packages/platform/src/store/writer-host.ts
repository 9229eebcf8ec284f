import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Cancel } from '../clock/clock.ts';
import type { Service } from '../lifecycle/in-order.ts';
import { StoreError } from './store-error.ts';
import { workerFile } from './worker-file.ts';
import type { WriterOpening, WriterSettings } from './writer-protocol.ts';

/** Its messages are short-lived: a small young generation costs no time (measured), and the default may grow to 48 MB. */
const maxYoungGenerationSizeMb = 12;

/**
 * The thread that writes databases. Each of them has its own writing connection, lanes and message port; a failure of one does not affect
 * the others. They share the thread's time and its end.
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

  /** Ends the thread; close its databases first. */
  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Calls the listener once, with the reason, when the thread has ended. */
  onEnd(listener: (cause: unknown) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets the process end while the thread runs. */
  unref(): void {
    this.#worker?.unref();
  }

  /** Opens one database and serves it on the port, which closes with the database. @throws StoreError not_running */
  open(settings: WriterSettings): MessagePort {
    if (this.#worker === undefined)
      throw new StoreError('not_running', 'The thread that writes databases is not running.');
    const { port1: localPort, port2: threadPort } = new MessageChannel();
    const opening: WriterOpening = { settings, port: threadPort };
    this.#worker.postMessage(opening, [threadPort]);
    return localPort;
  }
}
