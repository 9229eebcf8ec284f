import type { BrokerLimits } from './broker-limits.ts';
import type { Message } from './message.ts';
import { TopicTree } from './topic-tree.ts';

interface Kept {
  readonly message: Message;
  /** The client that published it; undefined: the leader. */
  readonly owner: string | undefined;
}

interface Usage {
  topics: number;
  bytes: number;
}

type RetainedLimits = Pick<
  BrokerLimits,
  'retainedTopics' | 'retainedBytes' | 'clientRetainedTopics' | 'clientRetainedBytes'
>;

/** The newest retained message of each topic, within limits for each client and for all. */
export class RetainedMessages {
  readonly #limits: RetainedLimits;
  readonly #tree = new TopicTree<Kept>();
  readonly #total: Usage = { topics: 0, bytes: 0 };
  readonly #byOwner = new Map<string, Usage>();

  constructor(limits: RetainedLimits) {
    this.#limits = limits;
  }

  /**
   * Replaces the message of a topic, or clears the topic when the payload is empty. Returns false when a limit forbids it; then the topic has no
   * message, because the previous one would be outdated. Messages of the leader count towards the limits, and are
   * are never refused.
   */
  keep(message: Message, owner: string | undefined): boolean {
    this.#forget(message.topic);
    if (message.payload.length === 0) return true;
    if (owner !== undefined && !this.#hasSpace(message, owner)) return false;
    this.#tree.set(message.topic, { message, owner });
    this.#count(owner, 1, message.bytes);
    return true;
  }

  /** The matching messages of a filter; undefined after a step without a match. */
  *find(filter: string): Generator<Message | undefined, void, undefined> {
    for (const kept of this.#tree.findTopics(filter)) yield kept?.message;
  }

  #forget(topic: string): void {
    const kept = this.#tree.get(topic);
    if (kept === undefined) return;
    this.#tree.delete(topic);
    this.#count(kept.owner, -1, -kept.message.bytes);
  }

  #hasSpace({ bytes }: Message, owner: string): boolean {
    const { retainedTopics, retainedBytes, clientRetainedTopics, clientRetainedBytes } = this.#limits;
    const own = this.#byOwner.get(owner) ?? { topics: 0, bytes: 0 };
    return (
      this.#total.topics < retainedTopics &&
      this.#total.bytes + bytes <= retainedBytes &&
      own.topics < clientRetainedTopics &&
      own.bytes + bytes <= clientRetainedBytes
    );
  }

  #count(owner: string | undefined, topics: number, bytes: number): void {
    this.#total.topics += topics;
    this.#total.bytes += bytes;
    if (owner === undefined) return;
    const own = this.#byOwner.get(owner) ?? { topics: 0, bytes: 0 };
    own.topics += topics;
    own.bytes += bytes;
    if (own.topics === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, own);
  }
}
