import { ProtocolFault } from './packets.ts';

export interface RawPacket {
  /** Type and flags. */
  readonly first: number;
  readonly body: Buffer;
}

/** A packet exceeds the broker's limit. */
export class PacketTooLong extends Error {}

const longestLengthBytes = 4;
const empty = Buffer.alloc(0);

/**
 * Cuts packets out of the chunks of a connection. It never keeps more than one packet of the permitted length and the newest
 * chunk, whatever length a packet claims.
 */
export class PacketReader {
  readonly #longest: number;
  #data: Buffer = empty;
  #start = 0;
  #end = 0;
  /** Whether the space behind `#end` may be written: this reader allocated the buffer. */
  #isOwn = false;

  /** @param longest the longest packet without its header, in bytes */
  constructor(longest: number) {
    this.#longest = longest;
  }

  add(chunk: Buffer): void {
    const kept = this.#end - this.#start;
    if (kept === 0) {
      this.#data = chunk;
      this.#start = 0;
      this.#end = chunk.length;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn || this.#end + chunk.length > this.#data.length) this.#move(kept, kept + chunk.length);
    this.#end += chunk.copy(this.#data, this.#end);
  }

  /** Type and flags of the next packet, as soon as it has begun. */
  get first(): number | undefined {
    return this.#byteAt(0);
  }

  /** The next complete packet. @throws PacketTooLong, ProtocolFault */
  next(): RawPacket | undefined {
    let length = 0;
    for (let index = 1; index <= longestLengthBytes; index += 1) {
      const byte = this.#byteAt(index);
      if (byte === undefined) return undefined;
      length += (byte & 127) * 128 ** (index - 1);
      if (length > this.#longest) throw new PacketTooLong(`a packet of ${length} bytes or more`);
      if (byte < 128) return this.#take(index + 1, length);
    }
    throw new ProtocolFault('a length of more than four bytes');
  }

  #byteAt(index: number): number | undefined {
    return this.#start + index < this.#end ? this.#data[this.#start + index] : undefined;
  }

  #take(headBytes: number, length: number): RawPacket | undefined {
    const first = this.#byteAt(0);
    const from = this.#start + headBytes;
    if (first === undefined || from + length > this.#end) return undefined;
    this.#start = from + length;
    const body = this.#data.subarray(from, this.#start);
    if (this.#start === this.#end) this.#data = empty;
    return { first, body };
  }

  /** Doubles the buffer, so that a packet in many small chunks is not copied for each of them. */
  #move(kept: number, neededBytes: number): void {
    const data = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * kept));
    this.#data.copy(data, 0, this.#start, this.#end);
    this.#data = data;
    this.#start = 0;
    this.#end = kept;
    this.#isOwn = true;
  }
}
