import type { IncomingMessage } from 'node:http';
import {
  ApiError,
  accountOf,
  type Caller,
  CallerRefusal,
  type Permission,
  PreparedJson,
  type RouteDeclaration,
  StreamBody,
} from '@lcs/contract';
import { onBehalfOf } from '../acting/acting-account.ts';
import type { Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { CompiledRoute, ResponseHead } from './compiled-route.ts';
import { encodingFor, sendCompressed, sentChunks } from './compressed-body.ts';
import { remainingMs } from './deadline.ts';
import { toApiError } from './error-response.ts';
import { Exchange, type OpenExchanges } from './exchange.ts';
import { jsonRpcFault } from './json-body.ts';
import type { Observed, ObservedState } from './observed-state.ts';
import { assertConnected, type BodyLimits, ClientDisconnected, readBody } from './read-body.ts';
import { refuseUnread } from './refuse-unread.ts';
import type { Reply } from './reply.ts';
import type { RequestLimiter } from './request-limiter.ts';
import type { RequestOrigin } from './request-origin.ts';
import type { ResponseCheck } from './response-check.ts';
import type { HandlerResponse } from './served-api.ts';
import { StreamedResponse } from './streamed-response.ts';
import { pathOf } from './unknown-route.ts';
import { incomingUpload, type UploadReceiver } from './upload-receiver.ts';

/** Determines the caller of each request. It reads memory only, because a stop may not wait for a store. */
export type Identify = (request: IncomingMessage, origin: RequestOrigin) => Caller;

/** Reads that state before the handler runs; undefined: there is none. Never rejects. */
export type ObserveRequest = (
  request: Pick<EndedRequest, 'operation' | 'params' | 'body'>,
) => Promise<ObservedState> | undefined;

/** A request that may have changed something, with its outcome. */
export interface EndedRequest {
  readonly operation: string;
  readonly permission: Permission;
  readonly caller: Caller;
  /** The client's IP address; empty through the Unix socket. */
  readonly address: string;
  readonly requestId: string;
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Its checked parameters; empty where the request was refused before. */
  readonly query: object;
  /** Undefined where the request was refused before its body was read. */
  readonly body: unknown;
  /** The state before the handler; absent where it was not observed. */
  readonly observed?: Observed;
  /** Stated by the caller in `x-reason`. */
  readonly reason: string | undefined;
  readonly method: string;
  /** As the client sent it, without the query. */
  readonly path: string;
  readonly status: number;
  /** Of an error. */
  readonly code: string | undefined;
  /** The task in which an accepted request (202) is carried out. */
  readonly taskId?: string;
}

/** Records requests before their response is sent; never rejects. */
export type RecordRequest = (ended: EndedRequest) => Promise<void> | undefined;

/**
 * Checks whether a caller who has the permission of a route may use it for what its path names. Reads memory only.
 * @throws ApiError
 */
export type CheckScope = (
  operation: string,
  declaration: RouteDeclaration,
  params: Readonly<Record<string, string>>,
  caller: Caller,
) => void;

/** What each request needs in addition to its route. */
export interface RequestServerOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly bodies: BodyLimits;
  readonly limiter: RequestLimiter;
  readonly identify: Identify;
  readonly checkScope?: CheckScope;
  /** Of all methods but GET and HEAD, and of each refusal (403). */
  readonly recordRequest?: RecordRequest;
  /** Of the requests that are recorded. */
  readonly observeRequest?: ObserveRequest;
  readonly checkResponse?: ResponseCheck;
  /** Receives the files of routes that declare one. */
  readonly uploads?: UploadReceiver;
  /** Holds virtual time while a handler runs. */
  readonly holds?: Pick<Clock, 'hold'>;
}

/** The parts of an exchange that its record contains. */
type RecordedExchange = Pick<
  Exchange,
  'caller' | 'remoteAddress' | 'requestId' | 'params' | 'query' | 'body' | 'observed' | 'reason'
>;

const unknownCaller: Caller = { kind: 'anonymous', id: '', personId: '', name: 'unknown', permissions: new Set() };

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** The task that a response with status 202 names. */
function taskIn(response: object): Pick<EndedRequest, 'taskId'> {
  const body: unknown = Reflect.get(response, 'body');
  const id: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'task_id') : undefined;
  return typeof id === 'string' ? { taskId: id } : {};
}

/** Status and code of a response or an error. */
function outcomeOf(outcome: unknown): Pick<EndedRequest, 'status' | 'code' | 'taskId'> {
  if (outcome instanceof ApiError) return { status: outcome.status, code: outcome.code };
  const isResponse = typeof outcome === 'object' && outcome !== null && !(outcome instanceof Error);
  const status: unknown = isResponse ? Reflect.get(outcome, 'status') : undefined;
  if (!isResponse || typeof status !== 'number') return { status: 500, code: 'internal_error' };
  return { status, code: undefined, ...(status === 202 && taskIn(outcome)) };
}

const noHold = (): void => {};

/** A stop is accepted from whoever may stop, however many requests they have sent. */
const unlimitedPermission: Permission = 'jobs.stop';

/** Codes of refusals that leave the body unread: the client may still be sending it. */
const unreadCodes: ReadonlySet<string> = new Set(['body_too_large', 'body_too_slow', 'too_many_bodies']);

const errorHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function payloadOf(body: unknown, head: ResponseHead): string | Buffer {
  const content = body instanceof PreparedJson ? body.content : body;
  if (head.isJson && content === body) return JSON.stringify(body) ?? '';
  if (typeof content === 'string') return content;
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  throw new TypeError(`A body of ${head.headers['content-type']} must be text, bytes or a stream.`);
}

/** @throws ApiError setup_needed, not_signed_in */
export function refuseAnonymous({ kind, needsSetUp }: Caller): void {
  if (needsSetUp) throw new ApiError('setup_needed', {});
  if (kind === 'anonymous')
    throw new ApiError('not_signed_in', { cause: 'The request has no valid session or token.' });
}

/** @throws ApiError setup_needed, not_signed_in, not_allowed */
export function authorize(permission: Permission, caller: Caller): void {
  if (caller.permissions.has(permission)) return;
  refuseAnonymous(caller);
  throw new ApiError('not_allowed', { permission });
}

/** @throws ApiError reason_missing */
function expectReason({ caller, reason }: Exchange): void {
  if (caller.kind === 'person' && reason === undefined) throw new ApiError('reason_missing', {});
}

const isTrueIn = (body: unknown, field: string): boolean =>
  typeof body === 'object' && body !== null && Reflect.get(body, field) === true;

/** Whether an uploaded file was not read to its end: the client may still be sending. */
const isUnread = (exchange: Exchange, reply: Reply): boolean =>
  exchange.upload !== undefined && !reply.request.complete;

/** Whether the client has this response already (RFC 9110, 13.1.2). */
function isKnownToCaller(held: string | undefined, etag: string | undefined, method: string): boolean {
  if (held === undefined || etag === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  const tags = held.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** Checks requests, calls the handlers of their routes and sends the responses. */
export class RequestServer {
  readonly #options: RequestServerOptions;
  readonly #open: OpenExchanges = new Set();
  readonly #streams = new Map<StreamedResponse, { readonly exchange: Exchange; readonly isEventStream: boolean }>();
  #running = 0;
  #stopping = false;
  #onIdle = (): void => {};

  constructor(options: RequestServerOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /**
   * Serves one request; never throws.
   * @param params of the path, decoded
   */
  serve(route: CompiledRoute, params: Readonly<Record<string, string>>, reply: Reply): void {
    const caller = this.#identified(route, params, reply);
    if (caller === undefined) return;
    onBehalfOf(accountOf(caller), () => this.#serveFor(caller, route, params, reply));
  }

  #serveFor(caller: Caller, route: CompiledRoute, params: Readonly<Record<string, string>>, reply: Reply): void {
    const exchange = new Exchange(params, caller, reply.id, reply.request, reply.response, reply.origin, this.#open);
    this.#running += 1;
    // Set here because error responses have it too.
    if (route.declaration.deprecated) reply.headers.deprecation = 'true';
    const release = route.declaration.waits ? noHold : (this.#options.holds?.hold('an HTTP request') ?? noHold);
    try {
      const admitted = this.#admit(route, exchange, reply);
      const handled =
        admitted === undefined
          ? this.#handle(route, exchange, reply)
          : admitted.then((refusal) => refusal ?? this.#handle(route, exchange, reply));
      const answer = this.#isRecorded(reply) ? this.#recorded(route, exchange, reply, handled) : handled;
      const sent =
        answer instanceof Promise
          ? answer.finally(release).then((ready) => this.#send(route, exchange, reply, ready))
          : this.#send(route, exchange, reply, answer);
      if (!(answer instanceof Promise)) release();
      if (sent === undefined) this.#finish(exchange);
      else this.#finishAfter(sent, exchange, reply);
    } catch (error) {
      release();
      if (this.#isRecorded(reply))
        this.#finishAfter(this.#recorded(route, exchange, reply, Promise.reject(error)), exchange, reply);
      else {
        if (isRefusal(error)) void this.#record(route, exchange, reply, error);
        this.#failExchange(error, exchange, reply);
      }
    }
  }

  #handle(route: CompiledRoute, exchange: Exchange, reply: Reply): HandlerResponse | Promise<HandlerResponse> {
    const { operation } = route;
    const { params, body } = exchange;
    const observed = this.#isRecorded(reply) ? this.#options.observeRequest?.({ operation, params, body }) : undefined;
    if (observed === undefined) return route.handler(exchange);
    return observed.then((before) => {
      exchange.observed = { before };
      return route.handler(exchange);
    });
  }

  #isRecorded({ method }: Reply): boolean {
    return this.#options.recordRequest !== undefined && method !== 'GET' && method !== 'HEAD';
  }

  /** The response, once the request is recorded. */
  async #recorded(
    route: CompiledRoute,
    exchange: Exchange,
    reply: Reply,
    handled: HandlerResponse | Promise<HandlerResponse>,
  ): Promise<HandlerResponse> {
    try {
      const answer = await handled;
      await this.#record(route, exchange, reply, answer);
      return answer;
    } catch (error) {
      await this.#record(route, exchange, reply, error);
      throw error;
    }
  }

  /** @param outcome the response, or the error in its place */
  #record(
    { operation, declaration: { permission } }: CompiledRoute,
    { caller, remoteAddress: address, requestId, params, query, body, observed, reason }: RecordedExchange,
    { method, url }: Reply,
    outcome: unknown,
  ): Promise<void> | undefined {
    return this.#options.recordRequest?.({
      operation,
      permission,
      caller,
      address,
      requestId,
      params,
      query,
      body,
      reason,
      method,
      path: pathOf(url),
      ...(observed && { observed }),
      ...outcomeOf(outcome),
    });
  }

  /** Sends the error body; logs unexpected errors. */
  fail(error: unknown, reply: Reply, hasUnreadFile = false): void {
    const { response } = reply;
    if (error instanceof ClientDisconnected) return;
    const { log, clock } = this.#options;
    const failed = { id: reply.id, method: reply.method, path: pathOf(reply.url) };
    const failure = toApiError(error, failed, log);
    if (response.headersSent) {
      // Part of another response has been sent. Only a closed connection can show that it is incomplete.
      if (failure === error) log.warn('A response ended early', { requestId: reply.id, error: failure.message });
      response.destroy();
      return;
    }
    reply.status = failure.status;
    Object.assign(reply.headers, errorHeaders);
    if (failure.retryAfterS !== undefined) reply.headers['retry-after'] = String(failure.retryAfterS);
    if (failure instanceof ApiError && failure.contentRange !== undefined)
      reply.headers['content-range'] = failure.contentRange;
    if (this.#stopping) reply.headers.connection = 'close';
    const text = JSON.stringify(failure.body);
    if (unreadCodes.has(failure.body.code) || hasUnreadFile) refuseUnread(reply, text, clock);
    else reply.send(text);
  }

  /** Rejects new requests, ends event streams and waits for running requests, which are aborted after `limitMs`. */
  async drain(limitMs: number, graceMs: number): Promise<void> {
    this.#stopping = true;
    const reason = new ApiError('shutting_down', {});
    for (const [stream, { exchange, isEventStream }] of this.#streams) {
      if (!isEventStream) continue;
      exchange.abort(reason);
      stream.end();
    }
    await this.#idleWithin(limitMs);
    for (const exchange of this.#open) exchange.abort(reason);
    for (const stream of this.#streams.keys()) stream.cut();
    await this.#idleWithin(graceMs);
  }

  /** Undefined: the request was refused, because its credentials contradict each other or its caller sends too many. */
  #identified(route: CompiledRoute, params: Readonly<Record<string, string>>, reply: Reply): Caller | undefined {
    const { request, id: requestId, origin } = reply;
    try {
      const caller = this.#options.identify(request, origin);
      if (route.declaration.permission !== unlimitedPermission) this.#options.limiter.take(caller, origin.address);
      return caller;
    } catch (error) {
      const unknown = {
        caller: error instanceof CallerRefusal ? error.caller : unknownCaller,
        remoteAddress: origin.address,
        requestId,
        params,
        query: {},
        body: undefined,
      };
      if (isRefusal(error))
        void this.#record(route, { ...unknown, observed: undefined, reason: undefined }, reply, error);
      this.fail(error, reply);
      return undefined;
    }
  }

  /**
   * The checks before the handler. Returns a promise only when one of them is asynchronous; resolves with the response that replaces the
   * handler's.
   */
  #admit(route: CompiledRoute, exchange: Exchange, reply: Reply): Promise<HandlerResponse | undefined> | undefined {
    const deadline = exchange.headers['x-deadline-ms'];
    if (deadline !== undefined) exchange.setDeadline(this.#options.clock, remainingMs(deadline));
    // A late GET is harmless because it changes nothing.
    const isUntilDeadline = deadline !== undefined && reply.method !== 'GET' && reply.method !== 'HEAD';
    const { body, declaration } = route;
    authorize(declaration.permission, exchange.caller);
    this.#options.checkScope?.(route.operation, declaration, exchange.params, exchange.caller);
    if (declaration.needsReason === true) expectReason(exchange);
    if (body !== undefined || declaration.upload !== undefined || isUntilDeadline) {
      return this.#admitLater(route, exchange, reply, isUntilDeadline);
    }
    if (route.query) exchange.query = route.query(reply.query);
    return undefined;
  }

  async #admitLater(
    route: CompiledRoute,
    exchange: Exchange,
    reply: Reply,
    isUntilDeadline: boolean,
  ): Promise<HandlerResponse | undefined> {
    if (route.query) exchange.query = route.query(reply.query);
    if (route.body) {
      route.body.refuseForms(exchange.headers['content-type']);
      const { bytes, release } = await readBody(reply.request, this.#options.bodies);
      exchange.onFinish = release;
      try {
        exchange.body = route.body.parse(bytes);
      } catch (error) {
        route.onInvalidBody?.(exchange.params);
        if (route.declaration.bodyFaults === undefined || !(error instanceof ApiError)) throw error;
        return { status: 400, body: jsonRpcFault(error) };
      }
    }
    const { needsReason } = route.declaration;
    if (typeof needsReason === 'object' && isTrueIn(exchange.body, needsReason.ifField)) expectReason(exchange);
    if (route.declaration.upload) {
      exchange.upload = incomingUpload(route.declaration.upload, exchange, reply.request, this.#options.uploads);
    }
    if (isUntilDeadline) await assertConnected(reply.request);
    if (exchange.abortedBy !== undefined) throw exchange.abortedBy;
    return undefined;
  }

  /** Returns a promise only for a stream, which settles after the last chunk, and for a compressed body. */
  #send(route: CompiledRoute, exchange: Exchange, reply: Reply, answer: HandlerResponse): Promise<void> | undefined {
    this.#options.checkResponse?.(route, answer);
    const head = route.heads.get(answer.status);
    if (head === undefined) throw new Error(`${route.operation} returned the undeclared status ${answer.status}.`);
    const payload = answer.body instanceof StreamBody ? answer.body : payloadOf(answer.body, head);
    reply.status = answer.status;
    Object.assign(reply.headers, head.headers, answer.headers);
    if (this.#stopping) reply.headers.connection = 'close';
    if (isKnownToCaller(exchange.headers['if-none-match'], answer.headers?.etag, reply.method)) {
      reply.status = 304;
      reply.sendNothing();
      return undefined;
    }
    if (payload instanceof StreamBody) return this.#stream(payload, head, exchange, reply);
    const encoding = head.isCompressible ? encodingFor(reply, payload) : undefined;
    if (isUnread(exchange, reply)) refuseUnread(reply, payload, this.#options.clock);
    else if (encoding !== undefined) return sendCompressed(reply, payload, encoding);
    else reply.send(payload);
    return undefined;
  }

  async #stream(
    body: StreamBody,
    { isEventStream, isJson }: ResponseHead,
    exchange: Exchange,
    reply: Reply,
  ): Promise<void> {
    const kind = isEventStream ? 'events' : isJson ? 'json' : 'download';
    const { chunks, headers } = sentChunks(reply, body.chunks, kind);
    const stream = new StreamedResponse(chunks, reply.response, (error) =>
      this.#options.log.error('A stream failed at its end', { requestId: exchange.requestId, error: String(error) }),
    );
    if (reply.method === 'HEAD' || (isEventStream && this.#stopping)) stream.end();
    this.#streams.set(stream, { exchange, isEventStream });
    try {
      // A failure before the first chunk can still become an error response. An event stream may have no event for a long time.
      const first = isEventStream ? undefined : await stream.next();
      reply.begin(headers).flushHeaders();
      await stream.send(first ?? (await stream.next()));
    } finally {
      stream.end();
      this.#streams.delete(stream);
    }
  }

  #finishAfter(sent: Promise<unknown>, exchange: Exchange, reply: Reply): void {
    sent.then(
      () => this.#finish(exchange),
      (error) => this.#failExchange(error, exchange, reply),
    );
  }

  #failExchange(error: unknown, exchange: Exchange, reply: Reply): void {
    // Libraries may throw their own error when the signal is aborted; use the signal's reason.
    const isAbort = error instanceof Error && error.name === 'AbortError';
    const cause = (isAbort ? exchange.abortedBy : undefined) ?? error;
    this.fail(cause, reply, isUnread(exchange, reply));
    this.#finish(exchange);
  }

  #finish(exchange: Exchange): void {
    exchange.finish();
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  }

  #idleWithin(limitMs: number): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(limitMs, resolve);
      this.#onIdle = () => {
        cancel();
        resolve();
      };
    });
  }
}
