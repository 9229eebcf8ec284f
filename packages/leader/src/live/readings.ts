import type { Reading } from '@lcs/contract';
import type { Cancel, Clock, Service } from '@lcs/platform';
import type { LivePublisher } from '../core/leader-context.ts';

const flushMs = 1_000;

const readingKey = ({ experiment, reactor_unit, source, channel, angle }: Reading): string =>
  `${experiment}/${reactor_unit}/${source}/${channel ?? ''}/${angle ?? ''}`;

/**
 * Publishes readings to the web UI: new ones at once; of backfill only the newest of each series, once a second. The web UI
 * requests the others when it needs them.
 */
export class Readings implements Service {
  readonly name = 'live readings';
  readonly #live: LivePublisher;
  readonly #wire: Clock;
  readonly #waiting = new Map<string, Reading>();
  #cancel: Cancel | undefined;

  constructor(live: LivePublisher, wire: Clock) {
    this.#live = live;
    this.#wire = wire;
  }

  async start(): Promise<void> {
    this.#cancel = this.#wire.every(flushMs, () => this.#flush());
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#waiting.clear();
  }

  publish(reading: Reading): void {
    const key = readingKey(reading);
    if (reading.backfill) {
      this.#waiting.set(key, reading);
      return;
    }
    // The waiting reading is older than this one: it is dropped.
    this.#waiting.delete(key);
    this.#live.publish('reading', key, reading);
  }

  #flush(): void {
    for (const [key, reading] of this.#waiting) this.#live.publish('reading', key, reading);
    this.#waiting.clear();
  }
}
