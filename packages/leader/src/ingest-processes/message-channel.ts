import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Cancel, Clock } from '@lcs/platform';

const aliveEveryMs = 1_000;
/** A peer that is silent for so long is gone: it was suspended, or its machine has failed. */
const silentLimitMs = 4_000;

export interface ChannelOptions<Received> {
  readonly socket: Duplex;
  /** What the peer has sent with the end of its handshake. */
  readonly head?: Buffer;
  readonly wire: Pick<Clock, 'every' | 'monotonic'>;
  /** In the order of the messages. It must not throw. */
  readonly onMessage: (message: Received) => void;
}

/** Messages between two processes of one leader, one JSON text per line. Both have the same version, and have shown that they are who they are. */
export class MessageChannel<Sent extends { readonly is: string }, Received extends { readonly is: string }> {
  readonly #socket: Duplex;
  readonly #wire: Pick<Clock, 'monotonic'>;
  readonly #onMessage: (message: Received) => void;
  readonly #ended = Promise.withResolvers<void>();
  readonly #cancel: Cancel;
  /** A character may come in two pieces. */
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #receivedMs: number;

  constructor({ socket, head, wire, onMessage }: ChannelOptions<Received>) {
    this.#socket = socket;
    this.#wire = wire;
    this.#onMessage = onMessage;
    this.#receivedMs = wire.monotonic();
    this.#cancel = wire.every(aliveEveryMs, () => this.#beat());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#cancel();
      this.#ended.resolve();
    });
    socket.on('end', () => socket.destroy());
    if (head !== undefined && head.length > 0) socket.unshift(head);
    socket.on('data', (piece: Buffer) => this.#read(this.#decoder.write(piece)));
  }

  /** Resolves when the peer is gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  send(message: Sent | { readonly is: 'alive' }): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** What was sent before still reaches the peer. */
  end(): void {
    this.#socket.end();
  }

  #beat(): void {
    if (this.#wire.monotonic() - this.#receivedMs > silentLimitMs) this.close();
    else this.send({ is: 'alive' });
  }

  #read(piece: string): void {
    this.#receivedMs = this.#wire.monotonic();
    const lines = (this.#text + piece).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      const message: Received = JSON.parse(line);
      if (message.is !== 'alive') this.#onMessage(message);
    }
  }
}
