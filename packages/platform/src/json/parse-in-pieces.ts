import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Json } from '@lcs/contract';

/** Characters that are parsed in one turn of the event loop: a few milliseconds, whatever they are. */
const defaultPieceLength = 65_536;
/** Of lists and objects that are longer than a piece. */
const maxLevels = 100;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

const faulty = (position: number): SyntaxError => new SyntaxError(`The text is not JSON at position ${position}.`);

const endOfLiteral = /[,\]}\s]/g;

/** Parses the members of long lists and objects piece by piece. */
class PieceParser {
  readonly #text: string;
  readonly #pieceLength: number;
  #position = 0;

  constructor(text: string, pieceLength: number) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  async whole(): Promise<Json> {
    const value = await this.#long(0);
    this.#skipBlanks();
    if (this.#position < this.#text.length) throw faulty(this.#position);
    return value;
  }

  /** A value that may be longer than a piece. */
  async #long(level: number): Promise<Json> {
    this.#skipBlanks();
    const code = this.#text.charCodeAt(this.#position);
    if (code === 0x5b) return this.#list(level);
    if (code === 0x7b) return this.#object(level);
    if (code === quote) return this.#string();
    return this.#literal();
  }

  async #list(level: number): Promise<Json> {
    const list: Json[] = [];
    await this.#members(level, '[', ']', {
      short: (items: readonly Json[]) => {
        for (const item of items) list.push(item);
      },
      long: async () => {
        list.push(await this.#long(level + 1));
      },
    });
    return list;
  }

  async #object(level: number): Promise<Json> {
    const object = {};
    // As JSON.parse does, also for `__proto__`.
    const set = (name: string, value: Json) =>
      Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
    await this.#members(level, '{', '}', {
      short: (members: { readonly [name: string]: Json }) => {
        for (const [name, value] of Object.entries(members)) set(name, value);
      },
      long: async () => {
        const name = this.#string();
        this.#skipBlanks();
        if (this.#text[this.#position] !== ':') throw faulty(this.#position);
        this.#position += 1;
        set(name, await this.#long(level + 1));
      },
    });
    return object;
  }

  /** Parses as many members at a time as fit into a piece, or one that is longer. */
  async #members<Members>(
    level: number,
    open: string,
    close: string,
    take: { readonly short: (members: Members) => void; readonly long: () => Promise<void> },
  ): Promise<void> {
    if (level === maxLevels) throw new SyntaxError('The JSON is nested too deeply.');
    this.#position += 1;
    for (let isFirst = true; ; isFirst = false) {
      this.#skipBlanks();
      const start = this.#position;
      const end = this.#endOfMembers();
      if (end === undefined) await take.long();
      else {
        const isEmpty = start === end;
        if (isEmpty && !(isFirst && this.#text[end] === close)) throw faulty(end);
        if (!isEmpty) take.short(JSON.parse(`${open}${this.#text.slice(start, end)}${close}`));
        this.#position = end;
        await turnOfEventLoop();
      }
      this.#skipBlanks();
      const next = this.#text[this.#position];
      this.#position += 1;
      if (next === close) return;
      if (next !== ',') throw faulty(this.#position - 1);
    }
  }

  /** After the last member that ends within a piece: at a comma or at the end of the list or object. */
  #endOfMembers(): number | undefined {
    const text = this.#text;
    const limit = Math.min(text.length, this.#position + this.#pieceLength);
    let end: number | undefined;
    let depth = 0;
    let isInString = false;
    for (let index = this.#position; index < limit; index += 1) {
      const code = text.charCodeAt(index);
      if (isInString) {
        if (code === backslash) index += 1;
        else if (code === quote) isInString = false;
      } else if (code === quote) isInString = true;
      else if (isOpening(code)) depth += 1;
      else if (isClosing(code)) {
        if (depth === 0) return index;
        depth -= 1;
      } else if (code === comma && depth === 0) end = index;
    }
    return end;
  }

  /** A number, or true, false and null. */
  #literal(): Json {
    const start = this.#position;
    endOfLiteral.lastIndex = start;
    this.#position = endOfLiteral.exec(this.#text)?.index ?? this.#text.length;
    return JSON.parse(this.#text.slice(start, this.#position));
  }

  #string(): string {
    const start = this.#position;
    if (this.#text.charCodeAt(start) !== quote) throw faulty(start);
    let end = start;
    do end = this.#text.indexOf('"', end + 1);
    while (end !== -1 && this.#isEscaped(end, start));
    if (end === -1) throw faulty(start);
    this.#position = end + 1;
    return JSON.parse(this.#text.slice(start, end + 1));
  }

  /** Whether an odd number of backslashes precedes it. */
  #isEscaped(position: number, start: number): boolean {
    let first = position;
    while (first - 1 > start && this.#text.charCodeAt(first - 1) === backslash) first -= 1;
    return (position - first) % 2 === 1;
  }

  #skipBlanks(): void {
    for (; this.#position < this.#text.length; this.#position += 1) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }
}

/** What `JSON.parse` returns, with turns of the event loop in between for a long text. Rejects with SyntaxError. */
export async function parseInPieces(text: string, pieceLength = defaultPieceLength): Promise<Json> {
  if (text.length <= pieceLength) return JSON.parse(text);
  return new PieceParser(text, pieceLength).whole();
}
