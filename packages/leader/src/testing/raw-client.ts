import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { generate, type IConnectPacket, type ISubscription, type Packet, parser, type QoS } from 'mqtt-packet';
import WebSocket, { createWebSocketStream } from 'ws';

/**
 * An MQTT client for tests that sends packets as they are written here, several in one chunk or one in several, and records
 * what comes back. A client library would hide acknowledgements, packet ids and flags.
 */
export class RawClient {
  /** Every packet received so far. */
  readonly received: Packet[] = [];
  readonly closed: Promise<void>;
  readonly #write: (chunk: Buffer) => void;
  readonly #destroy: () => void;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;
  #taken = 0;

  private constructor(stream: NodeJS.ReadWriteStream & { destroy(): unknown }) {
    const reading = parser();
    reading.on('packet', (packet) => {
      this.received.push(packet);
      this.#wake();
    });
    stream.on('data', (chunk: Buffer) => reading.parse(chunk));
    stream.on('error', () => {});
    const closed = Promise.withResolvers<void>();
    const close = () => {
      this.#isClosed = true;
      closed.resolve();
      this.#wake();
    };
    // A stream over a WebSocket that the broker has closed ends, and does not close by itself.
    stream.on('end', close);
    stream.on('close', close);
    this.closed = closed.promise;
    this.#write = (chunk) => void stream.write(chunk);
    this.#destroy = () => void stream.destroy();
  }

  /** Opens a connection without sending anything. `url`: `mqtt://` or `ws://`. `headers`: of the request of a WebSocket. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<RawClient> {
    if (url.startsWith('ws:')) {
      const webSocket = new WebSocket(url, 'mqtt', { headers });
      await once(webSocket, 'open');
      return new RawClient(createWebSocketStream(webSocket));
    }
    const { hostname, port } = new URL(url);
    const socket = connectSocket(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Opens a connection and a session; without `clientId` a clean one under a name that the broker chooses. */
  static async connect(url: string, options: Partial<IConnectPacket> = {}): Promise<RawClient> {
    const client = await RawClient.open(url);
    client.send(connectPacket(options));
    await client.next('connack');
    return client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends packets, or bytes that are none, as one chunk. */
  send(...packets: readonly (Packet | Buffer)[]): void {
    const [first, ...others] = packets.map(bytesOf);
    if (first !== undefined) this.#write(others.length === 0 ? first : Buffer.concat([first, ...others]));
  }

  /** The next packet of this kind that was not taken yet; those before it are skipped. */
  async next<Command extends Packet['cmd']>(command: Command): Promise<Extract<Packet, { cmd: Command }>> {
    for (;;) {
      while (this.#taken < this.received.length) {
        const packet = this.received[this.#taken];
        this.#taken += 1;
        if (packet !== undefined && isOfKind(packet, command)) return packet;
      }
      if (this.#isClosed) throw new Error(`The connection was closed before a ${command} came.`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Resolves once this many packets of a kind have come. */
  async until(count: number, command: Packet['cmd']): Promise<void> {
    while (this.received.filter(({ cmd }) => cmd === command).length < count) {
      if (this.#isClosed) throw new Error(`The connection was closed before ${count} × ${command} came.`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Everything not taken yet that the broker has sent before it answers a ping. */
  async pending(): Promise<Packet[]> {
    const first = this.#taken;
    this.send({ cmd: 'pingreq' });
    await this.next('pingresp');
    return this.received.slice(first, this.#taken - 1);
  }

  /** The messages among `pending`, as `topic payload`. */
  async messages(): Promise<string[]> {
    return (await this.pending()).flatMap((packet) =>
      packet.cmd === 'publish' ? [`${packet.topic} ${packet.payload}`] : [],
    );
  }

  async subscribe(...filters: readonly (string | [filter: string, qos: QoS])[]): Promise<readonly unknown[]> {
    this.send(subscribePacket(1, ...filters));
    return (await this.next('suback')).granted;
  }

  /** Publishes with quality 1 and waits for the acknowledgement: the broker has taken it. */
  async publish(topic: string, payload: string | Buffer, options: { retain?: boolean; qos?: QoS } = {}): Promise<void> {
    this.send(publishPacket(topic, payload, { qos: 1, messageId: 1, ...options }));
    if (options.qos === 0) await this.pending();
    else if (options.qos === 2) {
      await this.next('pubrec');
      this.send({ cmd: 'pubrel', messageId: 1 });
      await this.next('pubcomp');
    } else await this.next('puback');
  }

  /** Ends as a client that says so, or as one whose power fails. */
  async end(how: 'disconnect' | 'cut' = 'disconnect'): Promise<void> {
    if (how === 'disconnect' && !this.#isClosed) this.send({ cmd: 'disconnect' });
    else this.#destroy();
    await this.closed;
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }
}

function isOfKind<Command extends Packet['cmd']>(
  packet: Packet,
  command: Command,
): packet is Extract<Packet, { cmd: Command }> {
  return packet.cmd === command;
}

export const bytesOf = (packet: Packet | Buffer): Buffer => (Buffer.isBuffer(packet) ? packet : generate(packet));

export const connectPacket = (options: Partial<IConnectPacket> = {}): IConnectPacket => ({
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clean: true,
  clientId: '',
  keepalive: 0,
  ...options,
});

export const subscribePacket = (messageId: number, ...filters: readonly (string | [string, QoS])[]): Packet => ({
  cmd: 'subscribe',
  messageId,
  subscriptions: filters.map((filter): ISubscription => {
    const [topic, qos] = typeof filter === 'string' ? [filter, 0 as const] : filter;
    return { topic, qos };
  }),
});

export const unsubscribePacket = (messageId: number, ...unsubscriptions: string[]): Packet => ({
  cmd: 'unsubscribe',
  messageId,
  unsubscriptions,
});

export const publishPacket = (
  topic: string,
  payload: string | Buffer,
  options: { qos?: QoS; retain?: boolean; dup?: boolean; messageId?: number } = {},
): Packet => {
  const { qos = 0, retain = false, dup = false, messageId = 1 } = options;
  return { cmd: 'publish', topic, payload, qos, retain, dup, ...(qos > 0 && { messageId }) };
};
