import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface ArchivedFile {
  readonly bytes: number;
  readonly sha256: string;
}

const folderMode = 0o755;
const fileMode = 0o644;

/** Counts and hashes the bytes that pass. */
class Tally extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    done(null, chunk);
  }

  digest(): ArchivedFile {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

/** A zip file that is written sequentially; entries are never in memory as a whole. */
export class Archive {
  readonly #zip = new ZipFile();
  readonly #mtime: Date;
  readonly #tally = new Tally();
  readonly #written: Promise<void>;
  readonly #failed: Promise<never>;

  /** The file must not exist yet; it is on the disk when `close` resolves. */
  constructor(path: string, nowMs: number) {
    this.#mtime = new Date(nowMs);
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#zip.outputStream, this.#tally, file);
    const { promise, reject } = Promise.withResolvers<never>();
    this.#failed = promise;
    this.#zip.on('error', reject);
    this.#written.catch(reject);
    // The caller that waits for an entry or for the end receives the error.
    promise.catch(() => {});
  }

  folder(name: string): void {
    this.#zip.addEmptyDirectory(name, { mtime: this.#mtime, mode: folderMode });
  }

  text(name: string, content: string): Promise<ArchivedFile> {
    return this.file(name, [Buffer.from(content, 'utf8')], { compressionLevel: 6 });
  }

  /** Writes pieces at the speed of the disk. Resolves when all are written. */
  async file(
    name: string,
    pieces: Iterable<Uint8Array>,
    { compressionLevel }: { readonly compressionLevel: number },
  ): Promise<ArchivedFile> {
    const tally = new Tally();
    const stream = Readable.from(pieces, { objectMode: false });
    const ended = pipeline(stream, tally, { end: true });
    this.#zip.addReadStream(tally, name, { mtime: this.#mtime, mode: fileMode, compressionLevel });
    await Promise.race([ended, this.#failed]);
    return tally.digest();
  }

  /** Writes the directory of the file and ends it. */
  async close(): Promise<ArchivedFile> {
    this.#zip.end();
    await Promise.race([this.#written, this.#failed]);
    return this.#tally.digest();
  }
}
