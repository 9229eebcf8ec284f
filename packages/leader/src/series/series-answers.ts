import { AnswerCache } from './answer-cache.ts';
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
  /** Size limit of all kept answers, in bytes. Default 16 MiB. */
  readonly maxBytes?: number;
}

/** A question without its moment: it is asked as of now. */
export type TimelessQuestion = Omit<SeriesQuestion, 'nowMs'>;

const defaultMaxBytes = 16 * 1024 * 1024;

/** Answers about time series, each read once until a reading of its source is stored or leaves its window. */
export class SeriesAnswers {
  readonly #options: SeriesAnswersOptions;
  readonly #cache: AnswerCache<SeriesAnswer>;

  constructor(options: SeriesAnswersOptions) {
    this.#options = options;
    this.#cache = new AnswerCache({ now: options.now, maxBytes: options.maxBytes ?? defaultMaxBytes });
  }

  /** The answer as of now. @throws ReaderFailed, the signal's reason */
  current(question: TimelessQuestion, signal: AbortSignal): Promise<SeriesAnswer> {
    const { changes, readers } = this.#options;
    return this.#cache.current(
      {
        key: JSON.stringify(Object.entries(question).sort()),
        version: () => changes.count(question.experimentUid, question.source),
        read: (nowMs, isWanted) => readers.answer({ ...question, nowMs }, isWanted),
      },
      signal,
    );
  }
}
