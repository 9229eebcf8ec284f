import type { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Living, type Log, StartupError, topicMatches, type UpgradeHandler } from '@lcs/platform';
import { Aedes, type Client } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import type { MqttPublisher } from '../leader-context.ts';
import { numberWhenSent } from './number-when-sent.ts';
import { webSocketDoor } from './websocket-door.ts';

export interface EmbeddedBrokerOptions {
  readonly log: Log;
  /** 0: any free port. */
  readonly port: number;
  /** Default: this machine only. */
  readonly host?: string;
  /** What may wait for one client, in bytes; it is disconnected at half of it. Default 1 MiB. */
  readonly clientBufferBytes?: number;
  /**
   * The broker delivers through slots that all clients share. A client that takes nothing holds them until it is disconnected,
   * after this many milliseconds at most. Usually it is disconnected before it holds any. Default 3,000.
   */
  readonly drainTimeoutMs?: number;
}

/** The deepest topic in use has six levels; the rest is room for other clients of the broker. */
const maxTopicLevels = 32;
const defaultDrainTimeoutMs = 3000;
const defaultBufferBytes = 1024 * 1024;

/** Hears a message that a client has published; not those that were retained before. */
export type BrokerListener = (topic: string, payload: string) => void;

type State =
  | { readonly is: 'down' }
  | { readonly is: 'up'; readonly aedes: Aedes; readonly server: Server; readonly port: number };

/** An MQTT 3.1.1 broker within the leader, so that a lab needs to install none. */
export class EmbeddedBroker implements Living, MqttPublisher {
  readonly name = 'broker';
  /** Where MQTT clients come in by WebSocket. */
  readonly webSocket: UpgradeHandler;
  readonly #options: EmbeddedBrokerOptions;
  readonly #bufferBytes: number;
  readonly #connections = new Set<Duplex>();
  /** Failures that are known; while they last they would fill the log. */
  readonly #told = new Set<string>();
  readonly #subscriptions: { readonly filter: string; readonly listener: BrokerListener }[] = [];
  /** Topics of which a message is retained in this run. */
  readonly #retained = new Set<string>();
  #state: State = { is: 'down' };

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options;
    this.#bufferBytes = options.clientBufferBytes ?? defaultBufferBytes;
    this.webSocket = webSocketDoor({
      bufferBytes: this.#bufferBytes,
      accept: (connection) => this.#accept(connection),
    });
  }

  /** The port it listens on. Throws while it is down. */
  get port(): number {
    if (this.#state.is === 'down') throw new Error('The broker is not running.');
    return this.#state.port;
  }

  /** @throws StartupError when the port cannot be used */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const server = createServer({ highWaterMark: this.#bufferBytes, noDelay: true });
    const port = await this.#listen(server);
    const aedes = await this.#createAedes();
    for (const { filter, listener } of this.#subscriptions) {
      const deliver: Parameters<Aedes['subscribe']>[1] = ({ topic, payload, retain }, done) => {
        if (!retain) listener(topic, payload.toString());
        done();
      };
      await new Promise<void>((resolve) => aedes.subscribe(filter, deliver, resolve));
    }
    server.on('connection', (socket) => this.#accept(socket));
    this.#state = { is: 'up', aedes, server, port };
  }

  async stop(): Promise<void> {
    if (this.#state.is === 'down') return;
    const { aedes, server } = this.#state;
    this.#state = { is: 'down' };
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await new Promise<void>((resolve) => aedes.close(resolve));
    // Connections that never became clients are not closed by the broker.
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  /** For every run of the broker that begins after this. Wildcards as MQTT has them; `listener` must not throw. */
  subscribe(filter: string, listener: BrokerListener): void {
    this.#subscriptions.push({ filter, listener });
  }

  publish(topic: string, payload: string, options: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 } = {}): void {
    if (this.#state.is === 'down') {
      this.#tellOnce('a message was not published: the broker is not running');
      return;
    }
    const { retain = false, qos = 0 } = options;
    this.#state.aedes.publish({ cmd: 'publish', topic, payload, retain, qos, dup: false }, (error) => {
      if (error) this.#tellOnce('a message was not published', error);
    });
  }

  /** Clears what is retained under this filter, whoever published it, where `isMeant` says so. */
  clearRetained(filter: string, isMeant: (topic: string) => boolean): void {
    for (const topic of [...this.#retained])
      if (topicMatches(filter, topic) && isMeant(topic)) this.publish(topic, '', { retain: true, qos: 1 });
  }

  #accept(connection: Duplex): void {
    if (this.#state.is === 'down') {
      connection.destroy();
      return;
    }
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    this.#state.aedes.handle(connection);
  }

  #listen(server: Server): Promise<number> {
    const { host = '127.0.0.1', port } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(cannotListen(host, port, error)));
      server.listen(port, host, () => {
        const address = server.address();
        server.removeAllListeners('error');
        server.on('error', (error) => this.#tellOnce('the broker could not accept a connection', error));
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  async #createAedes(): Promise<Aedes> {
    const { log, drainTimeoutMs: drainTimeout = defaultDrainTimeoutMs } = this.#options;
    const aedes = await Aedes.createBroker({
      drainTimeout,
      maxTopicLevels,
      preConnect: (_, packet, accept) => {
        // What an absent client with a lasting session missed would be kept for it without limit, for ever if it never
        // returns. No session outlasts its connection here, and the client is told so when it connects.
        packet.clean = true;
        accept(null, true);
      },
      authorizeForward: (client, packet) => (this.#forwardable(client, packet.retain) ? packet : null),
    });
    this.#retained.clear();
    aedes.on('publish', ({ topic, payload, retain }) => {
      if (!retain) return;
      if (payload.length === 0) this.#retained.delete(topic);
      else this.#retained.add(topic);
    });
    numberWhenSent(aedes);
    // Else the first packet makes buffers of all 65,536 numbers: 8 MB, for ever.
    writeToStream.cacheNumbers = false;
    aedes.on('clientError', (client, error) => log.debug('an MQTT client failed', { client: client.id, error }));
    aedes.on('connectionError', (_, error) => log.debug('an MQTT connection failed', { error }));
    const emitter: EventEmitter = aedes;
    emitter.on('error', (error: unknown) => this.#tellOnce('the broker failed', error));
    return aedes;
  }

  /**
   * A client that has let its buffer fill is disconnected before anyone waits for it. Retained messages are exempt: a new
   * client gets all of them at once, at its own pace.
   */
  #forwardable(client: Client, isRetained: boolean): boolean {
    if (isRetained || client.conn.writableLength < this.#bufferBytes / 2) return true;
    this.#options.log.warn('an MQTT client takes nothing any more and was disconnected', { client: client.id });
    client.conn.destroy();
    return false;
  }

  #tellOnce(message: string, error?: unknown): void {
    const { log } = this.#options;
    const fields = error === undefined ? {} : { error };
    if (this.#told.has(message)) log.debug(message, fields);
    else log.error(message, fields);
    this.#told.add(message);
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
