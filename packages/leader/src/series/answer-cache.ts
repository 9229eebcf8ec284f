/** A cacheable answer. */
export interface KeepableAnswer {
  /** The answer expires at this time (ms), even without new data. */
  readonly changesAtMs: number;
}

/** How one request is answered. */
export interface Question<Answer extends KeepableAnswer> {
  /** Requests with the same key have the same answer. */
  readonly key: string;
  /** Number of changes so far of what the answer is read from; never smaller than at an earlier call. */
  readonly version: () => number;
  /**
   * Reads the answer as of `nowMs` (milliseconds since 1970 UTC), from everything that was stored before the call.
   * `isWanted`: whether a caller still waits for it.
   */
  readonly read: (nowMs: number, isWanted: () => boolean) => Promise<Answer>;
}

export interface AnswerCacheOptions<Answer> {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Size limit of all kept answers, in bytes. */
  readonly maxBytes: number;
  readonly bytesOf: (answer: Answer) => number;
}

interface Stamp {
  readonly askedAtMs: number;
  /** Version at the start of the read: the answer may include later changes, never fewer. */
  readonly version: number;
}

interface Kept<Answer> extends Stamp {
  readonly answer: Answer;
}

/** A running read with its waiting callers. */
interface Running<Answer> extends Stamp {
  readonly answer: Promise<Answer>;
  readonly callers: Set<AbortSignal>;
}

type Queued<Answer> = Pick<Running<Answer>, 'answer' | 'callers'>;

/** Approximate memory of one answer beside its content and its key. */
const overheadBytes = 400;

/**
 * Caches each answer as long as it is valid: until its version changes, or until it
 * expires. At most one read per key runs and one waits: callers after a change share the waiting one, so that
 * the cost does not grow with the number of callers or the rate of changes.
 */
export class AnswerCache<Answer extends KeepableAnswer> {
  readonly #options: AnswerCacheOptions<Answer>;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept<Answer>>();
  readonly #running = new Map<string, Running<Answer>>();
  readonly #queued = new Map<string, Queued<Answer>>();
  #bytes = 0;

  constructor(options: AnswerCacheOptions<Answer>) {
    this.#options = options;
  }

  /** The answer as of now. @throws what `read` throws; the signal's reason */
  async current(question: Question<Answer>, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#current(question, signal);
    } catch (error) {
      // A read that was dropped because its callers have cancelled is not a failure.
      signal.throwIfAborted();
      throw error;
    }
  }

  async #current(question: Question<Answer>, signal: AbortSignal): Promise<Answer> {
    const { key } = question;
    const stamp = this.#stamp(question);
    const kept = this.#kept.get(key);
    if (kept && isCurrent(kept, kept.answer, stamp)) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.answer;
    }
    const running = this.#running.get(key);
    if (running?.version === stamp.version && running.askedAtMs <= stamp.askedAtMs) {
      running.callers.add(signal);
      const answer = await running.answer;
      // Time may have passed since that reading began.
      if (isCurrent(running, answer, stamp)) return answer;
    }
    return this.#readAfresh(question, signal);
  }

  /** An answer of a read that starts after this call. */
  #readAfresh(question: Question<Answer>, signal: AbortSignal): Promise<Answer> {
    const running = this.#running.get(question.key);
    if (running === undefined) return this.#begin(question, new Set([signal]));
    const queued = this.#queued.get(question.key) ?? this.#queueBehind(running, question);
    queued.callers.add(signal);
    return queued.answer;
  }

  #queueBehind(running: Running<Answer>, question: Question<Answer>): Queued<Answer> {
    const callers = new Set<AbortSignal>();
    const begin = () => {
      this.#queued.delete(question.key);
      return this.#begin(question, callers);
    };
    // A failure of the earlier read concerns only its own callers.
    const queued = { callers, answer: running.answer.then(begin, begin) };
    this.#queued.set(question.key, queued);
    return queued;
  }

  #begin(question: Question<Answer>, callers: Set<AbortSignal>): Promise<Answer> {
    const stamp = this.#stamp(question);
    const answer = this.#read(question, stamp, callers);
    this.#running.set(question.key, { ...stamp, answer, callers });
    return answer;
  }

  async #read(question: Question<Answer>, stamp: Stamp, callers: Set<AbortSignal>): Promise<Answer> {
    const { key } = question;
    try {
      const answer = await question.read(stamp.askedAtMs, () => [...callers].some(({ aborted }) => !aborted));
      this.#keep(key, { ...stamp, answer });
      return answer;
    } finally {
      if (this.#running.get(key)?.callers === callers) this.#running.delete(key);
    }
  }

  #stamp({ version }: Question<Answer>): Stamp {
    return { askedAtMs: Math.floor(this.#options.now()), version: version() };
  }

  #keep(key: string, kept: Kept<Answer>): void {
    const { maxBytes } = this.#options;
    const size = this.#sizeOf(key, kept.answer);
    this.#drop(key);
    // An answer that would evict most others is not cached.
    if (size > maxBytes / 4) return;
    this.#kept.set(key, kept);
    this.#bytes += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= this.#sizeOf(key, kept.answer);
  }

  #sizeOf(key: string, answer: Answer): number {
    return this.#options.bytesOf(answer) + key.length + overheadBytes;
  }
}

const isCurrent = (made: Stamp, answer: KeepableAnswer, { askedAtMs, version }: Stamp): boolean =>
  made.version === version && askedAtMs >= made.askedAtMs && askedAtMs < answer.changesAtMs;
