interface Kept {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2;
}

/** The newest message of each retained topic, and which of them the present connection has not sent yet. */
export class RetainedTopics {
  readonly #kept = new Map<string, Kept>();
  readonly #unsent = new Set<string>();

  keep(topic: string, payload: string, qos: 0 | 1 | 2): void {
    this.#kept.set(topic, { topic, payload, qos });
    this.#unsent.add(topic);
  }

  /** The topics below this prefix with a message. */
  below(prefix: string): readonly string[] {
    return [...this.#kept.values()].flatMap(({ topic, payload }) =>
      topic.startsWith(prefix) && payload !== '' ? [topic] : [],
    );
  }

  /** The present connection has sent the newest message of this topic. */
  sent(topic: string): void {
    this.#unsent.delete(topic);
  }

  /** The broker has acknowledged an empty message, so it no longer retains the topic. */
  cleared(topic: string): void {
    if (this.#kept.get(topic)?.payload === '') this.#kept.delete(topic);
  }

  /** For a new connection, which has sent nothing. */
  forgetSent(): void {
    for (const topic of this.#kept.keys()) this.#unsent.add(topic);
  }

  /** The next messages to send, at most `most`; they are marked as sent. */
  takeUnsent(most: number): readonly Kept[] {
    const taken: Kept[] = [];
    for (const topic of this.#unsent) {
      if (taken.length >= most) break;
      const kept = this.#kept.get(topic);
      if (kept !== undefined) taken.push(kept);
    }
    for (const { topic } of taken) this.sent(topic);
    return taken;
  }
}
