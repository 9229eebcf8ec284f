import type { UnitStatus } from '@lcs/contract';
import type { Cancel, Clock, Service } from '@lcs/platform';
import type { LivePublisher } from '../core/leader-context.ts';
import type { UnitSessions } from './unit-sessions.ts';

export interface UnitStatusPublisherOptions {
  readonly live: LivePublisher;
  readonly wire: Clock;
  readonly describe: (unit: string) => UnitStatus | undefined;
  /** Their members have a status. */
  readonly sessions: UnitSessions;
}

const everyMs = 10_000;

/** Publishes the status of the units: important changes at once, other changes every 10 s. */
export class UnitStatusPublisher implements Service {
  readonly name = 'unit status publisher';
  readonly #options: UnitStatusPublisherOptions;
  readonly #published = new Map<string, string>();
  #cancel: Cancel | undefined;

  constructor(options: UnitStatusPublisherOptions) {
    this.#options = options;
    options.sessions.onEffect((unit, effect) => {
      if (effect.do === 'publish status') this.#publish(unit);
    });
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.wire.every(everyMs, () => {
      for (const unit of this.#options.sessions.members()) this.#publish(unit);
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#published.clear();
  }

  #publish(unit: string): void {
    const status = this.#options.describe(unit);
    if (status === undefined) {
      this.#published.delete(unit);
      return;
    }
    const text = JSON.stringify(status);
    if (this.#published.get(unit) === text) return;
    this.#published.set(unit, text);
    this.#options.live.publish('unit', unit, status);
  }
}
