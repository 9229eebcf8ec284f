import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection over which nothing that comes is ever taken from the system. */
async function frozenConnection(url: string, firstWords: string | Uint8Array): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  await once(socket, 'connect');
  // The other side may end it at last: that is its right.
  socket.on('error', () => {});
  socket.write(firstWords);
  return socket;
}

/** A browser's tab that follows the live stream and was frozen by its browser. */
export const frozenTab = (leaderUrl: string): Promise<Socket> =>
  frozenConnection(
    leaderUrl,
    `GET /api/live HTTP/1.1\r\nHost: ${new URL(leaderUrl).host}\r\nAccept: text/event-stream\r\n\r\n`,
  );

const field = (text: string): number[] => [0, text.length, ...Buffer.from(text)];
const packet = (type: number, body: readonly number[]): number[] => [type, body.length, ...body];

/** A client that subscribes to everything and then reads nothing (MQTT 3.1.1, sections 3.1 and 3.8). */
export function frozenSubscriber(mqttUrl: string): Promise<Socket> {
  const cleanSession = 2;
  const connecting = packet(0x10, [...field('MQTT'), 4, cleanSession, 0, 0, ...field('frozen')]);
  const subscribing = packet(0x82, [0, 1, ...field('#'), 0]);
  return frozenConnection(mqttUrl, Uint8Array.from([...connecting, ...subscribing]));
}

/** A reading as it arrived at a page. */
export interface Arrival {
  /** Unit and channel. */
  readonly from: string;
  readonly source: string;
  /** Its time stamp, and when it arrived; milliseconds since 1970. */
  readonly at: number;
  readonly arrivedMs: number;
}

/** A page that follows the live stream and keeps up. */
export class OpenPage implements AsyncDisposable {
  readonly arrivals: Arrival[] = [];
  readonly #ending = new AbortController();
  readonly #now: () => number;
  #ended: Promise<void> = Promise.resolve();

  constructor(now: () => number) {
    this.#now = now;
  }

  async open(leaderUrl: string): Promise<void> {
    const { body, status } = await fetch(`${leaderUrl}/api/live`, { signal: this.#ending.signal });
    if (status !== 200 || body === null) throw new Error(`The live stream answers ${status}.`);
    this.#ended = this.#follow(body).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error;
    });
  }

  /** Readings of one source by unit and channel, as they came. */
  of(source: string): ReadonlyMap<string, readonly Arrival[]> {
    return Map.groupBy(
      this.arrivals.filter((arrival) => arrival.source === source),
      ({ from }) => from,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }

  async #follow(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    if (!/^event: reading$/m.test(block)) return;
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '{}';
    const { reactor_unit, channel, source, x } = Object(JSON.parse(data));
    const from = `${String(reactor_unit)} ${String(channel)}`;
    this.arrivals.push({ from, source: String(source), at: Date.parse(String(x)), arrivedMs: this.#now() });
  }
}
