import type { Duplex } from 'node:stream';
import type { Clock } from '@lcs/platform';
import type { BrokerCaller, ConnectionOrigin } from './broker-access.ts';
import type { Message } from './message.ts';
import { PacketReader } from './packet-reader.ts';
import { type ClientPacket, decode, ProtocolFault, publishHead, type Qos, type Will } from './packets.ts';
import type { Delivery, Session, SessionLink } from './session.ts';

/** The broker's handlers of a connection. */
export interface ConnectionHandler {
  /**
   * In order of arrival; each is handled completely before the next.
   * @returns milliseconds for which the connection reads nothing more
   */
  packet(connection: BrokerConnection, packet: ClientPacket): number;
  /** A fault in the handling of a packet. The connection must be closed. */
  failed(connection: BrokerConnection, error: unknown): void;
  /** The send queue of the client exceeds its limit. The connection must be closed. */
  overflowed(connection: BrokerConnection): void;
  /** The client or its network has closed it. */
  lost(connection: BrokerConnection): void;
  /** Retained messages for a new subscription. */
  retained(filter: string): Generator<Message | undefined, void, undefined>;
}

export interface BrokerConnectionOptions {
  readonly stream: Duplex;
  readonly origin: ConnectionOrigin;
  readonly wire: Clock;
  readonly handler: ConnectionHandler;
  readonly longestPacketBytes: number;
  readonly bufferBytes: number;
}

export type ConnectionState =
  | { readonly is: 'opening' }
  /** Its account is wrong; the answer has to wait until then. */
  | { readonly is: 'refused'; readonly answer: Buffer; readonly untilMs: number }
  | {
      readonly is: 'open';
      readonly session: Session;
      readonly caller: BrokerCaller;
      readonly will: Will | undefined;
      readonly keepAliveS: number;
    }
  | { readonly is: 'closed' };

/** Longest time of handling packets of one client before others are served. */
const turnMs = 5;
/** Type and flags of CONNECT. */
const connectByte = 0x10;
const packetsBetweenChecks = 16;
/** Steps of a search for retained messages in one turn. */
const stepsATurn = 500;

interface Replay {
  readonly qos: Qos;
  readonly found: Generator<Message | undefined, void, undefined>;
}

/** The connection of one client: incoming packets one after the other, outgoing packets within the limit of the send queue. */
export class BrokerConnection implements SessionLink {
  state: ConnectionState = { is: 'opening' };
  readonly #options: BrokerConnectionOptions;
  readonly #reader: PacketReader;
  /** Retained messages still to be sent, by filter. */
  readonly #replays = new Map<string, Replay>();
  #isHandling = false;
  #isReplayDue = false;
  #isCorked = false;
  /** Time of the wire clock at which the client last sent something. */
  #lastReceivedMs: number;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
    this.#reader = new PacketReader(options.longestPacketBytes);
    this.#lastReceivedMs = options.wire.monotonic();
    const { stream, handler } = options;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('drain', () => this.#replay());
    stream.on('error', () => handler.lost(this));
    stream.on('end', () => handler.lost(this));
    stream.on('close', () => handler.lost(this));
  }

  get origin(): ConnectionOrigin {
    return this.#options.origin;
  }

  get silentMs(): number {
    return this.#options.wire.monotonic() - this.#lastReceivedMs;
  }

  send(packet: Buffer): void {
    this.#write([packet]);
  }

  deliver(message: Message, { qos, id, isRetained, isDuplicate }: Delivery): void {
    const { topic, payload } = message;
    const head =
      qos === 0 && !isRetained
        ? message.plainHead
        : publishHead({ topic, payloadBytes: payload.length, qos, id, isRetained, isDuplicate });
    this.#write(payload.length === 0 ? [head] : [head, payload]);
  }

  /** Sends the retained messages of a filter, at the client's speed. */
  replay(filter: string, qos: Qos): void {
    this.#replays.delete(filter);
    this.#replays.set(filter, { qos, found: this.#options.handler.retained(filter) });
    this.#replay();
  }

  /** The subscription has ended. */
  stopReplay(filter: string): void {
    this.#replays.delete(filter);
  }

  /** Called only by its broker, which ends the related state. `last`: a packet to send before. */
  close(last?: Buffer): void {
    if (this.state.is === 'closed') return;
    this.state = { is: 'closed' };
    this.#replays.clear();
    const { stream } = this.#options;
    if (last === undefined) stream.destroy();
    else stream.end(last, () => stream.destroy());
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#lastReceivedMs = this.#options.wire.monotonic();
    this.#reader.add(chunk);
    if (!this.#isHandling) this.#handle();
  }

  /** A connection begins with CONNECT: the first byte of another protocol suffices to close it. */
  #refuseOtherProtocols(): void {
    const { first } = this.#reader;
    if (this.state.is === 'opening' && first !== undefined && first !== connectByte)
      throw new ProtocolFault(`the first byte is ${first}`);
  }

  /** Handles all complete packets, in turns, so that other clients are served meanwhile. */
  #handle(): void {
    const { stream, wire, handler } = this.#options;
    const began = wire.monotonic();
    this.#isHandling = true;
    try {
      for (let count = 1; !this.#isClosed; count += 1) {
        const raw = this.#reader.next();
        if (raw === undefined) {
          this.#refuseOtherProtocols();
          break;
        }
        const waitMs = handler.packet(this, decode(raw.first, raw.body));
        if (waitMs > 0) {
          stream.pause();
          wire.after(waitMs, () => this.#resumeAfterWait());
          return;
        }
        if (count % packetsBetweenChecks === 0 && wire.monotonic() - began > turnMs) {
          stream.pause();
          setImmediate(() => this.#handle());
          return;
        }
      }
    } catch (error) {
      handler.failed(this, error);
    }
    this.#isHandling = false;
    if (!this.#isClosed) stream.resume();
    this.#replay();
  }

  /** The client could not send meanwhile, so that it was not silent. */
  #resumeAfterWait(): void {
    this.#lastReceivedMs = this.#options.wire.monotonic();
    this.#handle();
  }

  #write(parts: readonly Buffer[]): void {
    if (this.#isClosed) return;
    const { stream, bufferBytes, handler } = this.#options;
    this.#cork();
    for (const part of parts) stream.write(part);
    if (stream.writableLength > bufferBytes) handler.overflowed(this);
  }

  /** Packets of one turn of the event loop are sent in one piece. */
  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = this.#options;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  #replay(): void {
    const { stream } = this.#options;
    for (let step = 0; !this.#isClosed; step += 1) {
      const [next] = this.#replays;
      if (next === undefined || this.state.is !== 'open') return;
      if (step >= stepsATurn) {
        this.#replayLater();
        return;
      }
      const [filter, { qos, found }] = next;
      const { session } = this.state;
      // The drain of the connection, or a confirmation of the client, continues from here.
      if (stream.writableNeedDrain || (qos > 0 && !session.isReady)) return;
      const { value, done } = found.next();
      if (done) this.#replays.delete(filter);
      else if (value !== undefined) session.deliver(value, lower(value.qos, qos), true);
    }
  }

  #replayLater(): void {
    if (this.#isReplayDue) return;
    this.#isReplayDue = true;
    setImmediate(() => {
      this.#isReplayDue = false;
      this.#replay();
    });
  }

  /** Read again after each call that may close it. */
  get #isClosed(): boolean {
    return this.state.is === 'closed';
  }
}

export const lower = (a: Qos, b: Qos): Qos => (a < b ? a : b);
