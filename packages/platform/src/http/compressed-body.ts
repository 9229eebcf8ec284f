import { promisify } from 'node:util';
import { constants, createGzip, gzip, type ZlibOptions } from 'node:zlib';
import type { Reply } from './reply.ts';

const compress = promisify(gzip);

/**
 * A smaller body fits in a few packets. It may also contain a token, which must not be compressed together with text that the caller chose
 * (BREACH): the bodies with tokens are far below this.
 */
const leastBytes = 16_384;

/** The fastest level: higher ones take three times as long for a few percent. */
const level = constants.Z_BEST_SPEED;

/** A stream of events lasts for days: 64 kB of memory instead of 256, and each event can be decoded as soon as it is received. */
const eventOptions: ZlibOptions = { level, windowBits: 13, memLevel: 6, flush: constants.Z_SYNC_FLUSH };

/** Whether a request takes gzip. */
const takesGzip = (accepted: string | string[] | undefined): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(1|0\.[0-9]*[1-9])[0-9.]*\s*)?(,|$)/.test(String(accepted ?? ''));

/** Its ETag stays: it names the content, which the conditions of changes compare. */
const compressedHeaders = { 'content-encoding': 'gzip', vary: 'accept-encoding' } as const;

const isCompressible = (reply: Reply): boolean =>
  reply.method === 'GET' &&
  reply.headers['content-encoding'] === undefined &&
  takesGzip(reply.request.headers['accept-encoding']);

/** Whether the body of a response is worth compressing, and the caller takes it compressed. */
export const isCompressed = (reply: Reply, isJson: boolean, payload: string | Buffer): boolean =>
  isJson && payload.length >= leastBytes && isCompressible(reply);

/** Sends a body compressed, off the main thread: readings of many units are ten times as long as they need to be. */
export async function sendCompressed(reply: Reply, payload: string | Buffer): Promise<void> {
  const body = await compress(payload, { level });
  Object.assign(reply.headers, compressedHeaders);
  reply.send(body);
}

type Chunks = AsyncIterable<string | Uint8Array>;

async function* compressedChunks(chunks: Chunks, options: ZlibOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const packer = createGzip(options);
  const packed: Buffer[] = [];
  packer.on('data', (piece: Buffer) => packed.push(piece));
  // Whoever writes receives it.
  packer.on('error', () => {});
  const taken = (give: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => give((error) => (error ? reject(error) : resolve())));
  try {
    for await (const chunk of chunks) {
      await taken((done) => packer.write(chunk, done));
      if (packed.length > 0) yield Buffer.concat(packed.splice(0));
    }
    const ended = taken((done) => packer.once('end', done));
    packer.end();
    await ended;
    yield Buffer.concat(packed);
  } finally {
    packer.destroy();
  }
}

/** The chunks of a streamed response as they are sent, with the headers that say so. */
interface SentChunks {
  readonly chunks: Chunks;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Compresses a streamed response for a caller that takes it. Events have no secrets (a token is never published), and the first one, the
 * state of all units, is ten times as long as it needs to be. Downloads may be archives, and stay as they are; so does what has announced its length
 * (a file): the caller would stop reading there.
 */
export function sentChunks(reply: Reply, chunks: Chunks, kind: 'events' | 'json' | 'download'): SentChunks {
  const hasLength = reply.headers['content-length'] !== undefined;
  if (kind === 'download' || hasLength || !isCompressible(reply)) return { chunks, headers: {} };
  const options = kind === 'events' ? eventOptions : { level };
  return { chunks: compressedChunks(chunks, options), headers: compressedHeaders };
}
