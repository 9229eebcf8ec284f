import { generateKeyPairSync } from 'node:crypto';
import { Agent } from 'node:http';
import { ApiError, type Caller, type Handlers, metricsRoutes, publicPermissions } from '@lcs/contract';
import { LiveRelay } from '@lcs/leader';
import {
  ActiveProcessWatch,
  BroadcastListener,
  CertificateFiles,
  type Clock,
  HttpServer,
  isLoopback,
  type KeyedCertificate,
  LifecycleTree,
  type Log,
  machineCertificate,
  type PassOn,
  PinnedAgent,
  programVersion,
  realClock,
  type ServerTls,
  type Service,
  StartupError,
  StoreError,
  serve,
} from '@lcs/platform';
import { liveChannel } from '../leader-schemas.ts';
import { type CertificatePaths, hostNames } from '../tls-stage.ts';
import { answerFromStore, forwardRequests, forwardUpgrades } from './forward-request.ts';
import { isLiveRequest, relayLive } from './relay-live.ts';
import { StoredReads, storedReadOf } from './stored-reads.ts';
import type { Target } from './target.ts';

export interface ApiNodeOptions {
  /** `postgres://…`: it names the active process. */
  readonly database: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Required on a network. */
  readonly certificatePaths?: CertificatePaths;
  /** Further names under which clients reach it. */
  readonly names: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  readonly wire?: Clock;
}

/** A process without data that answers for the active process of a database. */
export interface ApiNode extends Service {
  /** Known once started. */
  readonly url: string;
  /** Never resolves: nothing in it can fail for good. */
  readonly failed: Promise<void>;
}

/** The active process decides who somebody is: here nobody may do anything but ask for the health of this process. */
const everybody: Caller = {
  kind: 'local',
  id: '',
  personId: '',
  name: 'api',
  permissions: new Set([...publicPermissions].filter((permission) => permission === 'health.read')),
};

const healthRoutes = { getReadiness: metricsRoutes.getReadiness, getLiveness: metricsRoutes.getLiveness } as const;

/** Connections to the active process: with TLS only to the machine with its key. */
class Connections {
  readonly #watch: ActiveProcessWatch;
  readonly #machine: KeyedCertificate;
  #agent: { readonly process: string; readonly agent: Agent } | undefined;

  constructor(watch: ActiveProcessWatch, machine: KeyedCertificate) {
    this.#watch = watch;
    this.#machine = machine;
  }

  /** Whether the active process stores readings as this one reads them. */
  get hasOwnVersion(): boolean {
    return this.#watch.active?.version === programVersion;
  }

  readonly target = (): Target => {
    const { active } = this.#watch;
    if (active === undefined) throw new ApiError('control_away', { cause: 'No process is active on the database.' });
    const { process, url, publicKey } = active;
    if (url === null) throw new ApiError('control_away', { cause: 'The active process is starting.' });
    if (this.#agent?.process !== process) {
      this.close();
      this.#agent = { process, agent: this.#newAgent(url, publicKey) };
    }
    return { url, agent: this.#agent.agent };
  };

  /** Ends those to a process that is not the active one any more: it may be suspended, and would never end them. */
  forgetOld(): void {
    const { active } = this.#watch;
    if (active !== undefined && this.#agent?.process !== active.process) this.close();
  }

  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = undefined;
  }

  #newAgent(url: string, peerKey: string): Agent {
    const keep = { keepAlive: true, keepAliveMsecs: 5_000, maxFreeSockets: 16 };
    return url.startsWith('https:') ? new PinnedAgent({ peerKey, machine: this.#machine, ...keep }) : new Agent(keep);
  }
}

/** Live events of the active process, for the clients of this one. */
class LiveStreams {
  readonly relay = new LiveRelay();
  readonly listener: BroadcastListener;
  /** Its start does nothing: it must be stopped before the server, which waits for its streams. */
  readonly ending: Service = { name: 'live streams', start: async () => {}, stop: async () => this.relay.lose() };

  constructor({ database, log }: ApiNodeOptions, clock: Clock) {
    this.listener = new BroadcastListener({
      url: database,
      channel: liveChannel,
      clock,
      log,
      onText: (text) => this.relay.receive(text),
      onLost: () => this.relay.lose(),
    });
  }
}

/** Where answers come from. */
interface Sources {
  readonly connections: Connections;
  readonly store: StoredReads;
  readonly live: LiveStreams;
}

class OneApiNode implements ApiNode {
  readonly name = 'api';
  readonly failed = new Promise<void>(() => {});
  readonly #options: ApiNodeOptions;
  readonly #wire: Clock;
  #running: { readonly tree: LifecycleTree; readonly server: HttpServer } | undefined;

  constructor(options: ApiNodeOptions) {
    this.#options = options;
    this.#wire = options.wire ?? realClock();
  }

  get url(): string {
    if (this.#running === undefined) throw new Error('The process is not running.');
    return this.#running.server.url;
  }

  /** @throws StartupError */
  async start(signal: AbortSignal): Promise<void> {
    const { database, log } = this.#options;
    // It needs no name of its own: a key of this start suffices.
    const machine = await machineCertificate(generateKeyPairSync('ed25519').privateKey);
    const watch = new ActiveProcessWatch({
      url: database,
      clock: this.#wire,
      log,
      onChange: () => connections.forgetOld(),
    });
    const connections = new Connections(watch, machine);
    const live = new LiveStreams(this.#options, this.#wire);
    const store = new StoredReads({ database, wire: this.#wire, log });
    const certificate = this.#certificate();
    const server = this.#server({ connections, store, live }, certificate && { machine, server: certificate });
    const open: Service = { name: 'connections', start: async () => {}, stop: async () => connections.close() };
    const own = [watch, open, live.listener, ...store.services];
    const services = [...own, ...(certificate ? [certificate] : []), server, live.ending];
    const tree = new LifecycleTree(this.name, services, { log, wire: this.#wire });
    try {
      await tree.start(signal);
    } catch (error) {
      throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
    }
    this.#running = { tree, server };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.tree.stop();
  }

  #server(sources: Sources, tls: ServerTls | undefined): HttpServer {
    const { connections } = sources;
    const { host, port, names, trustedProxies, log } = this.#options;
    const handlers: Handlers<typeof healthRoutes> = {
      getReadiness: () => {
        connections.target();
        return { status: 200, body: { status: 'ready' } };
      },
      getLiveness: () => ({ status: 200, body: { status: 'alive' } }),
    };
    return new HttpServer({
      host,
      port,
      log,
      clock: this.#wire,
      trustedProxies,
      ...(tls && { tls }),
      allowedHosts: () => (tls === undefined ? names : hostNames(names)),
      apis: [serve(healthRoutes, handlers)],
      identify: () => everybody,
      passOn: this.#passOn(sources),
      upgrades: { '/mqtt': forwardUpgrades(connections.target) },
    });
  }

  #passOn({ connections, store, live }: Sources): PassOn {
    const forward = forwardRequests(connections.target);
    const relay = relayLive({ active: connections.target, relay: live.relay });
    return (request, response, origin, fail) => {
      if (isLiveRequest(request) && connections.hasOwnVersion && live.listener.isListening)
        return relay(request, response, origin, fail);
      const read = connections.hasOwnVersion ? storedReadOf(request.method, request.url ?? '') : undefined;
      const pass = read === undefined ? forward : answerFromStore({ active: connections.target, store }, read);
      pass(request, response, origin, fail);
    };
  }

  /** Undefined on loopback addresses. */
  #certificate(): CertificateFiles | undefined {
    const { host, certificatePaths, log } = this.#options;
    if (isLoopback(host)) return undefined;
    if (certificatePaths !== undefined) return new CertificateFiles({ ...certificatePaths, clock: this.#wire, log });
    throw new StartupError(
      `On ${host} an api process needs a certificate: name it with --tls-certificate and --tls-key.`,
    );
  }
}

/** An api process, ready to be started. */
export const createApiNode = (options: ApiNodeOptions): ApiNode => new OneApiNode(options);
