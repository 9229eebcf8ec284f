import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { lazy, type NotFoundHook } from '@lcs/platform';

type FileAnswer = Extract<Awaited<ReturnType<NotFoundHook>>, object>;

type Encoding = 'br' | 'gzip';

interface PageFile {
  /** The content, and what a browser may take instead. */
  readonly plain: () => Promise<Uint8Array>;
  readonly encoded: Readonly<Partial<Record<Encoding, () => Promise<Uint8Array>>>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The page may load and call nothing but this leader; Mantine sets its colours in a style element. */
const contentPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' ws: wss:; " +
  "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/** Of the page itself. It uses no sensor of the computer, and no window of another site may reach into it. */
const pageHeaders = {
  'content-security-policy': contentPolicy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()',
} as const;

/** The build adds a hash of the content to the names below `assets/`: such a file never changes. */
const isHashed = (path: string): boolean => path.startsWith('assets/');

const [compress, decompress] = [promisify(gzip), promisify(brotliDecompress)];
/** Pictures and fonts are compressed already, and smaller files fit into one packet. */
const paysToCompress = (path: string, bytes: Uint8Array): boolean =>
  /\.(css|html|js|json|map|svg|txt|webmanifest)$/.test(path) && bytes.length > 1400;

/** The build adds it to the name of a file that it has compressed. */
const brotliEnding = '.br';

/** The name of a hashed file stands for its content: two megabytes less to hash at each start. */
const etagOf = (path: string, bytes: Uint8Array): string =>
  isHashed(path) ? `"${basename(path)}"` : `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

/** The forms of a file that is in memory as the build has compressed it, a quarter of its size: others are made when one is requested. */
function formsOf(path: string, bytes: Uint8Array, isBrotli: boolean): Pick<PageFile, 'plain' | 'encoded'> {
  const plain = isBrotli ? lazy(() => decompress(bytes)) : async () => bytes;
  const zipped = lazy(async () => compress(await plain(), { level: 9 }));
  if (isBrotli) return { plain, encoded: { br: async () => bytes, gzip: zipped } };
  return { plain, encoded: paysToCompress(path, bytes) ? { gzip: zipped } : {} };
}

/** Synchronous: sixty small files by way of the thread pool are a tenth of the processor time of a leader's start. */
function readPageFile(folder: string, path: string, isBrotli: boolean): PageFile {
  const bytes = readFileSync(join(folder, isBrotli ? path + brotliEnding : path));
  const forms = formsOf(path, bytes, isBrotli);
  const etag = etagOf(path, bytes);
  return {
    ...forms,
    etag,
    headers: {
      ...(Object.keys(forms.encoded).length > 0 ? { vary: 'accept-encoding' } : {}),
      'content-type': contentTypes[extname(path)] ?? 'application/octet-stream',
      'cache-control': isHashed(path) ? 'public, max-age=43200, immutable' : 'no-cache',
      etag,
      ...(path === 'index.html' ? pageHeaders : {}),
    },
  };
}

/** Paths for programs: an unknown one is an error, never the page. */
const isForPrograms = (path: string): boolean =>
  /^\/(api|unit_api|mcp|metrics|mqtt|readyz|healthz|static|exports)(\/|$)/.test(path);

const notBuilt: FileAnswer = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '60' },
  body: 'The page has not been built. Run "npm run build" in the folder of the program, then start the leader again.\n',
};

const takes = (accepted: string | string[] | undefined, encoding: Encoding): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((each) => each.trim() === encoding);

async function answerFile(file: PageFile, headers: Parameters<NotFoundHook>[0]['headers']): Promise<FileAnswer> {
  if (headers['if-none-match'] === file.etag) return { status: 304, headers: file.headers, body: '' };
  for (const encoding of ['br', 'gzip'] as const) {
    const body = file.encoded[encoding];
    if (body !== undefined && takes(headers['accept-encoding'], encoding))
      return { status: 200, headers: { ...file.headers, 'content-encoding': encoding }, body: await body() };
  }
  return { status: 200, headers: file.headers, body: await file.plain() };
}

/**
 * The built web UI: its files under `/static/`, and the page for every other path that is not an API, so that links into it can be opened and
 * reloaded. All files are in memory: no path of a request reaches the file system.
 */
export async function pageFiles(folder: string): Promise<NotFoundHook> {
  const files = new Map<string, PageFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const known = new Set(paths);
  for (const path of paths) {
    if (!path.endsWith(brotliEnding)) files.set(path, readPageFile(folder, path, known.has(path + brotliEnding)));
  }
  return ({ method, path, headers }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    if (path.startsWith('/static/')) {
      const file = files.get(path.slice('/static/'.length));
      return file && answerFile(file, headers);
    }
    if (isForPrograms(path)) return undefined;
    const index = files.get('index.html');
    return index ? answerFile(index, headers) : notBuilt;
  };
}
