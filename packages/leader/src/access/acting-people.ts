import { minuteMs } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import { newSecret } from './secrets.ts';

/** How long a PIN is valid after its entry. */
export const actingMs = minuteMs;

/** Who acts at a shared tablet. */
export interface Acting {
  readonly personId: string;
  /** Requests of the page where the PIN was entered have it in place of the CSRF token of the session. */
  readonly csrfToken: string;
  /** By the clock of the wire. */
  readonly endsMs: number;
}

/** Who has entered a PIN at which shared tablet; in memory only, one person for each tablet. */
export class ActingPeople {
  readonly #wire: Pick<Clock, 'monotonic'>;
  /** By the ID of the session of the tablet. */
  readonly #acting = new Map<string, Acting>();

  constructor(wire: Pick<Clock, 'monotonic'>) {
    this.#wire = wire;
  }

  begin(sessionId: string, personId: string): Acting {
    const acting = { personId, csrfToken: newSecret(), endsMs: this.#wire.monotonic() + actingMs };
    this.#acting.set(sessionId, acting);
    return acting;
  }

  end(sessionId: string): void {
    this.#acting.delete(sessionId);
  }

  /** Who acts at a tablet with a request that has this CSRF token; undefined: nobody, or no longer. */
  at(sessionId: string, csrfToken: string | string[] | undefined): Acting | undefined {
    const acting = this.#acting.get(sessionId);
    if (acting === undefined || acting.csrfToken !== csrfToken) return undefined;
    if (this.#wire.monotonic() < acting.endsMs) return acting;
    this.#acting.delete(sessionId);
    return undefined;
  }
}
