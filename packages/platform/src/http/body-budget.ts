import { ApiError } from '@lcs/contract';

/** Smaller bodies are always accepted, so that a stop never waits for the uploads of others. */
export const smallBodyBytes = 64 * 1024;

/** Memory for the bodies of all requests under way. */
export class BodyBudget {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Reserves memory. @throws ApiError too_many_bodies when there is not enough */
  hold(bytes: number): void {
    if (this.#heldBytes + bytes > this.#limitBytes) throw new ApiError('too_many_bodies', { retryAfterS: 5 });
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}
