import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Agent } from 'node:http';
import { type Caller, publicPermissions, type RouteDeclaration } from '@lcs/contract';
import { createStoredSeries, storedSeriesRoutes } from '@lcs/leader';
import { type Clock, CommitWatch, HttpServer, type Log, type Service } from '@lcs/platform';
import { storeSchema } from '../leader-schemas.ts';
import type { Target } from './target.ts';

export interface StoredReadsOptions {
  readonly database: string;
  readonly wire: Clock;
  readonly log: Log;
}

/** A request that can be answered from the store alone. */
export interface StoredRead {
  readonly operation: string;
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The same request, written anew: what is read is what was checked. */
  readonly path: string;
}

const routes = Object.entries(storedSeriesRoutes).map(([operation, { path }]: [string, RouteDeclaration]) => ({
  operation,
  path,
  names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
}));

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // The active process answers what is wrong with it.
    return undefined;
  }
}

/** Undefined: only the active process can answer it. */
export function storedReadOf(method: string | undefined, url: string): StoredRead | undefined {
  if (method !== 'GET') return undefined;
  const [path = '', ...query] = url.split('?');
  for (const route of routes) {
    const values = route.pattern.exec(path)?.slice(1).map(decoded);
    if (values === undefined || values.includes(undefined)) continue;
    const params = Object.fromEntries(route.names.map((name, index) => [name, values[index] ?? '']));
    const written = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    return { operation: route.operation, params, path: [written, ...query].join('?') };
  }
  return undefined;
}

const nobody: Caller = { kind: 'anonymous', id: '', personId: '', name: 'nobody', permissions: publicPermissions };
const ownReader: Caller = {
  ...nobody,
  kind: 'leader',
  name: 'api',
  permissions: new Set(['experiments.read' as const]),
};

const hashOf = (text: string | undefined): Buffer =>
  createHash('sha256')
    .update(text ?? '')
    .digest();

/** Answers reads from the store to whoever has its secret: the process itself, after the active process has allowed them. */
export class StoredReads {
  readonly services: readonly Service[];
  /** The header of requests to it. */
  readonly authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: HttpServer;

  constructor({ database: url, wire, log }: StoredReadsOptions) {
    const expected = hashOf(this.authorization);
    const commits = new CommitWatch({ url, schema: storeSchema, clock: wire, log });
    const place = { url, schema: storeSchema };
    const { api, readers } = createStoredSeries({ place, version: () => commits.version, wire, log });
    this.#server = new HttpServer({
      host: '127.0.0.1',
      port: 0,
      log,
      clock: wire,
      apis: [api],
      identify: ({ headers }) => (timingSafeEqual(hashOf(headers.authorization), expected) ? ownReader : nobody),
      requestRates: {},
    });
    const agent: Service = { name: 'connections', start: async () => {}, stop: async () => this.#agent.destroy() };
    this.services = [commits, readers, this.#server, agent];
  }

  /** Defined once started. */
  readonly target = (): Target => ({ url: this.#server.url, agent: this.#agent });
}
