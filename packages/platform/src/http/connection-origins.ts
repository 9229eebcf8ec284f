import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BlockList, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { StartupError } from '../process/startup-error.ts';
import { peerKeyOf } from '../tls/peer-key.ts';
import type { RequestOrigin } from './request-origin.ts';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** IPv4 addresses may arrive in the form that sockets for both versions use. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** @throws StartupError for a text that is neither an address nor a subnet */
function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of addresses) {
    const [address = '', bits] = text.split('/', 2);
    try {
      if (bits === undefined) list.addAddress(address, familyOf(address));
      else list.addSubnet(address, Number(bits), familyOf(address));
    } catch (error) {
      throw new StartupError(
        `'${text}' in trusted_proxies is not an IP address. Enter addresses such as 192.168.1.5 or subnets such as 10.0.0.0/8.`,
        { cause: error },
      );
    }
  }
  return list;
}

const last = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.join(',') : header)?.split(',').at(-1)?.trim();

/** Determines the origin of requests. Forwarding headers count only from trusted proxies: everybody else could write anything into them. */
export class ConnectionOrigins {
  readonly #trusted: BlockList;
  readonly #hasTrusted: boolean;
  /** Of connections: a certificate is read once. */
  readonly #known = new WeakMap<Socket, RequestOrigin>();

  /** @param trustedProxies addresses and subnets */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = listOf(trustedProxies);
    this.#hasTrusted = trustedProxies.length > 0;
  }

  of(request: Pick<IncomingMessage, 'socket' | 'headers'>, isUnixSocket: boolean): RequestOrigin {
    const { socket, headers } = request;
    const known = this.#known.get(socket);
    const direct = known ?? {
      address: plain(socket.remoteAddress ?? ''),
      isSecure: socket instanceof TLSSocket,
      isUnixSocket,
      peerKey: peerKeyOf(socket),
    };
    if (known === undefined) this.#known.set(socket, direct);
    if (!this.#hasTrusted || isUnixSocket || !this.#isTrusted(direct.address)) return direct;
    return {
      ...direct,
      address: this.#clientOf(headers['x-forwarded-for']) ?? direct.address,
      isSecure: direct.isSecure || last(headers['x-forwarded-proto'])?.toLowerCase() === 'https',
      // It is the key of the proxy.
      peerKey: undefined,
    };
  }

  /** Whether connections from this address may be those of many clients. */
  isProxy(address: string): boolean {
    return this.#isTrusted(plain(address));
  }

  #isTrusted = (address: string): boolean => isIP(address) !== 0 && this.#trusted.check(address, familyOf(address));

  /** Each proxy appends the address of its client: the last one that is not a trusted proxy is the first that nobody else has written. */
  #clientOf(header: string | string[] | undefined): string | undefined {
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => plain(hop.trim()));
    const client = hops.findLast((hop) => !this.#isTrusted(hop));
    return client !== undefined && isIP(client) !== 0 ? client : undefined;
  }
}
