import type { UnitStatus } from '@lcs/contract';
import type { Cancel, Clock, Living } from '@lcs/platform';
import type { LivePublisher } from '../core/leader-context.ts';

export interface UnitNewsOptions {
  readonly live: LivePublisher;
  readonly wire: Clock;
  readonly describe: (unit: string) => UnitStatus | undefined;
  /** All units whose status is told. */
  readonly units: () => readonly string[];
}

const everyMs = 10_000;

/** Tells the pages how the units are: at once what matters, and every 10 s what else has changed. */
export class UnitNews implements Living {
  readonly name = 'news of units';
  readonly #options: UnitNewsOptions;
  readonly #told = new Map<string, string>();
  #cancel: Cancel | undefined;

  constructor(options: UnitNewsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.wire.every(everyMs, () => {
      for (const unit of this.#options.units()) this.changed(unit);
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#told.clear();
  }

  /** Something about the unit may be different now. */
  changed(unit: string): void {
    const status = this.#options.describe(unit);
    if (status === undefined) {
      this.#told.delete(unit);
      return;
    }
    const text = JSON.stringify(status);
    if (this.#told.get(unit) === text) return;
    this.#told.set(unit, text);
    this.#options.live.publish('unit', unit, status);
  }
}
