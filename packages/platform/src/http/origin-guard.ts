import type { IncomingMessage } from 'node:http';
import { ApiError } from '@lcs/contract';

const hostPattern = /^(\[[0-9a-f:.]+\]|[^\s:[\]@/?#]+)(?::\d{1,5})?$/i;
const alwaysAllowed = ['localhost', '127.0.0.1', '[::1]'];

/** Clients can vary the port of the Host header, so the list of accepted headers is limited. */
const maxAccepted = 64;

/**
 * Rejects requests under a foreign host name (DNS rebinding) and requests from pages that this node did not serve. Connection upgrades use
 * it too.
 */
export class OriginGuard {
  readonly #names: () => readonly string[];
  readonly #accepted = new Set<string>();

  /** @param names read again for each Host header that is not yet accepted: the addresses of a machine change */
  constructor(names: () => readonly string[]) {
    this.#names = names;
  }

  /** Throws `malformed_request` without a Host or with several, `foreign_host` or `foreign_origin`. */
  check({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
    const { host, origin } = headers;
    if (!host) throw new ApiError('malformed_request', { cause: 'The Host header is missing.' });
    // Node keeps the first of several; a proxy in front of this node may have checked another one.
    if (hasSeveralHosts(rawHeaders))
      throw new ApiError('malformed_request', { cause: 'The request has several Host headers.' });
    if (!this.#accepted.has(host)) this.#checkHost(host);
    if (origin !== undefined && !isOwn(origin, host)) throw new ApiError('foreign_origin', { origin });
  }

  #checkHost(host: string): void {
    const name = hostPattern.exec(host)?.[1]?.toLowerCase();
    if (name === undefined || !this.#isOwnName(name)) throw new ApiError('foreign_host', { host });
    if (this.#accepted.size < maxAccepted) this.#accepted.add(host);
  }

  #isOwnName(name: string): boolean {
    return alwaysAllowed.includes(name) || this.#names().some((own) => own.toLowerCase() === name);
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
