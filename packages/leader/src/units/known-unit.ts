import type { Cancel } from '@lcs/platform';
import type { Backoff } from '../follower/backoff.ts';

/** Whether a unit belongs to the cluster. `leaving`: it was let go and has not said that it knows. */
export type Membership = 'member' | 'leaving' | 'gone';

/** What is remembered of a unit between two deliveries of its document. */
export interface KnownUnit {
  version: number;
  membership: Membership;
  /** The version it says it has. */
  has: number;
  /** The version of which it says that nothing of it is still being applied. */
  applied: number;
  /** The run of the unit (epoch and boot) that has been given its document by this run of the leader. */
  told: string | undefined;
  heard: string | undefined;
  /** It obeys another leader, or none, or speaks another version of the protocol: nothing is sent before it enrols again. */
  isBlocked: boolean;
  sending: 'no' | 'yes' | 'again';
  /** Settles when the sending under way has ended. */
  delivery: Promise<void>;
  /** Why the last sending got no answer; undefined: it got one. */
  noAnswer: string | undefined;
  notBeforeMs: number;
  /** Of the next attempt to bring orders. */
  cancelAttempt: Cancel;
  readonly retry: Backoff;
  complained: string | undefined;
}
