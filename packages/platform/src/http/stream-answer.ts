import type { ServerResponse } from 'node:http';
import type { StreamBody } from '@lcs/contract';

type Chunk = string | Uint8Array;
type Next = IteratorResult<Chunk, unknown>;

/** Waits until the response takes more, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}

/**
 * An answer sent chunk by chunk, never faster than the caller reads. However it ends, the iterator is returned, so that
 * its `finally` runs; a generator that waits for something is woken by the request's signal, not by its return.
 */
export class StreamAnswer {
  readonly #chunks: AsyncIterator<Chunk>;
  readonly #response: ServerResponse;
  readonly #onLateFailure: (error: unknown) => void;
  #ended = false;
  #stopWaiting = (): void => {};

  /** `onLateFailure` hears what the iterator throws when it is returned early. */
  constructor(body: StreamBody, response: ServerResponse, onLateFailure: (error: unknown) => void) {
    this.#chunks = body.chunks[Symbol.asyncIterator]();
    this.#response = response;
    this.#onLateFailure = onLateFailure;
    response.on('close', this.end);
  }

  /** The next chunk, or undefined once the answer has been ended from outside. Rejects when the iterator throws. */
  next(): Promise<Next | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#ended) resolve(undefined);
      this.#stopWaiting = () => resolve(undefined);
      this.#chunks.next().then(resolve, reject);
    });
  }

  /** Sends `first` and all chunks after it, then ends the response. Rejects when the iterator throws. */
  async send(first: Next | undefined): Promise<void> {
    const response = this.#response;
    for (let next = first; next && !next.done; next = await this.next()) {
      if (this.#ended || response.destroyed) break;
      if (!response.write(next.value)) await drained(response);
    }
    this.end();
    response.end();
  }

  /** Stops asking for chunks and returns the iterator; a `send` under way ends the response. Idempotent. */
  readonly end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.off('close', this.end);
    this.#stopWaiting();
    Promise.try(() => this.#chunks.return?.()).catch(this.#onLateFailure);
  };

  /** Ends an answer that is not whole: the connection breaks, so that nobody takes what has arrived for all of it. */
  cut(): void {
    this.#response.destroy();
    this.end();
  }
}
