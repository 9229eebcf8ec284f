import type { connect, MqttClient } from 'mqtt';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Service } from '../lifecycle/lifecycle.ts';
import type { Log } from '../log/log.ts';
import { RetainedTopics } from './retained-topics.ts';

export interface PublishOptions {
  readonly retain?: boolean;
  readonly qos?: 0 | 1 | 2;
}

/** `isRetained`: the message was there before the subscription. */
export type MessageListener = (topic: string, payload: string, isRetained: boolean) => void;

export interface MqttConnectionOptions {
  /** Asked before each attempt, since the broker may move; undefined while nobody knows it. */
  readonly url: () => string | undefined;
  readonly clientId: string;
  /** What the broker publishes, retained, when this node is gone without a word. */
  readonly will?: { readonly topic: string; readonly payload: string };
  readonly username?: string;
  readonly password?: string;
  readonly wire: Clock;
  readonly log: Log;
  readonly onConnect?: () => void;
  readonly onDisconnect?: () => void;
}

const keepAliveS = 15;
const connectWithinMs = 5_000;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Messages that the broker has not taken yet. Beyond it only the newest of each retained topic is kept. */
const mostUnderWay = 1_000;
const goodbyeMs = 1_000;
/** So long retained messages are awaited that are to be cleared. */
const clearingMs = 5_000;

interface Subscription {
  readonly filters: readonly string[];
  readonly listener: MessageListener;
}

/**
 * A node's connection to a broker that may be away. Publishing never waits and never throws: while nobody takes it, the
 * newest message of each retained topic is kept and others are dropped. All retained ones are published again at each
 * connection, because the broker may have forgotten everything.
 */
export class MqttConnection implements Service {
  readonly name = 'connection to the broker';
  readonly #options: MqttConnectionOptions;
  readonly #retained = new RetainedTopics();
  readonly #subscriptions: Subscription[] = [];
  #client: MqttClient | undefined;
  #open: typeof connect | undefined;
  #isConnected = false;
  #isUp = false;
  #underWay = 0;
  #pauseMs = firstPauseMs;
  /** Why the last attempt failed: said once. */
  #fault: string | undefined;
  #cancelRetry: Cancel = () => {};

  constructor(options: MqttConnectionOptions) {
    this.#options = options;
  }

  /** Does not wait for the broker. The client's code is loaded here: a leader with a broker of its own has no need of it. */
  async start(): Promise<void> {
    const library = await import('mqtt');
    this.#open = library.connect;
    this.#isUp = true;
    this.#connect();
  }

  /** What was published reaches a broker that answers within a second. */
  async stop(): Promise<void> {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#cancelRetry();
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.wire.after(goodbyeMs, () => client.end(true, {}, () => resolve()));
    if (client.connected) client.end(false, {}, () => resolve());
    else client.end(true, {}, () => resolve());
    await gone;
    cancel();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** An empty retained payload clears its topic. */
  publish(topic: string, payload: string, options: PublishOptions = {}): void {
    const { retain = false, qos = 0 } = options;
    if (retain) this.#retained.keep(topic, payload, qos);
    if (!this.#isConnected || this.#underWay >= mostUnderWay) return;
    if (retain) this.#retained.sent(topic);
    this.#send(topic, payload, { retain, qos });
  }

  /** The retained topics below this prefix that this connection has published in this run, and not cleared since. */
  retainedBelow(prefix: string): readonly string[] {
    return this.#retained.below(prefix);
  }

  /**
   * Clears what the broker retains under this filter, whoever published it, where `isMeant` says so. The broker tells it within
   * seconds; while it is away nobody knows what it retains, and nothing is cleared.
   */
  clearRetained(filter: string, isMeant: (topic: string) => boolean): void {
    if (!this.#isConnected) return;
    const client = this.#client;
    const subscription: Subscription = {
      filters: [filter],
      listener: (topic, payload, isRetained) => {
        if (isRetained && payload !== '' && isMeant(topic)) this.publish(topic, '', { retain: true, qos: 1 });
      },
    };
    this.#subscriptions.push(subscription);
    this.#subscribeAll(subscription.filters);
    this.#options.wire.after(clearingMs, () => {
      this.#subscriptions.splice(this.#subscriptions.indexOf(subscription), 1);
      const isWanted = this.#subscriptions.some(({ filters }) => filters.includes(filter));
      if (!isWanted && this.#isConnected && client === this.#client) client?.unsubscribe(filter);
    });
  }

  /** From now on and at each connection. Wildcards as MQTT has them. */
  subscribe(filters: readonly string[], listener: MessageListener): void {
    this.#subscriptions.push({ filters, listener });
    if (this.#isConnected) this.#subscribeAll(filters);
  }

  #send(topic: string, payload: string, { retain, qos }: Required<PublishOptions>): void {
    this.#underWay += 1;
    const client = this.#client;
    client?.publish(topic, payload, { retain, qos }, (error) => {
      if (!error && retain && payload === '') this.#retained.cleared(topic);
      // Whatever a connection did not get through is published again by the next one.
      if (client !== this.#client) return;
      this.#underWay -= 1;
      if (this.#underWay < mostUnderWay) this.#sendKept();
    });
  }

  /** Retained messages that came while too much was under way. */
  #sendKept(): void {
    if (!this.#isConnected) return;
    for (const { topic, payload, qos } of this.#retained.takeUnsent(mostUnderWay - this.#underWay)) {
      this.#send(topic, payload, { retain: true, qos });
    }
  }

  #connect(): void {
    const { url, clientId, will, username, password } = this.#options;
    const address = url();
    if (this.#open === undefined || address === undefined || !URL.canParse(address)) {
      this.#retryLater();
      return;
    }
    const client = this.#open({
      ...whereIs(new URL(address)),
      clientId,
      clean: true,
      keepalive: keepAliveS,
      connectTimeout: connectWithinMs,
      // The address may change between attempts, so each attempt is a client of its own.
      reconnectPeriod: 0,
      queueQoSZero: false,
      // Buffers of all 65,536 numbers, made beforehand, would take 8 MB for packets that are few.
      writeCache: false,
      ...(will && { will: { topic: will.topic, payload: Buffer.from(will.payload), retain: true, qos: 1 as const } }),
      ...(username && { username }),
      ...(password && { password }),
    });
    this.#client = client;
    client.on('connect', () => this.#connected(client));
    client.on('message', (topic, payload, packet) => this.#take(topic, payload.toString('utf8'), packet.retain));
    client.on('error', (error) => this.#failed(new URL(address), error));
    client.on('close', () => this.#closed(client));
  }

  #connected(client: MqttClient): void {
    if (client !== this.#client) return;
    this.#isConnected = true;
    this.#underWay = 0;
    this.#pauseMs = firstPauseMs;
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
      if (filters.some((filter) => topicMatches(filter, topic))) listener(topic, payload, isRetained);
    }
  }

  #closed(client: MqttClient): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.end(true);
    if (this.#isConnected) {
      this.#isConnected = false;
      this.#options.log.info('The broker is away; what is measured is kept and sent to the leader all the same');
      this.#options.onDisconnect?.();
    }
    this.#retryLater();
  }

  /** An address may carry an account: only its place is told. */
  #failed({ protocol, host }: URL, { message }: Error): void {
    if (message === this.#fault) return;
    this.#fault = message;
    const what = 'The broker cannot be reached; measuring goes on, and it is tried again';
    this.#options.log.warn(what, { broker: `${protocol}//${host}`, cause: message });
  }

  #retryLater(): void {
    if (!this.#isUp) return;
    this.#cancelRetry = this.#options.wire.after(this.#pauseMs, () => this.#connect());
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }
}

const protocols = ['mqtt', 'mqtts', 'ws', 'wss'] as const;

/** The parts of an address; the client would take an address apart by a way that Node warns of. */
function whereIs({ protocol, hostname, port, pathname, username, password }: URL) {
  const known = protocols.find((name) => `${name}:` === protocol) ?? 'mqtt';
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    protocol: known,
    host,
    ...(port !== '' && { port: Number(port) }),
    ...(pathname !== '/' && { path: pathname }),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** MQTT 3.1.1, section 4.7. */
export function topicMatches(filter: string, topic: string): boolean {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
