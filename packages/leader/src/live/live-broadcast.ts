import { type Log, reasonOf } from '@lcs/platform';
import type { LiveEvent } from './live-event.ts';

/** Carries texts to all processes of a database that listen. */
export interface BroadcastPort {
  readonly isOpen: boolean;
  /** @throws StoreError when others may not get it */
  send(text: string): Promise<void>;
}

/** Events as they are broadcast. */
export interface LiveBatch {
  readonly run: string;
  /** Each follows the one before, as long as others wait for it. */
  readonly events: readonly LiveEvent[];
}

export interface LiveBroadcastOptions {
  readonly port: BroadcastPort;
  readonly run: string;
  readonly log: Log;
}

/** What may wait for the server. */
const mostCharacters = 4 * 1024 * 1024;

/** Sends the events of this run to other processes, those that come meanwhile together. */
export class LiveBroadcast {
  readonly #options: LiveBroadcastOptions;
  #waiting: LiveEvent[] = [];
  #characters = 0;
  #isSending = false;
  #onLost = (): void => {};

  constructor(options: LiveBroadcastOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#options.port.isOpen;
  }

  /** Calls `listener` when events are lost: whoever waits for them must begin again. */
  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  send(event: LiveEvent): void {
    this.#waiting.push(event);
    this.#characters += event.text.length;
    if (this.#characters > mostCharacters) this.#lose('The database server takes them too slowly');
    else if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { port, run } = this.#options;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batch: LiveBatch = { run, events: this.#waiting };
      this.#forget();
      try {
        await port.send(JSON.stringify(batch));
      } catch (error) {
        this.#lose(reasonOf(error));
      }
    }
    this.#isSending = false;
  }

  #lose(reason: string): void {
    this.#forget();
    this.#options.log.warn('Live events could not be sent to other processes: their clients connect again', { reason });
    this.#onLost();
  }

  #forget(): void {
    this.#waiting = [];
    this.#characters = 0;
  }
}
