import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, type Caller, type IncomingUpload } from '@lcs/contract';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Observed } from './observed-state.ts';
import { ClientDisconnected } from './read-body.ts';
import { reasonIn } from './reason.ts';
import type { RequestOrigin } from './request-origin.ts';
import type { CheckedRequest } from './served-api.ts';

/** Exchanges whose signal is in use. */
export type OpenExchanges = Set<Exchange>;

/**
 * One request as its handler receives it. The signal is created at its first use: most handlers return at once and never need it.
 */
export class Exchange implements CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingMessage['headers'];
  readonly origin: RequestOrigin;
  query: object = {};
  body: unknown = undefined;
  upload: IncomingUpload | undefined = undefined;
  /** Called once, at the end. */
  onFinish: () => void = () => {};
  /** The state before the handler, of a request that is recorded. */
  observed: Observed | undefined = undefined;
  readonly #response: ServerResponse;
  readonly #open: OpenExchanges;
  #controller: AbortController | undefined;
  #cancelDeadline: Cancel | undefined;

  constructor(
    params: Readonly<Record<string, string>>,
    caller: Caller,
    requestId: string,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
    open: OpenExchanges,
  ) {
    this.params = params;
    this.caller = caller;
    this.requestId = requestId;
    this.headers = request.headers;
    this.origin = origin;
    this.#response = response;
    this.#open = open;
  }

  get remoteAddress(): string {
    return this.origin.address;
  }

  /** Why the caller requests this, if they state it. */
  get reason(): string | undefined {
    return reasonIn(this.headers['x-reason']);
  }

  get isSecure(): boolean {
    return this.origin.isSecure;
  }

  get signal(): AbortSignal {
    return this.#abortable().signal;
  }

  /** Aborts the signal after `delayMs`. */
  setDeadline(clock: Clock, delayMs: number): void {
    this.#cancelDeadline = clock.after(delayMs, () => this.abort(new ApiError('deadline_passed', {})));
  }

  abort(reason: Error): void {
    this.#abortable().abort(reason);
  }

  /** Why the signal was aborted, if it was. */
  get abortedBy(): unknown {
    return this.#controller?.signal.reason;
  }

  /** Call this when the response has been sent, or when the client has disconnected. */
  finish(): void {
    this.#cancelDeadline?.();
    this.onFinish();
    if (this.#controller === undefined) return;
    this.#open.delete(this);
    this.#response.off('close', this.#onClose);
  }

  #abortable(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#open.add(this);
      if (this.#response.destroyed) this.#onClose();
      else this.#response.on('close', this.#onClose);
    }
    return this.#controller;
  }

  readonly #onClose = (): void => {
    if (!this.#response.writableFinished) this.#controller?.abort(new ClientDisconnected());
  };
}
