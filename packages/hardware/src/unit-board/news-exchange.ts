import type { Cancel } from '@lcs/platform';
import type { Actuators } from '../guard/actuators.ts';
import { GuardLost, type GuardNews } from '../guard/guard-link.ts';

/** Passes on what the guard says: first to the actuators, then to whoever listens. */
export class NewsExchange {
  readonly #listeners = new Set<(news: GuardNews) => void>();
  #actuators: Actuators | undefined;

  /** The actuators come after the guard that speaks to them. */
  connect(actuators: Actuators): void {
    this.#actuators = actuators;
  }

  listen(listener: (news: GuardNews) => void): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(news: GuardNews): void {
    void this.#tellActuators(news);
    for (const listener of this.#listeners) listener(news);
  }

  async #tellActuators(news: GuardNews): Promise<void> {
    try {
      await this.#actuators?.take(news);
    } catch (error) {
      // The guard was lost again while it was being told: its successor is told anew.
      if (!(error instanceof GuardLost)) throw error;
    }
  }
}
