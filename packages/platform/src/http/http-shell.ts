import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError } from '@lcs/contract';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import type { Living } from '../lifecycle/lifecycle.ts';
import type { Log } from '../log/log.ts';
import { answerCheck } from './answer-check.ts';
import { type CompiledPaths, compilePaths } from './compiled-route.ts';
import { HttpAddress } from './http-address.ts';
import { listenFailure, refuseOpenAddress } from './listen-address.ts';
import { OriginGuard } from './origin-guard.ts';
import { requestIds } from './request-ids.ts';
import { type Authorize, RequestServer, type RoutedRequest } from './request-server.ts';
import type { ServedApi } from './served-api.ts';
import { answerUnreadable, refuseSocket } from './socket-error.ts';
import { answerUnknown, type NotFoundHook, refuseMethod, requestedPath } from './unknown-route.ts';
import { type UpgradeHandler, Upgrades } from './upgrades.ts';
import type { UploadReceiver } from './upload-receiver.ts';

export interface HttpShellOptions {
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
  /** Host names (without port) under which the node is reached, beside localhost, 127.0.0.1, [::1] and `host` itself. */
  readonly allowedHosts?: readonly string[];
  /** Largest JSON body; 2 MiB by default. */
  readonly bodyLimitBytes?: number;
  /** For tests: an answer that is not the declared one becomes a logged 500. */
  readonly checkAnswers?: boolean;
  /** Where requests take their hold while a handler is at work: the clock of the node, when that one is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  /** Without it only loopback addresses are listened on. */
  readonly authorize?: Authorize;
  readonly notFound?: NotFoundHook;
  /**
   * WebSockets by path, such as `/mqtt`. Host and Origin are checked before, and the sockets are closed with the server.
   * There is no permission for them yet: with `authorize` they are refused.
   */
  readonly upgrades?: Readonly<Record<string, UpgradeHandler>>;
  /** Where the files of routes that declare one are kept. */
  readonly uploads?: UploadReceiver;
  /** For tests: hears of each answer that has left, by the route as it is declared. */
  readonly onAnswer?: OnAnswer;
  /** Adds what cannot be declared. Bodies of such routes are in `request.raw`, unread. */
  readonly plugins?: (server: FastifyInstance) => void;
}

/** @param path with `{name}` for each parameter */
export type OnAnswer = (route: { readonly method: string; readonly path: string }, status: number) => void;

const defaultBodyLimitBytes = 2 * 1024 * 1024;

/** Longer than any request line Node accepts: no name is too long for the router. */
const longestParameter = 64 * 1024;

/** Time for a whole request with its body: an upload over slow Wi-Fi, not somebody who holds a connection for nothing. */
const requestTimeoutMs = 15 * 60_000;

/** A stop ends within 5 s: this for what is running, then for those told to stop, then for the connections. */
const drainMs = 3000;
const graceMs = 500;
const closeMs = 1000;

const declarableMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const wildcards = ['0.0.0.0', '::'];

/** What exists between start and stop. */
interface Running {
  readonly server: FastifyInstance;
  readonly requests: RequestServer;
  readonly sockets: ReadonlySet<Socket>;
  readonly upgrades: Upgrades;
}

/** Serves declared APIs over HTTP: routing, checks, errors, streams, shutdown. */
export class HttpShell implements Living {
  readonly name = 'http';
  readonly #options: HttpShellOptions;
  readonly #host: string;
  readonly #address: HttpAddress;
  #running: Running | undefined;

  constructor(options: HttpShellOptions) {
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
      authorize,
      holds,
      checkAnswers,
      uploads,
      apis,
      port,
    } = this.#options;
    if (authorize === undefined) refuseOpenAddress(this.#host);
    const requests = new RequestServer({
      log,
      clock,
      bodyLimitBytes,
      ...(authorize ? { authorize } : {}),
      ...(holds ? { holds } : {}),
      ...(uploads ? { uploads } : {}),
      ...(checkAnswers ? { checkAnswer: answerCheck() } : {}),
    });
    const guard = new OriginGuard([...(this.#options.allowedHosts ?? []), this.#host]);
    const upgrades = this.#createUpgrades(requests, guard);
    const server = this.#createServer(requests, compilePaths(apis), guard, upgrades);
    const sockets = trackSockets(server);
    this.#options.plugins?.(server);
    try {
      await server.listen({ host: this.#host, port });
    } catch (error) {
      await server.close();
      throw listenFailure(error, this.#host, port);
    }
    const address = server.addresses().find(isAddress);
    this.#running = { server, requests, sockets, upgrades };
    this.#address.opened(wildcards.includes(this.#host) ? '127.0.0.1' : this.#host, address?.port ?? port);
    log.info('Listening', { url: this.url });
  }

  /** Refuses new requests, waits for running ones, closes all connections; within 5 s. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { server, requests, sockets, upgrades } = running;
    server.server.closeIdleConnections();
    await requests.drain(drainMs, graceMs);
    upgrades.close();
    const cancel = this.#options.clock.after(closeMs, () => {
      for (const socket of sockets) socket.destroy();
    });
    await server.close();
    cancel();
    this.#running = undefined;
    this.#address.closed();
  }

  #createUpgrades(requests: RequestServer, guard: OriginGuard): Upgrades {
    const { upgrades: handlers = {}, authorize, clock } = this.#options;
    const nextId = requestIds(randomBytes(4).toString('hex'));
    return new Upgrades({
      handlers,
      check: (request) => {
        if (requests.isStopping) throw new ApiError('shutting_down', {});
        guard.check(request);
        if (authorize !== undefined) throw new ApiError('route_not_found', { path: request.url ?? '' });
      },
      refuse: (socket, error) => refuseSocket(socket, error, nextId({ headers: {} }), clock),
    });
  }

  #createServer(
    requests: RequestServer,
    paths: CompiledPaths,
    guard: OriginGuard,
    upgrades: Upgrades,
  ): FastifyInstance {
    const { clock, notFound, onAnswer } = this.#options;
    const nextId = requestIds(randomBytes(4).toString('hex'));
    const server = fastify({
      http: { requireHostHeader: false, shouldUpgradeCallback: (request) => upgrades.wants(request) },
      genReqId: nextId,
      requestTimeout: requestTimeoutMs,
      return503OnClosing: false,
      routerOptions: { maxParamLength: longestParameter },
      clientErrorHandler: (error, socket) => answerUnreadable(error, socket, nextId({ headers: {} }), clock),
      frameworkErrors: (error, request, reply) => {
        reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
        requests.fail(error, request, reply);
      },
    });
    // The library reads no body: a declared one is read by its route, any other is left alone.
    for (const method of declarableMethods) server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    guardRequests(server, requests, guard);
    server.setErrorHandler((error, request, reply) => requests.fail(error, request, reply));
    server.setNotFoundHandler((request, reply) => answerUnknown(request, reply, paths, notFound));
    addDeclared(server, requests, paths, onAnswer);
    // An expectation other than 100-continue may be ignored; a connection to somewhere else is not ours to open.
    server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
    server.server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head));
    server.server.on('connect', (_request, socket) => {
      const error = new ApiError('malformed_request', { cause: 'This server is no proxy.' });
      refuseSocket(socket, error, nextId({ headers: {} }), clock);
    });
    return server;
  }
}

const isAddress = (address: AddressInfo | string): address is AddressInfo => typeof address !== 'string';

function trackSockets(server: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** What holds for every route, declared or not, before anything else is looked at. */
function guardRequests(server: FastifyInstance, requests: RequestServer, guard: OriginGuard): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (requests.isStopping) throw new ApiError('shutting_down', {});
    guard.check(request.raw);
    done();
  });
}

/** The parameters of a path by the names that one of its routes has for them. */
function named(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = values[index] ?? '';
  return params;
}

/**
 * All declared paths stand behind one route of the library. A path answers all common methods itself, so that its static
 * neighbours are never taken for its parameters.
 */
function addDeclared(
  server: FastifyInstance,
  requests: RequestServer,
  paths: CompiledPaths,
  onAnswer: OnAnswer | undefined,
): void {
  const answer = (request: RoutedRequest, reply: FastifyReply): void => {
    const found = paths.find(requestedPath(request.url));
    if (found === undefined) {
      reply.callNotFound();
      return;
    }
    const { routes, allow } = found.leaf;
    const { method } = request;
    const route = routes.get(method);
    if (route === undefined) {
      if (method !== 'OPTIONS') refuseMethod(method, allow, reply);
      reply.header('allow', allow).send('');
      return;
    }
    const { declaration } = route;
    if (onAnswer && method === declaration.method) {
      reply.raw.once('finish', () => onAnswer(declaration, reply.raw.statusCode));
    }
    requests.serve(route, named(route.parameters, found.values), request, reply);
  };
  server.route({ method: [...declarableMethods, 'OPTIONS'], url: '*', exposeHeadRoute: false, handler: answer });
}
