/** The server refuses payloads of 8,000 bytes and more; a head needs up to 24 of them. */
const longestPart = 7_900;

/**
 * The payloads that carry a text. Each has its place, so that none equals another one: the server sends equal payloads of one transaction only once.
 * @param text without lone surrogates and NUL, as JSON is
 */
export function partsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let start = 0; start < bytes.length || start === 0; ) {
    let end = Math.min(start + longestPart, bytes.length);
    // Not within a character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    parts.push(bytes.toString('utf8', start, end));
    if (end >= bytes.length) break;
    start = end;
  }
  return parts.map((part, index) => `${index} ${parts.length} ${part}`);
}

/** Puts texts together from the payloads of one connection, which come in their order and all of a transaction at once. */
export class PartAssembly {
  readonly #parts: string[] = [];

  /** The text that is complete with this payload. */
  add(payload: string): string | undefined {
    const found = /^(\d+) (\d+) /.exec(payload);
    // Of somebody else: nothing of it belongs to a text.
    if (found === null) return undefined;
    const [head, index, count] = found;
    if (Number(index) !== this.#parts.length) this.#parts.length = 0;
    if (Number(index) !== this.#parts.length) return undefined;
    this.#parts.push(payload.slice(head.length));
    if (this.#parts.length < Number(count)) return undefined;
    const text = this.#parts.join('');
    this.#parts.length = 0;
    return text;
  }
}
