import { Lane } from '../fleet/lane.ts';
import type { FeedClient } from './feed-client.ts';
import { type FollowerContext, UnitFollower } from './unit-follower.ts';

export interface FeedFollowersOptions
  extends Omit<FollowerContext, 'lane' | 'restMs' | 'onAnswer' | 'onPosition' | 'onRefusal'>,
    Partial<Pick<FollowerContext, 'onAnswer' | 'onPosition' | 'onRefusal'>> {
  readonly clientOf: (unit: string) => FeedClient;
  /** Units that catch up or are stored at once. Default 4. */
  readonly atOnce?: number;
}

/** What reads the feeds of units. */
export interface Followers {
  follow(unit: string): void;
  unfollow(unit: string): Promise<void>;
  /** The unit has enrolled. */
  enrolled(unit: string): void;
  stop(): Promise<void>;
}

/** How a follower reports what it has read. */
export type FollowerReports = Required<Pick<FeedFollowersOptions, 'onAnswer' | 'onPosition' | 'onRefusal'>>;

interface Followed {
  readonly follower: UnitFollower;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

/** With 200 units, a second between two responses of each: some 200 responses a second in all. */
const restPerUnitMs = 5;
const leastRestMs = 50;

/** One follower per unit. */
export class FeedFollowers implements Followers {
  readonly #options: FeedFollowersOptions;
  readonly #lane: Lane;
  readonly #followed = new Map<string, Followed>();

  constructor(options: FeedFollowersOptions) {
    this.#options = options;
    this.#lane = new Lane(options.atOnce ?? 4);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#followed.keys()].map((unit) => this.unfollow(unit)));
  }

  /** Follows the unit from the stored mark; does nothing when it is already followed. */
  follow(unit: string): void {
    if (this.#followed.has(unit)) return;
    const ending = new AbortController();
    const follower = new UnitFollower(unit, this.#options.clientOf(unit), this.#context());
    // In the map first: the first response may arrive before `run` has returned.
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#followed.set(unit, { follower, ending, ended });
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

  #context(): FollowerContext {
    const { onAnswer, onPosition, onRefusal } = this.#options;
    return {
      ...this.#options,
      lane: this.#lane,
      restMs: () => Math.max(leastRestMs, restPerUnitMs * this.#followed.size),
      onAnswer: onAnswer ?? (() => {}),
      onPosition: onPosition ?? (() => {}),
      onRefusal: onRefusal ?? (() => {}),
    };
  }
}
