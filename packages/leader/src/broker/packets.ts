import { isUtf8 } from 'node:buffer';
import type { Account } from './broker-access.ts';

export type Qos = 0 | 1 | 2;

export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly isRetained: boolean;
}

export interface ConnectPacket {
  readonly is: 'connect';
  readonly clientId: string;
  readonly isClean: boolean;
  /** 0: none. */
  readonly keepAliveS: number;
  readonly will?: Will;
  readonly account?: Account;
}

export interface PublishPacket extends Will {
  readonly is: 'publish';
  /** 0 with quality 0. */
  readonly id: number;
}

/** Packets of a client (MQTT 3.1.1, section 3). */
export type ClientPacket =
  | ConnectPacket
  | PublishPacket
  | { readonly is: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp'; readonly id: number }
  | {
      readonly is: 'subscribe';
      readonly id: number;
      readonly filters: readonly { readonly filter: string; readonly qos: Qos }[];
    }
  | { readonly is: 'unsubscribe'; readonly id: number; readonly filters: readonly string[] }
  | { readonly is: 'pingreq' | 'disconnect' };

/** The client broke the protocol: its connection must be closed (4.8). */
export class ProtocolFault extends Error {}

/** An unsupported version of the protocol, which has its own response (3.2.2.3). */
export class UnknownVersion extends ProtocolFault {}

const types = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const;

/** Flags that these packets must have (2.2.2). */
const requiredFlags = new Map<number, number>([
  [types.pubrel, 2],
  [types.subscribe, 2],
  [types.unsubscribe, 2],
]);

/** @param first the first byte: type and flags. @throws ProtocolFault */
export function decode(first: number, body: Buffer): ClientPacket {
  const type = first >> 4;
  const flags = first & 0x0f;
  if (type === types.publish) return decodePublish(flags, new Fields(body));
  if (flags !== (requiredFlags.get(type) ?? 0)) throw new ProtocolFault(`packet type ${type} with flags ${flags}`);
  const fields = new Fields(body);
  const packet = decodeRest(type, fields);
  fields.expectEnd();
  return packet;
}

function decodeRest(type: number, fields: Fields): ClientPacket {
  switch (type) {
    case types.connect:
      return decodeConnect(fields);
    case types.puback:
      return { is: 'puback', id: fields.id() };
    case types.pubrec:
      return { is: 'pubrec', id: fields.id() };
    case types.pubrel:
      return { is: 'pubrel', id: fields.id() };
    case types.pubcomp:
      return { is: 'pubcomp', id: fields.id() };
    case types.subscribe:
      return {
        is: 'subscribe',
        id: fields.id(),
        filters: fields.several(() => ({ filter: fields.filter(), qos: qosOf(fields.byte()) })),
      };
    case types.unsubscribe:
      return { is: 'unsubscribe', id: fields.id(), filters: fields.several(() => fields.filter()) };
    case types.pingreq:
      return { is: 'pingreq' };
    case types.disconnect:
      return { is: 'disconnect' };
    default:
      throw new ProtocolFault(`packet type ${type}`);
  }
}

function decodePublish(flags: number, fields: Fields): PublishPacket {
  const qos = qosOf((flags >> 1) & 3);
  const topic = fields.topic();
  const id = qos > 0 ? fields.id() : 0;
  return { is: 'publish', topic, qos, id, isRetained: (flags & 1) === 1, payload: fields.rest() };
}

/** Name and level of the protocol: 3.1 and 3.1.1. */
const versions = new Map([
  ['MQIsdp', 3],
  ['MQTT', 4],
]);

function decodeConnect(fields: Fields): ConnectPacket {
  const version = versions.get(fields.text());
  if (version === undefined) throw new ProtocolFault('another protocol');
  const level = fields.byte();
  if (level !== version) throw new UnknownVersion(`protocol level ${level}`);
  const flags = fields.byte();
  const has = (bit: number) => (flags & bit) !== 0;
  const [hasUser, hasPassword, hasWill] = [has(0x80), has(0x40), has(0x04)];
  if (has(0x01) || (hasPassword && !hasUser) || (!hasWill && (flags & 0x38) !== 0)) {
    throw new ProtocolFault(`CONNECT with flags ${flags}`);
  }
  const keepAliveS = fields.number();
  const clientId = fields.text();
  const will: Will | undefined = hasWill
    ? { topic: fields.topic(), payload: fields.bytes(), qos: qosOf((flags >> 3) & 3), isRetained: has(0x20) }
    : undefined;
  const account: Account | undefined = hasUser
    ? { username: fields.text(), password: hasPassword ? fields.bytes().toString() : undefined }
    : undefined;
  return {
    is: 'connect',
    clientId,
    isClean: has(0x02),
    keepAliveS,
    ...(will && { will }),
    ...(account && { account }),
  };
}

function qosOf(value: number): Qos {
  if (value === 0 || value === 1 || value === 2) return value;
  throw new ProtocolFault(`quality of service ${value}`);
}

/** Reads the fields of a packet one after the other. */
class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  byte(): number {
    return this.#take(1).readUInt8(0);
  }

  number(): number {
    return this.#take(2).readUInt16BE(0);
  }

  id(): number {
    const id = this.number();
    if (id === 0) throw new ProtocolFault('packet id 0');
    return id;
  }

  bytes(): Buffer {
    return this.#take(this.number());
  }

  text(): string {
    const bytes = this.bytes();
    if (!isUtf8(bytes)) throw new ProtocolFault('text that is not UTF-8');
    const text = bytes.toString('utf8');
    if (text.includes('\0')) throw new ProtocolFault('text with a null character');
    return text;
  }

  topic(): string {
    const topic = this.text();
    if (topic === '' || topic.includes('+') || topic.includes('#')) throw new ProtocolFault('an invalid topic');
    return topic;
  }

  filter(): string {
    const filter = this.text();
    if (!isFilter(filter)) throw new ProtocolFault('an invalid topic filter');
    return filter;
  }

  /** All items of a kind until the packet ends, at least one. */
  several<Item>(read: () => Item): readonly Item[] {
    const items: Item[] = [];
    do items.push(read());
    while (this.#at < this.#body.length);
    return items;
  }

  rest(): Buffer {
    return this.#body.subarray(this.#at);
  }

  expectEnd(): void {
    if (this.#at < this.#body.length) throw new ProtocolFault('bytes after the end of a packet');
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#body.length) throw new ProtocolFault('a packet that ends too early');
    this.#at += length;
    return this.#body.subarray(this.#at - length, this.#at);
  }
}

/** Wildcards stand for whole levels, `#` for the last ones (4.7.1). */
function isFilter(filter: string): boolean {
  if (filter === '') return false;
  if (!filter.includes('#') && !filter.includes('+')) return true;
  const levels = filter.split('/');
  return levels.every(
    (level, index) =>
      level === '+' || (level === '#' && index === levels.length - 1) || (!level.includes('+') && !level.includes('#')),
  );
}

export const connackCodes = {
  accepted: 0,
  unknownVersion: 1,
  invalidClientId: 2,
  unavailable: 3,
  wrongAccount: 4,
  notAllowed: 5,
} as const;
/** The response to a refused filter (3.9.3). */
export const refusedSubscription = 0x80;

export const connack = (code: keyof typeof connackCodes, isSessionPresent = false): Buffer =>
  Buffer.from([types.connack << 4, 2, isSessionPresent ? 1 : 0, connackCodes[code]]);

export const pingresp = (): Buffer => Buffer.from([types.pingresp << 4, 0]);

/** An acknowledgement with the number of its packet. */
export const answer = (is: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp' | 'unsuback', id: number): Buffer =>
  Buffer.from([(types[is] << 4) | (requiredFlags.get(types[is]) ?? 0), 2, id >> 8, id & 0xff]);

export function suback(id: number, codes: readonly number[]): Buffer {
  const length = lengthBytes(2 + codes.length);
  return Buffer.from([types.suback << 4, ...length, id >> 8, id & 0xff, ...codes]);
}

interface PublishHead {
  readonly topic: string;
  readonly payloadBytes: number;
  readonly qos: Qos;
  readonly id: number;
  readonly isRetained?: boolean;
  readonly isDuplicate?: boolean;
}

/** A PUBLISH packet up to its payload. */
export function publishHead({ topic, payloadBytes, qos, id, isRetained, isDuplicate }: PublishHead): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const length = lengthBytes(2 + topicBytes + (qos > 0 ? 2 : 0) + payloadBytes);
  const head = Buffer.allocUnsafe(1 + length.length + 2 + topicBytes + (qos > 0 ? 2 : 0));
  head[0] = (types.publish << 4) | (isDuplicate ? 8 : 0) | (qos << 1) | (isRetained ? 1 : 0);
  head.set(length, 1);
  const at = head.writeUInt16BE(topicBytes, 1 + length.length);
  head.write(topic, at);
  if (qos > 0) head.writeUInt16BE(id, at + topicBytes);
  return head;
}

/** The remaining length of a packet (2.2.3). */
function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return bytes;
}
