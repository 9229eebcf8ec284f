import type { Permission } from '@lcs/contract';
import { placeOf, readPermission, type TopicPlace } from '@lcs/domain';
import { publishHead, type Qos } from './packets.ts';

/** A message from a publisher to subscribers, who share its payload. */
export class Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  /** Its approximate size in memory. */
  readonly bytes: number;
  #head: Buffer | undefined;
  #permission: { readonly name: Permission | undefined } | undefined;
  #place: TopicPlace | undefined;

  constructor(topic: string, payload: Buffer, qos: Qos) {
    this.topic = topic;
    this.payload = payload;
    this.qos = qos;
    this.bytes = Buffer.byteLength(topic) + payload.length;
  }

  /** A copy with its own payload, which is not a part of the received chunk: for storing. */
  kept(): Message {
    const payload = Buffer.allocUnsafeSlow(this.payload.length);
    this.payload.copy(payload);
    return new Message(this.topic, payload, this.qos);
  }

  /** What a client needs to receive it; undefined: no client may. The same for every subscriber. */
  get permission(): Permission | undefined {
    this.#permission ??= { name: readPermission(this.topic) };
    return this.#permission.name;
  }

  /** What its topic is about. */
  get place(): TopicPlace {
    this.#place ??= placeOf(this.topic);
    return this.#place;
  }

  /** The packet up to the payload, with quality 0 and not retained: the same for every subscriber. */
  get plainHead(): Buffer {
    this.#head ??= publishHead({ topic: this.topic, payloadBytes: this.payload.length, qos: 0, id: 0 });
    return this.#head;
  }
}
