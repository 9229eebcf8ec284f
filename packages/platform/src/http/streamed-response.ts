import type { ServerResponse } from 'node:http';

type Chunk = string | Uint8Array;
type Next = IteratorResult<Chunk, unknown>;

/** Waits until the response accepts more data, or is closed. */
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
 * A response sent chunk by chunk, never faster than the client reads. The iterator is always returned, so that its `finally` runs. The
 * request's signal, not that return, ends a generator that waits.
 */
export class StreamedResponse {
  readonly #chunks: AsyncIterator<Chunk>;
  readonly #response: ServerResponse;
  readonly #onLateFailure: (error: unknown) => void;
  #ended = false;
  #stopWaiting = (): void => {};

  /** `onLateFailure` receives the error that the iterator throws when it is returned early. */
  constructor(chunks: AsyncIterable<Chunk>, response: ServerResponse, onLateFailure: (error: unknown) => void) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#response = response;
    this.#onLateFailure = onLateFailure;
    response.on('close', this.end);
  }

  /** The next chunk, or undefined after `end`. Rejects when the iterator throws. */
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

  /** Requests no more chunks and returns the iterator; a running `send` ends the response. Idempotent. */
  readonly end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.off('close', this.end);
    this.#stopWaiting();
    Promise.try(() => this.#chunks.return?.()).catch(this.#onLateFailure);
  };

  /** Ends an incomplete response by closing the connection, so that the client does not take it for complete. */
  cut(): void {
    this.#response.destroy();
    this.end();
  }
}
