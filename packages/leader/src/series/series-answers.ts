import { AnswerCache } from './answer-cache.ts';
import { answerEnd, answerHead } from './points-text.ts';
import type { SeriesAnswer } from './reader-protocol.ts';
import type { SeriesChanges } from './series-changes.ts';
import type { LinesQuestion, ReadPlan, SeriesQuestion } from './series-reader.ts';

/** Reads responses that are not cached. */
interface AnswerSource {
  answer(question: SeriesQuestion, isWanted: () => boolean): Promise<SeriesAnswer | ReadPlan>;
  lines(question: LinesQuestion, isWanted: () => boolean): Promise<Uint8Array>;
}

export interface SeriesAnswersOptions {
  readonly readers: AnswerSource;
  readonly changes: Pick<SeriesChanges, 'count'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Size limit of the cache, in bytes. Default 16 MiB. */
  readonly maxBytes?: number;
}

/** A request whose window ends at the present, or at a moment before. */
export interface WindowQuestion extends Omit<SeriesQuestion, 'nowMs'> {
  /** The end of the window; absent: the present. A moment that has not come yet means the present. */
  readonly untilMs?: number;
}

/** Approximate memory of one line of a plan. */
const plannedLineBytes = 300;
/** Each reading thread has one part in progress and one queued. */
const partsAhead = 3;
const defaultMaxBytes = 16 * 1024 * 1024;

/** Cached answers about time series, valid until a reading of their source is stored or leaves the window. */
export class SeriesAnswers {
  readonly #options: SeriesAnswersOptions;
  readonly #cache: AnswerCache<SeriesAnswer | ReadPlan>;

  constructor(options: SeriesAnswersOptions) {
    this.#options = options;
    this.#cache = new AnswerCache({
      now: options.now,
      maxBytes: options.maxBytes ?? defaultMaxBytes,
      bytesOf: (answer) => ('parts' in answer ? answer.labels.length * plannedLineBytes : answer.bytes.byteLength),
    });
  }

  /** The present response or, when it is large, a plan of it. @throws ReaderFailed, the signal's reason */
  current(request: WindowQuestion, signal: AbortSignal): Promise<SeriesAnswer | ReadPlan> {
    const { changes, readers } = this.#options;
    const { untilMs = Number.POSITIVE_INFINITY, ...question } = request;
    return this.#cache.current(
      {
        key: JSON.stringify(Object.entries(request).sort()),
        version: () => changes.count(question.experimentUid, question.source),
        read: async (nowMs, isWanted) => {
          const answer = await readers.answer({ ...question, nowMs: Math.min(nowMs, untilMs) }, isWanted);
          // No reading leaves or enters a window of the past as time goes on.
          return untilMs < nowMs ? { ...answer, changesAtMs: Number.POSITIVE_INFINITY } : answer;
        },
      },
      signal,
    );
  }

  /**
   * The planned response piece by piece, at the speed of the consumer: a few parts are read ahead, by all threads.
   * @throws ReaderFailed
   */
  async *streamed(
    { labels, parts }: ReadPlan,
    signal: AbortSignal,
  ): AsyncGenerator<string | Uint8Array, void, undefined> {
    const { readers } = this.#options;
    const waiting = parts.values();
    const begun: Promise<Uint8Array>[] = [];
    const beginNext = () => {
      const { value: part } = waiting.next();
      if (part === undefined) return;
      const read = readers.lines(part, () => !signal.aborted);
      // The consumer of this part receives its failure; it may have none.
      read.catch(() => {});
      begun.push(read);
    };
    for (let part = 0; part < partsAhead; part += 1) beginNext();
    yield answerHead(labels);
    let separator = '';
    for (let part = begun.shift(); part !== undefined; part = begun.shift()) {
      const lines = await part;
      beginNext();
      if (separator) yield separator;
      yield lines;
      separator = ',';
    }
    yield answerEnd;
  }
}
