import type { Cancel } from '@lcs/platform';
import type { Actuators } from '../guard/actuators.ts';
import { type GuardEvent, GuardLost } from '../guard/guard-link.ts';

/** Passes events of the guard on: first to the actuators, then to the subscribers. */
export class GuardEventBus {
  readonly #listeners = new Set<(event: GuardEvent) => void>();
  #actuators: Actuators | undefined;

  /** The actuators are made after the guard whose events they receive. */
  connect(actuators: Actuators): void {
    this.#actuators = actuators;
  }

  subscribe(listener: (event: GuardEvent) => void): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  publish(event: GuardEvent): void {
    void this.#notifyActuators(event);
    for (const listener of this.#listeners) listener(event);
  }

  async #notifyActuators(event: GuardEvent): Promise<void> {
    try {
      await this.#actuators?.take(event);
    } catch (error) {
      // The guard was lost again in the meantime: the next one is initialised from the beginning.
      if (!(error instanceof GuardLost)) throw error;
    }
  }
}
