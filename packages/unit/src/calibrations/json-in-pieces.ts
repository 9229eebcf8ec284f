import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** Characters that are written in one turn of the event loop: some milliseconds. */
const pieceLength = 262_144;

/** Writes JSON, and lets other work go on in between. */
class PieceWriter {
  #sinceTurn = 0;

  /** @param levels of lists and objects whose members are pieces */
  async write(value: unknown, levels: number): Promise<string> {
    if (levels === 0 || typeof value !== 'object' || value === null) return this.#piece(value);
    const members: string[] = [];
    if (Array.isArray(value)) {
      for (const item of value) members.push(await this.write(item, levels - 1));
      return `[${members.join(',')}]`;
    }
    for (const [name, item] of Object.entries(value))
      if (item !== undefined) members.push(`${JSON.stringify(name)}:${await this.write(item, levels - 1)}`);
    return `{${members.join(',')}}`;
  }

  async #piece(value: unknown): Promise<string> {
    const text = JSON.stringify(value) ?? 'null';
    this.#sinceTurn += text.length;
    if (this.#sinceTurn > pieceLength) {
      this.#sinceTurn = 0;
      await turnOfEventLoop();
    }
    return text;
  }
}

/** The JSON of a list or object. Its members, and theirs, are written one by one: there may be many, and long ones. */
export const jsonInPieces = (value: object): Promise<string> => new PieceWriter().write(value, 2);
