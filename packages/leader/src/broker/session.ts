import type { TopicCaller } from '@lcs/domain';
import type { BrokerCaller } from './broker-access.ts';
import type { Message } from './message.ts';
import { answer, type Qos } from './packets.ts';

/** A message of quality 1 or 2 that its subscriber has not confirmed. */
type InFlight =
  | { readonly is: 'sent'; readonly message: Message; readonly qos: 1 | 2; readonly isRetained: boolean }
  /** Of quality 2, received by the subscriber: only PUBREL is still to be sent again. */
  | { readonly is: 'received' };

const bytesOf = (entry: InFlight | undefined): number => (entry?.is === 'sent' ? entry.message.bytes : 0);

interface Waiting {
  readonly message: Message;
  readonly qos: 1 | 2;
  readonly isRetained: boolean;
}

export interface Delivery {
  readonly qos: Qos;
  /** 0 with quality 0. */
  readonly id: number;
  readonly isRetained: boolean;
  readonly isDuplicate: boolean;
}

/** The connection of a session, while there is one. */
export interface SessionLink {
  deliver(message: Message, delivery: Delivery): void;
  send(packet: Buffer): void;
}

/** Shared counters of the sessions of a broker. */
export interface QueuedBytes {
  total: number;
}

export interface SessionOptions {
  readonly clientId: string;
  readonly isClean: boolean;
  readonly caller: BrokerCaller;
  readonly rights: TopicCaller;
  /** More than this waits until the client has confirmed some of it. */
  readonly windowBytes: number;
  readonly queued: QueuedBytes;
}

/** Unconfirmed messages of one subscriber; more of them wait. */
const maxInFlight = 100;
const largestId = 65_535;
/** Unfinished messages of quality 2 of one publisher. */
const mostUnfinished = 1_000;

/** State of a client across its connections (MQTT 3.1.1, section 3.1.2.4). */
export class Session {
  readonly clientId: string;
  readonly isClean: boolean;
  /** The rights of its client when the session began. With others it ends. */
  readonly rights: TopicCaller;
  /** Filters with the quality granted to each. */
  readonly subscriptions = new Map<string, Qos>();
  readonly #options: SessionOptions;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #unfinished = new Set<number>();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #inFlightBytes = 0;
  #lastId = 0;
  #link: SessionLink | undefined;
  #caller: BrokerCaller;

  constructor(options: SessionOptions) {
    this.clientId = options.clientId;
    this.isClean = options.isClean;
    this.#caller = options.caller;
    this.rights = options.rights;
    this.#options = options;
  }

  /** Who uses it, or used it last. */
  get caller(): BrokerCaller {
    return this.#caller;
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Messages queued for the client. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Stored messages: queued, or sent and unconfirmed. */
  get keptBytes(): number {
    return this.#waitingBytes + this.#inFlightBytes;
  }

  /** Whether a message of quality 1 or 2 would be sent at once. */
  get isReady(): boolean {
    return this.#waiting.length === 0 && this.#hasWindow;
  }

  /** Sends unconfirmed messages of the previous connection again, then queued ones (4.4). */
  attach(link: SessionLink, caller: BrokerCaller): void {
    this.#link = link;
    this.#caller = caller;
    for (const [id, entry] of this.#inFlight) {
      if (entry.is === 'received') link.send(answer('pubrel', id));
      else link.deliver(entry.message, { qos: entry.qos, id, isRetained: entry.isRetained, isDuplicate: true });
    }
    this.#sendWaiting();
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Ends the session and discards its messages. */
  discard(): void {
    this.detach();
    this.#options.queued.total -= this.#waitingBytes + this.#inFlightBytes;
    this.#waiting = [];
    this.#inFlight.clear();
    this.#waitingBytes = 0;
    this.#inFlightBytes = 0;
  }

  /** Messages that the client may not receive are left out. */
  deliver(message: Message, qos: Qos, isRetained: boolean): void {
    if (!this.#mayReceive(message)) return;
    if (qos === 0) {
      this.#link?.deliver(message, { qos, id: 0, isRetained, isDuplicate: false });
      return;
    }
    this.#waiting.push({ message, qos, isRetained });
    this.#waitingBytes += message.bytes;
    this.#options.queued.total += message.bytes;
    this.#sendWaiting();
  }

  /** PUBACK or PUBCOMP: the subscriber has the message. */
  confirm(id: number): void {
    this.#release(id);
    this.#inFlight.delete(id);
    this.#sendWaiting();
  }

  /** PUBREC: the subscriber has received a message of quality 2. */
  received(id: number): void {
    this.#release(id);
    if (this.#inFlight.has(id)) this.#inFlight.set(id, { is: 'received' });
    this.#link?.send(answer('pubrel', id));
  }

  /** A PUBLISH of quality 2: whether it is new, was already passed on, or exceeds the limit. */
  begin(id: number): 'new' | 'known' | 'too many' {
    if (this.#unfinished.has(id)) return 'known';
    if (this.#unfinished.size >= mostUnfinished) return 'too many';
    this.#unfinished.add(id);
    return 'new';
  }

  /** PUBREL: its publisher will not send it again. */
  finish(id: number): void {
    this.#unfinished.delete(id);
  }

  #sendWaiting(): void {
    let sent = 0;
    while (this.#link !== undefined && this.#hasWindow) {
      const next = this.#waiting[sent];
      if (next === undefined) break;
      sent += 1;
      const { message, qos, isRetained } = next;
      const id = this.#nextId();
      this.#inFlight.set(id, { is: 'sent', message, qos, isRetained });
      this.#waitingBytes -= message.bytes;
      this.#inFlightBytes += message.bytes;
      this.#link.deliver(message, { qos, id, isRetained, isDuplicate: false });
    }
    if (sent > 0) this.#waiting = this.#waiting.slice(sent);
  }

  /** All topics of a unit's subscriptions are its own; a client may subscribe to more than it may receive. */
  #mayReceive(message: Message): boolean {
    const { rights } = this;
    if (rights.is !== 'client') return true;
    const { permission } = message;
    if (permission === undefined || !rights.permissions.has(permission)) return false;
    return rights.scope === undefined || rights.scope.mayRead(message.place);
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % largestId) + 1;
    while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }

  get #hasWindow(): boolean {
    return this.#inFlight.size < maxInFlight && this.#inFlightBytes < this.#options.windowBytes;
  }

  /** The message itself is not sent again. */
  #release(id: number): void {
    const bytes = bytesOf(this.#inFlight.get(id));
    this.#inFlightBytes -= bytes;
    this.#options.queued.total -= bytes;
  }
}
