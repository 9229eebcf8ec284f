import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { ApiError, localCaller, minuteMs, type RouteDeclaration } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import type { Service } from '../lifecycle/in-order.ts';
import type { Log, LogFields } from '../log/log.ts';
import { followCertificate, type ServerTls, serverTlsOptions } from '../tls/server-tls.ts';
import { withinTrace } from '../tracing/current-trace.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { BodyBudget } from './body-budget.ts';
import { type CompiledPaths, compilePaths } from './compiled-route.ts';
import { ConnectionOrigins } from './connection-origins.ts';
import { HttpAddress } from './http-address.ts';
import { isLoopback, listenFailure, refuseOpenAddress } from './listen-address.ts';
import { OriginGuard } from './origin-guard.ts';
import { Reply } from './reply.ts';
import { requestIds } from './request-ids.ts';
import { addressGroup, RequestLimiter, type RequestRates, usualRequestRates } from './request-limiter.ts';
import type { RequestOrigin } from './request-origin.ts';
import {
  type CheckScope,
  type Identify,
  type ObserveRequest,
  type RecordRequest,
  RequestServer,
  refuseAnonymous,
} from './request-server.ts';
import { responseCheck } from './response-check.ts';
import type { ServedApi } from './served-api.ts';
import { refuseSocket, respondToUnreadable } from './socket-error.ts';
import { listenOnSocket } from './unix-socket.ts';
import { type NotFoundHook, pathOf, requestedPath, respondToUnknownRoute } from './unknown-route.ts';
import { type UpgradeHandler, Upgrades } from './upgrades.ts';
import type { UploadReceiver } from './upload-receiver.ts';

export interface HttpServerOptions {
  /** Address to listen on; `localhost` is 127.0.0.1. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Log;
  /** The wire clock. */
  readonly clock: Clock;
  readonly apis: readonly ServedApi[];
  /** Filled while the server listens. Default: one of its own. */
  readonly address?: HttpAddress;
  /**
   * Host names and addresses (without port, IPv6 addresses in brackets) under which the node is reached, beside localhost, 127.0.0.1, [::1]
   * and `host` itself. They are read again for each unknown name.
   */
  readonly allowedHosts?: () => readonly string[];
  /** Largest JSON body; 2 MiB by default. */
  readonly bodyLimitBytes?: number;
  /** For tests: a response that does not match its declaration becomes a logged 500. */
  readonly checkResponses?: boolean;
  /** The clock that requests hold while their handler runs: the node's clock, if that is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  /** Without it every caller may do everything. */
  readonly identify?: Identify;
  /** A server that has this and `identify` may listen on any address, every other one on loopback addresses only. */
  readonly tls?: ServerTls;
  /** Path of a Unix socket on which the server listens too, for the owner of the data folder. Not on Windows. */
  readonly unixSocket?: string;
  /** Addresses and subnets of proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustedProxies?: readonly string[];
  readonly checkScope?: CheckScope;
  readonly notFound?: NotFoundHook;
  /** Answers all requests without a declared path itself: by another node. Host and Origin are checked before. */
  readonly passOn?: PassOn;
  /**
   * WebSockets by path, such as `/mqtt`. Host and Origin are checked before, and the sockets are closed with the server.
   * Only callers with an account may open them (401 not_signed_in); what they may do there is for the handler to decide.
   */
  readonly upgrades?: Readonly<Record<string, UpgradeHandler>>;
  /** Stores the uploaded files of routes that declare one. */
  readonly uploads?: UploadReceiver;
  readonly recordRequest?: RecordRequest;
  readonly observeRequest?: ObserveRequest;
  /** Lower in tests. */
  readonly limits?: Partial<ConnectionLimits>;
  /** Default: `usualRequestRates`. */
  readonly requestRates?: RequestRates;
  /** Each request becomes a span, except long polls and event streams. */
  readonly tracing?: Tracing | undefined;
  /** Called after each response. */
  readonly onResponse?: OnResponse;
}

/** Answers a request; never throws. */
export type PassOn = (
  request: IncomingMessage,
  response: ServerResponse,
  origin: RequestOrigin,
  fail: FailRequest,
) => void;

/** Answers with an error; ends the response when a part of another one has been sent. */
type FailRequest = (error: unknown) => void;

/** Limits of connections before anything is known of the caller. */
interface ConnectionLimits {
  /** Time for the request line and the headers: a client that sends them byte by byte occupies a connection no longer. */
  readonly headersMs: number;
  /** Open connections, those of live streams and WebSockets included. Further ones are closed at once. */
  readonly connections: number;
  /** The same of one address (IPv6: of its /64 network), except shared ones. */
  readonly connectionsPerAddress: number;
  /** Addresses behind which many clients are: this machine, where a proxy may run. */
  readonly isShared: (address: string) => boolean;
  /** Time for a JSON body. Uploaded files have that of the whole request. */
  readonly bodyMs: number;
  /** Memory for the bodies of all requests under way. */
  readonly bodiesBytes: number;
}

/**
 * @param route its path has `{name}` for each parameter
 * @param durationMs from the request to its last byte
 */
export type OnResponse = (route: RouteDeclaration, status: number, durationMs: number) => void;

const defaultBodyLimitBytes = 2 * 1024 * 1024;

/** Time for a whole request with its body: enough for an upload over slow Wi-Fi, and an end for idle connections. */
const requestTimeoutMs = 15 * minuteMs;

/** A web page opens up to six connections, and a live stream. */
const defaultLimits: ConnectionLimits = {
  headersMs: 20_000,
  connections: 1000,
  connectionsPerAddress: 250,
  isShared: isLoopback,
  bodyMs: minuteMs,
  bodiesBytes: 64 * 1024 * 1024,
};
/** Node's default, stated: request line and headers together. */
const maxHeaderBytes = 16 * 1024;
/** Closed connections are logged no more often than this. */
const dropsLoggedEveryMs = 10 * minuteMs;

/** Longer than proxies keep an idle connection, so that they never send on one that this server is closing. */
const keepAliveMs = 72_000;

/** A stop ends within 5 s: this time for running requests, then for aborted ones, then for the connections. */
const drainMs = 3000;
const graceMs = 500;
const closeMs = 1000;

/** What exists between start and stop. */
interface Running {
  readonly server: Server;
  /** With TLS: without it on 127.0.0.1, for the requests of the node to itself. */
  readonly inside: Server | undefined;
  /** On the Unix socket. */
  readonly local: Server | undefined;
  readonly unfollow: () => void;
  readonly requests: RequestServer;
  readonly sockets: ReadonlySet<Socket>;
  readonly upgrades: Upgrades;
}

/** What the servers of a node share. */
interface Parts {
  readonly requests: RequestServer;
  readonly paths: CompiledPaths;
  readonly guard: OriginGuard;
  readonly upgrades: Upgrades;
  readonly origins: ConnectionOrigins;
  readonly sockets: Set<Socket>;
}

/** Serves declared APIs over HTTP: routing, checks, errors, streams, shutdown. */
export class HttpServer implements Service {
  readonly name = 'http';
  readonly #options: HttpServerOptions;
  readonly #host: string;
  readonly #address: HttpAddress;
  #running: Running | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#address = options.address ?? new HttpAddress();
    this.#host = options.host === 'localhost' ? '127.0.0.1' : options.host;
  }

  /** As `HttpAddress.port`. */
  get port(): number {
    return this.#address.port;
  }

  /** As `HttpAddress.url`. */
  get url(): string {
    return this.#address.url;
  }

  /** Listens. Throws a StartupError when the address cannot be used. */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const {
      log,
      clock,
      bodyLimitBytes = defaultBodyLimitBytes,
      identify,
      checkScope,
      recordRequest,
      observeRequest,
      holds,
      checkResponses,
      uploads,
      apis,
      requestRates = usualRequestRates,
      port,
      tls,
      trustedProxies = [],
    } = this.#options;
    if (identify === undefined || tls === undefined) refuseOpenAddress(this.#host);
    const { bodyMs, bodiesBytes } = this.#limits;
    const requests = new RequestServer({
      log,
      clock,
      bodies: { bytes: bodyLimitBytes, ms: bodyMs, clock, budget: new BodyBudget(bodiesBytes) },
      limiter: new RequestLimiter(requestRates, clock),
      identify: identify ?? (() => localCaller),
      ...(checkScope ? { checkScope } : {}),
      ...(recordRequest ? { recordRequest } : {}),
      ...(observeRequest ? { observeRequest } : {}),
      ...(holds ? { holds } : {}),
      ...(uploads ? { uploads } : {}),
      ...(checkResponses ? { checkResponse: responseCheck() } : {}),
    });
    const guard = new OriginGuard(() => [...(this.#options.allowedHosts?.() ?? []), bracketed(this.#host)]);
    const upgrades = this.#createUpgrades(requests, guard);
    const origins = new ConnectionOrigins(trustedProxies);
    const sockets = new Set<Socket>();
    const parts = { requests, paths: compilePaths(apis), guard, upgrades, origins, sockets };
    const server = this.#createServer(parts, tls);
    try {
      await once(server.listen({ host: this.#host, port }), 'listening');
    } catch (error) {
      throw listenFailure(error, this.#host, port);
    }
    const inside = tls === undefined ? undefined : this.#createServer(parts, undefined);
    if (inside !== undefined) await once(inside.listen({ host: '127.0.0.1', port: 0 }), 'listening');
    const local = await this.#listenLocally(parts);
    const unfollow = tls !== undefined && server instanceof TlsServer ? followCertificate(server, tls) : () => {};
    this.#running = { server, inside, local, unfollow, requests, sockets, upgrades };
    this.#address.opened(this.#host, portOf(server), inside && portOf(inside));
    log.info('Listening', { url: this.url });
  }

  /** Refuses new requests, waits for running ones, closes all connections; within 5 s. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { server, inside, local, unfollow, requests, sockets, upgrades } = running;
    unfollow();
    const servers = [server, inside, local].filter((one) => one !== undefined);
    for (const one of servers) one.closeIdleConnections();
    await requests.drain(drainMs, graceMs);
    upgrades.close();
    const cancel = this.#options.clock.after(closeMs, () => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(
      servers.map((one) => {
        const closed = once(one, 'close');
        one.close();
        return closed;
      }),
    );
    cancel();
    this.#running = undefined;
    this.#address.closed();
  }

  #createUpgrades(requests: RequestServer, guard: OriginGuard): Upgrades {
    const { upgrades: handlers = {}, identify, clock } = this.#options;
    const nextId = requestIds(randomBytes(4).toString('hex'));
    return new Upgrades({
      handlers,
      check: (request, origin) => {
        if (requests.isStopping) throw new ApiError('shutting_down', {});
        guard.check(request);
        const caller = identify?.(request, origin) ?? localCaller;
        refuseAnonymous(caller);
        return caller;
      },
      refuse: (socket, error) => refuseSocket(socket, error, nextId({ headers: {} }), clock),
    });
  }

  /** Without TLS for the Unix socket, and on loopback addresses. */
  #createServer(parts: Parts, tls: ServerTls | undefined, isUnixSocket = false): Server {
    const { requests, paths, guard, upgrades, origins, sockets } = parts;
    const { clock, notFound, passOn, onResponse: onAnswer, tracing } = this.#options;
    const limits = this.#limits;
    const nextId = requestIds(randomBytes(4).toString('hex'));
    const originOf = (request: IncomingMessage) => origins.of(request, isUnixSocket);
    const options: ServerOptions = {
      // The guard rejects a missing Host, with the error body.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.headersMs / 4,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      shouldUpgradeCallback: (request) => upgrades.handles(request),
    };
    const respond: RequestListener = (request, response) => {
      const reply = new Reply(nextId(request), request, response, originOf(request));
      try {
        if (requests.isStopping) throw new ApiError('shutting_down', {});
        guard.check(request);
        const answered = answer(reply, requests, { paths, notFound, passOn, onAnswer, clock, tracing });
        answered?.catch((error) => requests.fail(error, reply));
      } catch (error) {
        requests.fail(error, reply);
      }
    };
    const server =
      tls === undefined
        ? createServer(options, respond)
        : createTlsServer(
            { ...options, ...serverTlsOptions(tls, 'http/1.1'), handshakeTimeout: limits.headersMs },
            respond,
          );
    track(server, sockets);
    this.#limitConnections(server, origins);
    server.on('clientError', (error, socket) => respondToUnreadable(error, socket, nextId({ headers: {} }), clock));
    // RFC 9110 allows ignoring expectations other than 100-continue. CONNECT is not supported.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('upgrade', (request, socket, head) => upgrades.accept(request, socket, head, originOf(request)));
    server.on('connect', (_request, socket) => {
      const error = new ApiError('malformed_request', { cause: 'This server is not a proxy.' });
      refuseSocket(socket, error, nextId({ headers: {} }), clock);
    });
    return server;
  }

  async #listenLocally(parts: Parts): Promise<Server | undefined> {
    const { unixSocket, log } = this.#options;
    if (unixSocket === undefined || process.platform === 'win32') return undefined;
    const server = this.#createServer(parts, undefined, true);
    try {
      await listenOnSocket(server, unixSocket);
      return server;
    } catch (error) {
      // The node works without it: commands on this machine then need a token.
      log.warn('Cannot listen on the Unix socket', { path: unixSocket, error: String(error) });
      return undefined;
    }
  }

  get #limits(): ConnectionLimits {
    return { ...defaultLimits, ...this.#options.limits };
  }

  #limitConnections(server: Server, origins: ConnectionOrigins): void {
    const { clock, log } = this.#options;
    const { connections, connectionsPerAddress, isShared } = this.#limits;
    let loggedAtMs = Number.NEGATIVE_INFINITY;
    const logDrop = (message: string, fields: LogFields) => {
      if (clock.now() - loggedAtMs < dropsLoggedEveryMs) return;
      loggedAtMs = clock.now();
      log.warn(message, fields);
    };
    server.maxConnections = connections;
    server.on('drop', (dropped) =>
      logDrop('A connection was closed: too many are open', { connections, address: dropped?.remoteAddress }),
    );
    const byAddress = new Map<string, number>();
    server.on('connection', (socket) => {
      const { remoteAddress: address } = socket;
      // A Unix socket has no address.
      if (address === undefined || isShared(address) || origins.isProxy(address)) return;
      const group = addressGroup(address);
      const open = byAddress.get(group) ?? 0;
      if (open >= connectionsPerAddress) {
        logDrop('A connection was closed: its address has too many', { connections: connectionsPerAddress, address });
        socket.destroy();
        return;
      }
      byAddress.set(group, open + 1);
      socket.once('close', () => {
        const left = (byAddress.get(group) ?? 1) - 1;
        if (left === 0) byAddress.delete(group);
        else byAddress.set(group, left);
      });
    });
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The HTTP server has no port.');
  return address.port;
}

/** Adds the open connections to `sockets`. */
function track(server: Server, sockets: Set<Socket>): void {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

/** An address as it is written in the Host header. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The parameters of a path by the names that one of its routes has for them. */
function named(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = values[index] ?? '';
  return params;
}

/** @throws ApiError malformed_request for a path that is not the encoding of any text */
function find(paths: CompiledPaths, url: string): ReturnType<CompiledPaths['find']> {
  try {
    return paths.find(requestedPath(url));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new ApiError('malformed_request', { cause: `'${pathOf(url)}' is not a valid path of a URL.` });
  }
}

interface Routing {
  readonly paths: CompiledPaths;
  readonly notFound: NotFoundHook | undefined;
  readonly passOn: PassOn | undefined;
  readonly onAnswer: OnResponse | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly tracing: Tracing | undefined;
}

/** Its duration is that of the wait, not of work. */
const isLong = ({ waits, responses }: RouteDeclaration): boolean =>
  waits === true || Object.values(responses).some(({ contentType }) => contentType?.startsWith('text/event-stream'));

/** Serves a request within a span of its own, which belongs to the trace of its caller. */
function traced(
  tracing: Tracing,
  { path }: RouteDeclaration,
  { id, method, request, response }: Reply,
  serve: () => void,
) {
  const { traceparent } = request.headers;
  const span = tracing.begin({
    name: `${method} ${path}`,
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    values: { 'http.request.method': method, 'http.route': path, 'lcs.request_id': id },
  });
  response.once('close', () => {
    const { statusCode, writableFinished } = response;
    const fault = !writableFinished
      ? 'The client disconnected.'
      : statusCode >= 500
        ? `Status ${statusCode}.`
        : undefined;
    span.end(fault, { 'http.response.status_code': statusCode });
  });
  withinTrace(span.traceparent, serve);
}

/** A promise only for a request without a declared path. A declared path handles all methods. */
function answer(reply: Reply, requests: RequestServer, routing: Routing): Promise<void> | undefined {
  const found = find(routing.paths, reply.url);
  if (found === undefined && routing.passOn !== undefined) {
    routing.passOn(reply.request, reply.response, reply.origin, (error) => requests.fail(error, reply));
    return undefined;
  }
  if (found === undefined) return respondToUnknownRoute(reply, routing.notFound);
  const { method } = reply;
  const { routes, allow } = found.leaf;
  const route = routes.get(method);
  if (route === undefined) {
    reply.headers.allow = allow;
    if (method !== 'OPTIONS') throw new ApiError('method_not_allowed', { method, allow });
    reply.headers['content-type'] = 'text/plain; charset=utf-8';
    reply.send('');
    return undefined;
  }
  const { declaration } = route;
  const { onAnswer, clock } = routing;
  if (onAnswer && method === declaration.method) {
    const startedMs = clock.monotonic();
    const { response } = reply;
    response.once('finish', () => onAnswer(declaration, response.statusCode, clock.monotonic() - startedMs));
  }
  const params = named(route.parameters, found.values);
  const { tracing } = routing;
  if (tracing === undefined || isLong(declaration)) requests.serve(route, params, reply);
  else traced(tracing, declaration, reply, () => requests.serve(route, params, reply));
  return undefined;
}
