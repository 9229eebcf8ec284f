import type { IncomingMessage } from 'node:http';
import { ApiError } from '@lcs/contract';

const hostPattern = /^(\[[0-9a-f:.]+\]|[^\s:[\]@/?#]+)(?::\d{1,5})?$/i;
const alwaysAllowed = ['localhost', '127.0.0.1', '[::1]'];

/** Ports differ without end, so the list of Host headers found good is kept short. */
const longestMemory = 64;

/**
 * Refuses requests that reach this node under a foreign name (a page that had its name resolved to our address) or come
 * from a page that this node did not serve. Also to be asked by what answers connection upgrades.
 */
export class OriginGuard {
  readonly #names: ReadonlySet<string>;
  readonly #foundGood = new Set<string>();

  constructor(names: readonly string[]) {
    this.#names = new Set([...alwaysAllowed, ...names].map((name) => name.toLowerCase()));
  }

  /** Throws `malformed_request` without a Host or with several, `foreign_host` or `foreign_origin`. */
  check({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
    const { host, origin } = headers;
    if (!host) throw new ApiError('malformed_request', { cause: 'The Host header is missing.' });
    // Of several the runtime has kept the first; what stands in front of this node may have judged by another one.
    if (hasSeveralHosts(rawHeaders))
      throw new ApiError('malformed_request', { cause: 'There are several Host headers.' });
    if (!this.#foundGood.has(host)) this.#checkHost(host);
    if (origin !== undefined && !isOwn(origin, host)) throw new ApiError('foreign_origin', { origin });
  }

  #checkHost(host: string): void {
    const name = hostPattern.exec(host)?.[1]?.toLowerCase();
    if (name === undefined || !this.#names.has(name)) throw new ApiError('foreign_host', { host });
    if (this.#foundGood.size < longestMemory) this.#foundGood.add(host);
  }
}

/** `rawHeaders`: names and values in turn. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function isOwn(origin: string, host: string): boolean {
  const ours = host.toLowerCase();
  const theirs = origin.toLowerCase();
  return theirs === `http://${ours}` || theirs === `https://${ours}`;
}
