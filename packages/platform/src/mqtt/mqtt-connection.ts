import { filterCovers } from '@lcs/contract';
import type { IClientOptions, MqttClient } from 'mqtt';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Service } from '../lifecycle/in-order.ts';
import type { Log } from '../log/log.ts';
import { connectPinned, type PinnedPeer } from '../tls/pinned-connection.ts';
import { addressOptions } from './address-options.ts';
import { RetainedTopics } from './retained-topics.ts';

export interface PublishOptions {
  readonly retain?: boolean;
  readonly qos?: 0 | 1 | 2;
}

/** `isRetained`: the broker had the message before the subscription. */
export type MessageListener = (topic: string, payload: string, isRetained: boolean) => void;

export interface MqttConnectionOptions {
  /** Called before each attempt, because the broker may move; undefined while the address is unknown. */
  readonly url: () => string | undefined;
  readonly clientId: string;
  /** The retained message that the broker publishes when this node disconnects unexpectedly (MQTT last will). */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** Read before each attempt: it may be issued or replaced at any time. That of an address precedes it. */
  readonly account?: () => { readonly username: string; readonly password: string } | undefined;
  /**
   * The key of the node that is the broker, read before each attempt. Undefined: with TLS the broker is known by a certificate of an authority
   * and its host name.
   */
  readonly peer?: () => Promise<PinnedPeer> | undefined;
  readonly wire: Clock;
  readonly log: Log;
  readonly onConnect?: () => void;
  readonly onDisconnect?: () => void;
}

const keepAliveS = 15;
const connectWithinMs = 5_000;
const minRetryMs = 500;
const maxRetryMs = 10_000;
/** The limit of unacknowledged messages. Above it, only the newest of each retained topic is kept. */
const maxInFlight = 1_000;
const disconnectWaitMs = 1_000;
/** How long the connection waits for the retained messages to be cleared. */
const retainedWaitMs = 5_000;

/** Registered for MQTT with TLS. */
const tlsPort = 8883;

type Library = typeof import('mqtt');

interface Subscription {
  readonly filters: readonly string[];
  readonly listener: MessageListener;
}

/**
 * A node's connection to a broker, which may be unreachable. Publishing never waits and never throws: without a connection, the newest
 * message of each retained topic is kept and other messages are dropped. All retained messages are published again at each connection,
 * because a restarted broker may have lost them.
 */
export class MqttConnection implements Service {
  readonly name = 'connection to the broker';
  readonly #options: MqttConnectionOptions;
  readonly #retained = new RetainedTopics();
  readonly #subscriptions: Subscription[] = [];
  #client: MqttClient | undefined;
  #library: Library | undefined;
  /** The attempt to connect to a node. */
  #attempt: Promise<void> = Promise.resolve();
  #ended = new AbortController();
  #isConnected = false;
  #isStarted = false;
  #inFlight = 0;
  #pauseMs = minRetryMs;
  /** Why the last attempt failed; logged once. */
  #fault: string | undefined;
  #cancelRetry: Cancel = () => {};

  constructor(options: MqttConnectionOptions) {
    this.#options = options;
  }

  /** Does not wait for the broker. Loads the client's code here, because a leader with its own broker does not need it. */
  async start(): Promise<void> {
    this.#library = await import('mqtt');
    this.#ended = new AbortController();
    this.#isStarted = true;
    this.#connect();
  }

  /** Waits up to a second for the acknowledgement of published messages. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#cancelRetry();
    this.#ended.abort();
    await this.#attempt;
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.wire.after(disconnectWaitMs, () => client.end(true, {}, () => resolve()));
    if (client.connected) client.end(false, {}, () => resolve());
    else client.end(true, {}, () => resolve());
    await closed;
    cancel();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** An empty retained payload clears its topic. */
  publish(topic: string, payload: string, options: PublishOptions = {}): void {
    const { retain = false, qos = 0 } = options;
    if (retain) this.#retained.keep(topic, payload, qos);
    if (!this.#isConnected || this.#inFlight >= maxInFlight) return;
    if (retain) this.#retained.sent(topic);
    this.#send(topic, payload, { retain, qos });
  }

  /** The retained topics below this prefix that this process has published and not cleared. */
  retainedBelow(prefix: string): readonly string[] {
    return this.#retained.below(prefix);
  }

  /**
   * Clears the messages that the broker retains under this filter and for which `shouldClear` returns true, whoever published them. Does
   * nothing without a connection.
   */
  clearRetained(filter: string, shouldClear: (topic: string) => boolean): void {
    if (!this.#isConnected) return;
    const client = this.#client;
    const subscription: Subscription = {
      filters: [filter],
      listener: (topic, payload, isRetained) => {
        if (isRetained && payload !== '' && shouldClear(topic)) this.publish(topic, '', { retain: true, qos: 1 });
      },
    };
    this.#subscriptions.push(subscription);
    this.#subscribeAll(subscription.filters);
    this.#options.wire.after(retainedWaitMs, () => {
      this.#subscriptions.splice(this.#subscriptions.indexOf(subscription), 1);
      const isWanted = this.#subscriptions.some(({ filters }) => filters.includes(filter));
      if (!isWanted && this.#isConnected && client === this.#client) client?.unsubscribe(filter);
    });
  }

  /** Subscribes now and at each connection. With the wildcards of MQTT. */
  subscribe(filters: readonly string[], listener: MessageListener): void {
    this.#subscriptions.push({ filters, listener });
    if (this.#isConnected) this.#subscribeAll(filters);
  }

  #send(topic: string, payload: string, { retain, qos }: Required<PublishOptions>): void {
    this.#inFlight += 1;
    const client = this.#client;
    client?.publish(topic, payload, { retain, qos }, (error) => {
      if (!error && retain && payload === '') this.#retained.cleared(topic);
      // Messages that this connection could not deliver are published again by the next one.
      if (client !== this.#client) return;
      this.#inFlight -= 1;
      if (this.#inFlight < maxInFlight) this.#sendKept();
    });
  }

  /** Sends the retained messages that exceeded the limit. */
  #sendKept(): void {
    if (!this.#isConnected) return;
    for (const { topic, payload, qos } of this.#retained.takeUnsent(maxInFlight - this.#inFlight)) {
      this.#send(topic, payload, { retain: true, qos });
    }
  }

  #connect(): void {
    const { url, peer } = this.#options;
    const address = url();
    const library = this.#library;
    if (library === undefined || address === undefined || !URL.canParse(address)) {
      this.#retryLater();
      return;
    }
    const place = new URL(address);
    const pinned = peer?.();
    if (pinned === undefined) this.#follow(place, library.connect(this.#clientOptions(place)));
    else this.#attempt = this.#connectToNode(library, place, pinned);
  }

  /** Nothing is sent, the account least of all, before the node has proved its key. */
  async #connectToNode({ MqttClient }: Library, place: URL, peer: Promise<PinnedPeer>): Promise<void> {
    const options = this.#clientOptions(place);
    try {
      const { host, port = tlsPort } = options;
      const { signal } = this.#ended;
      const socket = await connectPinned({
        ...(await peer),
        host,
        port,
        protocol: 'mqtt',
        connectMs: connectWithinMs,
        signal,
      });
      if (this.#isStarted) this.#follow(place, new MqttClient(() => socket, options));
      else socket.destroy();
    } catch (error) {
      if (!this.#isStarted) return;
      this.#failed(place, error instanceof Error ? error : new Error(String(error)));
      this.#retryLater();
    }
  }

  #clientOptions(address: URL) {
    const { clientId, will, account } = this.#options;
    return {
      ...account?.(),
      ...addressOptions(address),
      clientId,
      clean: true,
      keepalive: keepAliveS,
      connectTimeout: connectWithinMs,
      // The address may change between attempts, so each attempt is a client of its own.
      reconnectPeriod: 0,
      queueQoSZero: false,
      // The default preallocates all 65,536 packet identifiers, which takes 8 MB.
      writeCache: false,
      ...(will && { will: { topic: will.topic, payload: Buffer.from(will.payload), retain: true, qos: 1 as const } }),
    } satisfies IClientOptions;
  }

  #follow(address: URL, client: MqttClient): void {
    this.#client = client;
    client.on('connect', () => this.#connected(client));
    client.on('message', (topic, payload, packet) => this.#take(topic, payload.toString('utf8'), packet.retain));
    client.on('error', (error) => this.#failed(address, error));
    client.on('close', () => this.#closed(client));
  }

  #connected(client: MqttClient): void {
    if (client !== this.#client) return;
    this.#isConnected = true;
    this.#inFlight = 0;
    this.#pauseMs = minRetryMs;
    this.#fault = undefined;
    this.#subscribeAll(this.#subscriptions.flatMap(({ filters }) => filters));
    this.#retained.forgetSent();
    this.#sendKept();
    this.#options.onConnect?.();
  }

  #subscribeAll(filters: readonly string[]): void {
    if (filters.length === 0) return;
    this.#client?.subscribe([...new Set(filters)], { qos: 1 }, (error) => {
      if (error && this.#isConnected) this.#options.log.warn('The broker refused a subscription', { filters, error });
    });
  }

  #take(topic: string, payload: string, isRetained: boolean): void {
    for (const { filters, listener } of this.#subscriptions) {
      if (filters.some((filter) => filterCovers(filter, topic))) listener(topic, payload, isRetained);
    }
  }

  #closed(client: MqttClient): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.end(true);
    if (this.#isConnected) {
      this.#isConnected = false;
      this.#options.log.info('The connection to the broker is lost; readings are still stored and sent to the leader');
      this.#options.onDisconnect?.();
    }
    this.#retryLater();
  }

  /** An address may contain credentials; only host and port are logged. */
  #failed({ protocol, host }: URL, { message }: Error): void {
    if (message === this.#fault) return;
    this.#fault = message;
    const what = 'The broker cannot be reached; measurements continue, and the node retries';
    this.#options.log.warn(what, { broker: `${protocol}//${host}`, cause: message });
  }

  #retryLater(): void {
    if (!this.#isStarted) return;
    this.#cancelRetry = this.#options.wire.after(this.#pauseMs, () => this.#connect());
    this.#pauseMs = Math.min(maxRetryMs, this.#pauseMs * 2);
  }
}
