import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const blockBytes = 512;
/** The limit of an unpacked package. */
const largestBytes = 256 * 1024 * 1024;
const largestFileBytes = 1024 * 1024;

const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0.*$/s, '');
/** Other types (links, folders, extended names) may have the name of a file. */
const plainFile = new Set(['0', '\0', '']);
const paddedTo = (size: number): number => Math.ceil(size / blockBytes) * blockBytes;

/** The archive is not a package. */
class NotAPackage extends Error {}

/** Reads an archive piece by piece and keeps only `package/package.json`. */
class TarReader {
  found: string | undefined;
  #pending = Buffer.alloc(0);
  /** Remaining bytes of the current member, with its padding. */
  #left = 0;
  /** The size of the wanted member. */
  #wanted: number | undefined;
  #total = 0;

  /** @throws NoPackage */
  take(chunk: Buffer): void {
    this.#total += chunk.length;
    if (this.#total > largestBytes) throw new NotAPackage();
    // Reads the rest too, to detect a truncated archive.
    if (this.found !== undefined) return;
    let rest = chunk;
    while (this.found === undefined && (rest.length > 0 || this.#isComplete())) {
      if (this.#wanted === undefined && this.#left > 0) {
        const skipped = Math.min(this.#left, rest.length);
        this.#left -= skipped;
        rest = rest.subarray(skipped);
        if (rest.length === 0) return;
        continue;
      }
      const needed = (this.#wanted ?? blockBytes) - this.#pending.length;
      this.#pending = Buffer.concat([this.#pending, rest.subarray(0, Math.max(0, needed))]);
      rest = rest.subarray(Math.max(0, needed));
      if (this.#isComplete()) this.#finishPart();
    }
  }

  #isComplete(): boolean {
    return this.#pending.length === (this.#wanted ?? blockBytes);
  }

  #finishPart(): void {
    const part = this.#pending;
    this.#pending = Buffer.alloc(0);
    if (this.#wanted !== undefined) {
      this.found = part.toString('utf8');
      return;
    }
    const name = textOf(part.subarray(0, 100));
    const size = Number.parseInt(textOf(part.subarray(124, 136)).trim(), 8);
    if (name === '' || !Number.isSafeInteger(size) || size < 0) throw new NotAPackage();
    const kind = part.toString('latin1', 156, 157);
    const isWanted = plainFile.has(kind) && /^[^/]+\/package\.json$/.test(name);
    if (isWanted && size > largestFileBytes) throw new NotAPackage();
    this.#wanted = isWanted ? size : undefined;
    this.#left = isWanted ? 0 : paddedTo(size);
  }
}

/** The text of `package/package.json` in a package of `npm pack`; undefined for another file. */
export async function packageJsonIn(path: string): Promise<string | undefined> {
  const reader = new TarReader();
  try {
    await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) reader.take(chunk);
    });
  } catch (error) {
    const isGzipFault = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (!isGzipFault && !(error instanceof NotAPackage)) throw error;
    return undefined;
  }
  return reader.found;
}
