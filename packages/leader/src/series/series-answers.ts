import type { SeriesAnswer } from './series-answer.ts';
import type { SeriesChanges } from './series-changes.ts';
import type { SeriesQuestion } from './series-reader.ts';

/** Where answers come from when none is kept. */
interface AnswerSource {
  answer(question: SeriesQuestion, isWanted: () => boolean): Promise<SeriesAnswer>;
}

export interface SeriesAnswersOptions {
  readonly readers: AnswerSource;
  readonly changes: SeriesChanges;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** All that is kept, in bytes. Default 16 MiB. */
  readonly mostBytes?: number;
}

/** A question without its moment: it is asked as of now. */
export type TimelessQuestion = Omit<SeriesQuestion, 'nowMs'>;

interface Stamp {
  readonly askedAtMs: number;
  /** Changes of the source when it was asked: the answer may know later ones, never fewer. */
  readonly count: number;
}

interface Kept extends Stamp {
  readonly answer: SeriesAnswer;
}

interface Pending extends Stamp {
  readonly answer: Promise<SeriesAnswer>;
  readonly callers: Set<AbortSignal>;
}

const defaultMostBytes = 16 * 1024 * 1024;
/** About what the engine takes for an answer beside its bytes and the text of its question. */
const overheadBytes = 400;

/**
 * Answers about time series, kept for as long as the same question has the same answer: until a reading of the source is
 * stored, or the passing of time moves one out of the window. Those who ask the same while it is being read share the answer.
 */
export class SeriesAnswers {
  readonly #options: SeriesAnswersOptions;
  readonly #mostBytes: number;
  /** The one used last is the last. */
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Map<string, Pending>();
  #bytes = 0;

  constructor(options: SeriesAnswersOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? defaultMostBytes;
  }

  /** The answer as of now. @throws ReaderFailed, the signal's reason */
  async current(question: TimelessQuestion, signal: AbortSignal): Promise<SeriesAnswer> {
    try {
      return await this.#current(question, signal);
    } catch (error) {
      // That it was left out is no fault: whoever asked has gone, or their time was up.
      signal.throwIfAborted();
      throw error;
    }
  }

  async #current(question: TimelessQuestion, signal: AbortSignal): Promise<SeriesAnswer> {
    const { changes, now } = this.#options;
    const key = JSON.stringify(Object.entries(question).sort());
    const stamp: Stamp = {
      askedAtMs: Math.floor(now()),
      count: changes.count(question.experimentUid, question.source),
    };
    const kept = this.#kept.get(key);
    if (kept && isCurrent(kept, kept.answer, stamp)) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.answer;
    }
    const pending = this.#pending.get(key);
    if (pending?.count === stamp.count && pending.askedAtMs <= stamp.askedAtMs) {
      pending.callers.add(signal);
      const answer = await pending.answer;
      // Time may have passed while others waited for it.
      if (isCurrent(pending, answer, stamp)) return answer;
    }
    return this.#ask(key, question, stamp, signal);
  }

  async #ask(key: string, question: TimelessQuestion, stamp: Stamp, signal: AbortSignal): Promise<SeriesAnswer> {
    const callers = new Set([signal]);
    const isWanted = () => [...callers].some(({ aborted }) => !aborted);
    const answer = this.#options.readers.answer({ ...question, nowMs: stamp.askedAtMs }, isWanted);
    const pending: Pending = { ...stamp, answer, callers };
    this.#pending.set(key, pending);
    try {
      const read = await answer;
      this.#keep(key, { ...stamp, answer: read });
      return read;
    } finally {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    }
  }

  #keep(key: string, kept: Kept): void {
    const size = sizeOf(key, kept);
    this.#drop(key);
    // One that would push out most others is not worth it.
    if (size > this.#mostBytes / 4) return;
    this.#kept.set(key, kept);
    this.#bytes += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(key, kept);
  }
}

/** Many small answers take more memory than their text. */
const sizeOf = (key: string, { answer }: Kept): number => answer.bytes.byteLength + key.length + overheadBytes;

const isCurrent = (made: Stamp, answer: SeriesAnswer, { askedAtMs, count }: Stamp): boolean =>
  made.count === count && askedAtMs >= made.askedAtMs && askedAtMs < answer.changesAtMs;
