import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { filterCovers } from '@lcs/contract';
import { type Clock, type Log, type Service, StartupError, type UpgradeHandler } from '@lcs/platform';
import type { MqttPublisher } from '../core/leader-context.ts';
import { type BrokerAccess, type ConnectionOrigin, openAccess } from './broker-access.ts';
import { type BrokerLimits, defaultBrokerLimits } from './broker-limits.ts';
import { type BrokerCommand, MqttBroker, type PublishedMessage } from './mqtt-broker.ts';
import { webSocketUpgrade } from './websocket-upgrade.ts';

export interface EmbeddedBrokerOptions {
  readonly wire: Clock;
  readonly log: Log;
  /** 0: any free port. */
  readonly port: number;
  /** Default: this machine only. */
  readonly host?: string;
  readonly limits?: Partial<BrokerLimits>;
  /** Who may do what; default: everybody everything. */
  readonly access?: BrokerAccess;
  /** Receives each command of a client after its delivery; it must not throw. */
  readonly onCommand?: (command: BrokerCommand) => void;
}

/** Receives a message that a client or the leader has published; not retained ones. */
export type BrokerListener = (topic: string, payload: string) => void;

type State =
  | { readonly is: 'down' }
  | { readonly is: 'up'; readonly broker: MqttBroker; readonly server: Server; readonly port: number };

/** An MQTT 3.1.1 broker in the leader's process, so that a laboratory need not install one. */
export class EmbeddedBroker implements Service, MqttPublisher {
  readonly name = 'broker';
  /** Accepts MQTT clients over WebSocket. */
  readonly webSocket: UpgradeHandler;
  readonly #options: EmbeddedBrokerOptions;
  /** Failures that were already logged, so that a lasting one does not fill the log. */
  readonly #logged = new Set<string>();
  readonly #subscriptions: { readonly filter: string; readonly listener: BrokerListener }[] = [];
  #state: State = { is: 'down' };

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options;
    this.webSocket = webSocketUpgrade({
      isFull: () => this.#isFull(),
      accept: (connection, origin) => this.#accept(connection, origin),
    });
  }

  /** The port it listens on. Throws while the broker is down. */
  get port(): number {
    if (this.#state.is === 'down') throw new Error('The broker is not running.');
    return this.#state.port;
  }

  /** @throws StartupError when the port cannot be used */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { wire, log, limits, access = openAccess, onCommand } = this.#options;
    const server = createServer({ noDelay: true }, (socket) => {
      this.#accept(socket, { address: socket.remoteAddress ?? '' });
    });
    const port = await this.#listen(server);
    const broker = new MqttBroker({
      wire,
      log,
      access,
      limits: { ...defaultBrokerLimits, ...limits },
      onPublish: (message) => this.#notify(message),
      ...(onCommand && { onCommand }),
    });
    this.#state = { is: 'up', broker, server, port };
  }

  async stop(): Promise<void> {
    if (this.#state.is === 'down') return;
    const { broker, server } = this.#state;
    this.#state = { is: 'down' };
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    broker.close();
    await closed;
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

  #listen(server: Server): Promise<number> {
    const { host = '127.0.0.1', port } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(cannotListen(host, port, error)));
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

function cannotListen(host: string, port: number, error: Error): StartupError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `The MQTT port ${port} on ${host} is in use: stop the other broker, or choose another port with --mqtt-port.`,
      { cause: error },
    );
  }
  if (code === 'EACCES') {
    return new StartupError(
      `The MQTT port ${port} may not be used by this user: choose one above 1023 with --mqtt-port.`,
      {
        cause: error,
      },
    );
  }
  return new StartupError(`The MQTT broker cannot listen on ${host}, port ${port}: ${error.message}.`, {
    cause: error,
  });
}
