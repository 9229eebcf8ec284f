import { isIP } from 'node:net';
import { ApiError } from '@lcs/contract';
import { isLoopback } from '@lcs/platform';

export interface CallerAddress {
  /** Of the connection: a unit that uses TLS also serves it. */
  readonly scheme: 'http' | 'https';
  /** IP address that the request came from. */
  readonly remote: string;
  /** `host[:port]` that the shared configuration gives for this unit. */
  readonly configured: string | undefined;
  /** IP addresses of a host name; empty when there are none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

/** An IPv4 address as sockets for both versions write it is the IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[|\]$/g, '');

const isSame = (one: string, other: string): boolean =>
  plain(one) === plain(other) || (isLoopback(plain(one)) && isLoopback(plain(other)));

const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

function parsed(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isHttp && url.pathname === '/' && !url.search && !url.username) return url;
  throw new ApiError('invalid_body', {
    cause: `base_url '${baseUrl}' must have the form http://host:port or https://host:port.`,
    field: 'base_url',
    remediation: 'Send http://host:port, or null for the address the request comes from.',
  });
}

/**
 * Where a unit is reached from now on. Its host must be the machine that the request came from: nobody may have the leader
 * talk to someone else.
 * @throws ApiError base_url_foreign, invalid_body
 */
export async function acceptedBaseUrl(
  { base_url, port }: { readonly base_url: string | null; readonly port: number },
  { remote, scheme, configured, resolve }: CallerAddress,
): Promise<string> {
  if (base_url === null) return `${scheme}://${inUrl(plain(remote))}:${port}`;
  const url = parsed(base_url);
  const host = plain(url.hostname);
  // A unit that is not encrypted is reached from its own machine only.
  if (scheme === 'https' && url.protocol === 'http:' && !isLoopback(host))
    throw new ApiError('invalid_body', {
      cause: `base_url '${base_url}' is without encryption; the unit itself uses TLS.`,
      field: 'base_url',
      remediation: 'Send https://host:port, or null for the address the request comes from.',
    });
  const isConfigured = configured !== undefined && plain(configured.trim().replace(/:\d+$/, '')) === host;
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (isConfigured || addresses.some((address) => isSame(address, remote))) return url.origin;
  throw new ApiError('base_url_foreign', { host });
}
