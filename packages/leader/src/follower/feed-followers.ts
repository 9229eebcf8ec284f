import type { FeedAnswer } from '@lcs/contract';
import type { Cancel, Living } from '@lcs/platform';
import { Lane } from '../fleet/lane.ts';
import type { FeedClient } from './feed-client.ts';
import type { FeedMark } from './ingest-port.ts';
import { type FollowerContext, UnitFollower } from './unit-follower.ts';

export interface FeedFollowersOptions
  extends Omit<FollowerContext, 'lane' | 'restMs' | 'onAnswer' | 'onStored' | 'onTrouble'>,
    Partial<Pick<FollowerContext, 'onAnswer' | 'onStored' | 'onTrouble'>> {
  readonly clientOf: (unit: string) => FeedClient;
  readonly onLiveness?: (unit: string, liveness: Liveness) => void;
  /** Units that are caught up with or stored at once. Default 4. */
  readonly atOnce?: number;
}

interface Followed {
  readonly follower: UnitFollower;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
  lastAnswerMs: number | undefined;
  liveness: Liveness;
}

const livenessCheckMs = 1_000;
/** With 200 units a second between two answers of each: some 200 answers a second in all. */
const restPerUnitMs = 5;
const leastRestMs = 50;

/** One follower per unit, and what their answers say about who is there. */
export class FeedFollowers implements Living {
  readonly name = 'followers';
  readonly #options: FeedFollowersOptions;
  readonly #lane: Lane;
  readonly #followed = new Map<string, Followed>();
  #cancelChecks: Cancel | undefined;

  constructor(options: FeedFollowersOptions) {
    this.#options = options;
    this.#lane = new Lane(options.atOnce ?? 4);
  }

  async start(): Promise<void> {
    this.#cancelChecks = this.#options.wire.every(livenessCheckMs, () => this.#checkLiveness());
  }

  async stop(): Promise<void> {
    this.#cancelChecks?.();
    await Promise.all([...this.#followed.keys()].map((unit) => this.unfollow(unit)));
  }

  /** Follows the unit from where the store stands; does nothing when it is followed already. */
  follow(unit: string): void {
    if (this.#followed.has(unit)) return;
    const ending = new AbortController();
    const follower = new UnitFollower(unit, this.#options.clientOf(unit), this.#context());
    // In the map first: the first answer may come before `run` has returned.
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#followed.set(unit, { follower, ending, ended, lastAnswerMs: undefined, liveness: 'offline' });
    follower.run(ending.signal).then(resolve, (error: unknown) => {
      this.#options.log.error('A follower ended unexpectedly', { unit, error });
      resolve();
    });
  }

  async unfollow(unit: string): Promise<void> {
    const followed = this.#followed.get(unit);
    if (followed === undefined) return;
    followed.ending.abort();
    await followed.ended;
    this.#followed.delete(unit);
  }

  /** The unit has enrolled. */
  enrolled(unit: string): void {
    this.#followed.get(unit)?.follower.enrolled();
  }

  /** Undefined for a unit that is not followed. */
  livenessOf(unit: string): Liveness | undefined {
    return this.#followed.get(unit)?.liveness;
  }

  markOf(unit: string): FeedMark | undefined {
    return this.#followed.get(unit)?.follower.mark;
  }

  #context(): FollowerContext {
    const { onStored, onTrouble } = this.#options;
    return {
      ...this.#options,
      lane: this.#lane,
      restMs: () => Math.max(leastRestMs, restPerUnitMs * this.#followed.size),
      onAnswer: (unit, answer) => this.#answered(unit, answer),
      onStored: onStored ?? (() => {}),
      onTrouble: onTrouble ?? (() => {}),
    };
  }

  #answered(unit: string, answer: FeedAnswer): void {
    const followed = this.#followed.get(unit);
    if (followed !== undefined) {
      followed.lastAnswerMs = this.#options.wire.monotonic();
      this.#become(unit, followed, 'online');
    }
    this.#options.onAnswer?.(unit, answer);
  }

  #checkLiveness(): void {
    const now = this.#options.wire.monotonic();
    for (const [unit, followed] of this.#followed) {
      const { lastAnswerMs } = followed;
      this.#become(unit, followed, livenessAfter(lastAnswerMs === undefined ? undefined : now - lastAnswerMs));
    }
  }

  #become(unit: string, followed: Followed, liveness: Liveness): void {
    if (followed.liveness === liveness) return;
    followed.liveness = liveness;
    this.#options.onLiveness?.(unit, liveness);
  }
}

export type Liveness = 'online' | 'stale' | 'offline';

/** By the age of the last good answer in milliseconds of the wire clock; undefined: there was none yet. */
function livenessAfter(ageMs: number | undefined): Liveness {
  if (ageMs === undefined || ageMs >= 60_000) return 'offline';
  return ageMs < 20_000 ? 'online' : 'stale';
}
