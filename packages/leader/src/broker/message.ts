import { publishHead, type Qos } from './packets.ts';

/** A message on its way from a publisher to subscribers. Its payload is shared by all of them. */
export class Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  /** Its length in memory, roughly. */
  readonly bytes: number;
  #head: Buffer | undefined;

  constructor(topic: string, payload: Buffer, qos: Qos) {
    this.topic = topic;
    this.payload = payload;
    this.qos = qos;
    this.bytes = Buffer.byteLength(topic) + payload.length;
  }

  /** The same with a payload of its own, not a part of the chunk that it came with: to be kept. */
  kept(): Message {
    const payload = Buffer.allocUnsafeSlow(this.payload.length);
    this.payload.copy(payload);
    return new Message(this.topic, payload, this.qos);
  }

  /** The packet up to the payload, of quality 0 and not marked as retained: the same for every subscriber. */
  get plainHead(): Buffer {
    this.#head ??= publishHead({ topic: this.topic, payloadBytes: this.payload.length, qos: 0, id: 0 });
    return this.#head;
  }
}
