/** The unsigned number of these bytes, high byte first. A `DataView` moves the bytes of a small array out of the heap, with each reading. */
export function unsignedOf(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let value = 0;
  for (let index = from; index < to; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

/** Writes an unsigned number at these places, high byte first. */
export function putUnsigned(bytes: Uint8Array, value: number, from: number, to: number): void {
  let rest = value;
  for (let index = to - 1; index >= from; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** A word as a number in two's complement. */
export const signedWord = (word: number): number => (word << 16) >> 16;

export const swappedWord = (word: number): number => ((word & 0xff) << 8) | (word >> 8);

/** The first bytes, as a chip gives them that is asked for no more. */
export const firstBytes = (bytes: Uint8Array, length: number): Uint8Array =>
  length < bytes.length ? bytes.slice(0, length) : bytes;
