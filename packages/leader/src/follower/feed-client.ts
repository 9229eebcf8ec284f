import { type FeedAck, FeedAcked, type FeedAnswer, type FeedQuery, hasShape, isErrorBody } from '@lcs/contract';
import { FeedRefused, readFeedAnswer } from './read-feed-answer.ts';

/** A unit's feed for its follower. Both calls reject with `FeedRefused` when the unit refuses. */
export interface FeedClient {
  read(query: FeedQuery, signal: AbortSignal): Promise<FeedAnswer>;
  acknowledge(ack: FeedAck, signal: AbortSignal): Promise<FeedAcked>;
}

/** Sends one call to a unit; rejects when no complete response arrived. `UnitHttp.call` implements it. */
export type UnitTransport = (call: {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}) => Promise<{ readonly status: number; readonly text: string }>;

/** The feed over HTTP. `base` is called for each request, because a unit may move; it throws when the address is unknown. */
export class HttpFeedClient implements FeedClient {
  readonly #send: UnitTransport;
  readonly #base: () => URL;

  constructor(send: UnitTransport, base: () => URL) {
    this.#send = send;
    this.#base = base;
  }

  async read(query: FeedQuery, signal: AbortSignal): Promise<FeedAnswer> {
    const url = new URL('/unit_api/feed', this.#base());
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return readFeedAnswer(answered(await this.#send({ method: 'GET', url, signal })), query.after ?? 0);
  }

  async acknowledge(ack: FeedAck, signal: AbortSignal): Promise<FeedAcked> {
    const url = new URL('/unit_api/feed/ack', this.#base());
    const answer = answered(await this.#send({ method: 'POST', url, body: ack, signal }));
    if (hasShape(FeedAcked, answer)) return answer;
    throw new FeedRefused('invalid_answer', 'The unit did not confirm.');
  }
}

/** The body of a success. */
function answered({ status, text }: { readonly status: number; readonly text: string }): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new FeedRefused('invalid_answer', `The unit answered ${status} without JSON (${String(error)}).`);
  }
  if (status === 200) return body;
  if (isErrorBody(body)) throw new FeedRefused(body.code, `${body.error} ${body.cause}`, body.diagnostics);
  throw new FeedRefused('invalid_answer', `The unit answered ${status}.`);
}
