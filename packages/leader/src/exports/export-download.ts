import { createReadStream } from 'node:fs';
import { ApiError, StreamBody } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import type { FinishedExport } from './exports-folder.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** First and last byte, inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The byte range of a `range` header, or undefined for the whole file. Several ranges, other units and
 * invalid headers mean the whole file.
 * @throws ApiError range_not_satisfiable
 */
function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Number(last);
    if (length === 0 || size === 0) throw new ApiError('range_not_satisfiable', { size });
    return { start: Math.max(size - length, 0), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) throw new ApiError('range_not_satisfiable', { size });
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** A file of this name never changes: name, size and time identify it. */
const etagOf = (filename: string, { bytes, mtimeMs }: FinishedExport): string =>
  `"${filename.replace(/\.zip$/, '')}-${bytes.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;

/** Whether `if-range` names this file; true without the header. */
function isSameFile(ifRange: string | undefined, etag: string, mtimeMs: number): boolean {
  if (ifRange === undefined || ifRange === etag) return true;
  const moment = Date.parse(ifRange);
  return !Number.isNaN(moment) && Math.floor(mtimeMs / 1_000) * 1_000 === moment;
}

/** The file, or its requested part. @throws ApiError range_not_satisfiable */
export function downloadedExport(filename: string, file: FinishedExport, requested: Headers) {
  const etag = etagOf(filename, file);
  const isSame = isSameFile(textOf(requested['if-range']), etag, file.mtimeMs);
  const range = isSame ? byteRange(textOf(requested.range), file.bytes) : undefined;
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  const headers = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${filename}"`,
    'content-length': String(end - start + 1),
    etag,
    'last-modified': new Date(file.mtimeMs).toUTCString(),
  };
  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    if (end < start) return;
    try {
      yield* createReadStream(file.path, { start, end, highWaterMark: 256 * 1_024 });
    } catch (error) {
      // An old export may be removed between the look-up and the opening.
      throw errnoOf(error) === 'ENOENT' ? new ApiError('export_not_found', { filename }) : error;
    }
  }
  const body = new StreamBody(bytes());
  if (range === undefined) return { status: 200, body, headers } as const;
  return {
    status: 206,
    body,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${file.bytes}` },
  } as const;
}
