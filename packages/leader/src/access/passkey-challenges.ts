import { randomBytes } from 'node:crypto';
import { minuteMs } from '@lcs/contract';
import type { Clock } from '@lcs/platform';

/** How long a challenge can be answered. */
export const challengeLifeMs = 5 * minuteMs;
/** Challenges that are open at a time; the oldest is forgotten first. */
const limit = 1000;

/** Open challenges, in memory only: each is answered once, within 5 minutes, by whom it was made for. */
export class PasskeyChallenges {
  readonly #wire: Pick<Clock, 'monotonic'>;
  readonly #open = new Map<string, { readonly madeFor: string; readonly endsMs: number }>();

  constructor(wire: Pick<Clock, 'monotonic'>) {
    this.#wire = wire;
  }

  /** @param madeFor ID of a person; empty: a sign-in, before the person is known */
  make(madeFor: string): string {
    const challenge = randomBytes(32).toString('base64url');
    this.#open.set(challenge, { madeFor, endsMs: this.#wire.monotonic() + challengeLifeMs });
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= limit) break;
      this.#open.delete(oldest);
    }
    return challenge;
  }

  /** Whether the challenge is open and was made for this person; it is closed then. */
  take(challenge: string, madeFor: string): boolean {
    const open = this.#open.get(challenge);
    if (open === undefined || open.madeFor !== madeFor) return false;
    this.#open.delete(challenge);
    return this.#wire.monotonic() < open.endsMs;
  }
}
