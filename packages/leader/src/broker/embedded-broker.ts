import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { filterCovers } from '@lcs/contract';
import {
  type Clock,
  followCertificate,
  isLoopback,
  type Log,
  peerKeyOf,
  type ServerTls,
  type Service,
  StartupError,
  serverTlsOptions,
  type UpgradeHandler,
} from '@lcs/platform';
import type { MqttPublisher } from '../core/leader-context.ts';
import { type BrokerAccess, type ConnectionOrigin, openAccess } from './broker-access.ts';
import { type BrokerLimits, defaultBrokerLimits } from './broker-limits.ts';
import { Handshakes } from './handshakes.ts';
import { type BrokerCommand, MqttBroker, type PublishedMessage } from './mqtt-broker.ts';
import { webSocketUpgrade } from './websocket-upgrade.ts';

/** Where other machines reach the broker: always with TLS. */
export interface BrokerNetwork {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls: ServerTls;
}

export interface EmbeddedBrokerOptions {
  readonly wire: Clock;
  readonly log: Log;
  /** 0: any free port. */
  readonly port: number;
  /** A loopback address. */
  readonly host?: string;
  /** Absent: it is for this machine only. */
  readonly network?: BrokerNetwork;
  readonly limits?: Partial<BrokerLimits>;
  /** Who may do what; default: everybody everything. */
  readonly access?: BrokerAccess;
  /** Receives each command of a client after its delivery; it must not throw. */
  readonly onCommand?: (command: BrokerCommand) => void;
}

/** Receives a message that a client or the leader has published; not retained ones. */
export type BrokerListener = (topic: string, payload: string) => void;

/** As that of HTTP for its headers. */
const handshakeMs = 20_000;

type State =
  | { readonly is: 'down' }
  | {
      readonly is: 'up';
      readonly broker: MqttBroker;
      readonly servers: readonly Server[];
      readonly port: number;
      readonly tlsPort: number | undefined;
      readonly unfollow: () => void;
    };

/** An MQTT 3.1.1 broker in the leader's process, so that a laboratory need not install one. */
export class EmbeddedBroker implements Service, MqttPublisher {
  readonly name = 'broker';
  /** Accepts MQTT clients over WebSocket. */
  readonly webSocket: UpgradeHandler;
  readonly #options: EmbeddedBrokerOptions;
  /** Failures that were already logged, so that a lasting one does not fill the log. */
  readonly #logged = new Set<string>();
  readonly #subscriptions: { readonly filter: string; readonly listener: BrokerListener }[] = [];
  readonly #handshakes = new Handshakes();
  #state: State = { is: 'down' };

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options;
    this.webSocket = webSocketUpgrade({
      isFull: () => this.#isFull(),
      accept: (connection, origin) => this.#accept(connection, origin),
    });
  }

  /** The port of its connections without TLS. Throws while the broker is down. */
  get port(): number {
    return this.#up().port;
  }

  /** The port of its connections with TLS; undefined: it is for this machine only. Throws while the broker is down. */
  get tlsPort(): number | undefined {
    return this.#up().tlsPort;
  }

  /** @throws StartupError when a port cannot be used */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { wire, log, limits, access = openAccess, onCommand, host = '127.0.0.1', port, network } = this.#options;
    const server = createServer({ noDelay: true }, (socket) => {
      const { remoteAddress: address = '' } = socket;
      this.#accept(socket, { address, isPlainLoopback: isLoopback(address) });
    });
    const used = await this.#listen(server, host, port, '--mqtt-port');
    const encrypted = network && (await this.#listenOnNetwork(network).catch((error) => failedAfter(server, error)));
    const broker = new MqttBroker({
      wire,
      log,
      access,
      limits: { ...defaultBrokerLimits, ...limits },
      onPublish: (message) => this.#notify(message),
      ...(onCommand && { onCommand }),
    });
    this.#state = {
      is: 'up',
      broker,
      servers: [server, ...(encrypted ? [encrypted.server] : [])],
      port: used,
      tlsPort: encrypted?.port,
      unfollow: encrypted?.unfollow ?? (() => {}),
    };
  }

  async stop(): Promise<void> {
    if (this.#state.is === 'down') return;
    const { broker, servers, unfollow } = this.#state;
    this.#state = { is: 'down' };
    unfollow();
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    this.#handshakes.close();
    broker.close();
    await Promise.all(closed);
  }

  /** Filter with wildcards of MQTT; `listener` must not throw. */
  subscribe(filter: string, listener: BrokerListener): void {
    this.#subscriptions.push({ filter, listener });
  }

  publish(topic: string, payload: string, options: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 } = {}): void {
    if (this.#state.is === 'down') {
      this.#logOnce('A message was not published: the broker is not running');
      return;
    }
    const { retain = false, qos = 0 } = options;
    const isPublished = this.#state.broker.publish(topic, payload, qos, retain);
    if (!isPublished) this.#logOnce('A message was not published: its topic is too long', { topic });
  }

  /** Clears the retained messages of this filter, from any publisher, for which `matches` returns true. */
  clearRetained(filter: string, matches: (topic: string) => boolean): void {
    if (this.#state.is === 'down') return;
    const found = [...this.#state.broker.retained(filter)];
    for (const message of found) {
      if (message !== undefined && matches(message.topic)) this.publish(message.topic, '', { retain: true, qos: 1 });
    }
  }

  #isFull(): boolean {
    if (this.#state.is === 'down' || !this.#state.broker.isFull) return false;
    this.#state.broker.reportFull();
    return true;
  }

  #accept(connection: Duplex, origin: ConnectionOrigin): void {
    if (this.#state.is === 'up') this.#state.broker.accept(connection, origin);
    else connection.destroy();
  }

  #notify({ topic, payload, isRetained }: PublishedMessage): void {
    if (isRetained) return;
    for (const { filter, listener } of this.#subscriptions) {
      if (filterCovers(filter, topic)) listener(topic, payload.toString());
    }
  }

  /** The connections of other machines. Their key is known: it belongs to a unit, or to nobody. */
  async #listenOnNetwork({ host, port, tls }: BrokerNetwork) {
    const options = { ...serverTlsOptions(tls, 'mqtt'), handshakeTimeout: handshakeMs, noDelay: true };
    const server = createTlsServer(options, (socket) => {
      const { remoteAddress: address = '' } = socket;
      this.#handshakes.done(socket);
      this.#accept(socket, { address, peerKey: peerKeyOf(socket) });
    });
    server.on('connection', (socket) => this.#handshakes.begin(socket));
    const used = await this.#listen(server, host, port, '--mqtt-tls-port');
    return { server, port: used, unfollow: followCertificate(server, tls) };
  }

  #up(): Extract<State, { is: 'up' }> {
    if (this.#state.is === 'down') throw new Error('The broker is not running.');
    return this.#state;
  }

  #listen(server: Server, host: string, port: number, option: string): Promise<number> {
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(cannotListen({ host, port, option }, error)));
      server.listen(port, host, () => {
        const address = server.address();
        server.removeAllListeners('error');
        server.on('error', (error) => this.#logOnce('The broker could not accept a connection', { error }));
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  #logOnce(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { log } = this.#options;
    if (this.#logged.has(message)) log.debug(message, fields);
    else log.error(message, fields);
    this.#logged.add(message);
  }
}

/** The first server must not listen on when the second cannot. */
function failedAfter(server: Server, error: unknown): never {
  server.close();
  throw error;
}

interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Of the command line, for another port. */
  readonly option: string;
}

function cannotListen({ host, port, option }: ListenPlace, error: Error): StartupError {
  const code = 'code' in error ? error.code : undefined;
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `The MQTT port ${port} on ${host} is in use: stop the other broker, or choose another port with ${option}.`,
    EADDRNOTAVAIL: `The MQTT broker cannot listen on ${host}: this machine does not have that address. Choose one of its own with --host.`,
    EACCES: `The MQTT port ${port} may not be used by this user: choose one above 1023 with ${option}.`,
  };
  const known = typeof code === 'string' && Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  const sentence = known ?? `The MQTT broker cannot listen on ${host}, port ${port}: ${error.message}.`;
  return new StartupError(sentence, { cause: error });
}
