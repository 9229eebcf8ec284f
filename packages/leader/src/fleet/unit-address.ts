import { isIPv4 } from 'node:net';
import { isLoopback } from '@lcs/platform';

export interface UnitAddressSources {
  /** The entry of `[cluster.addresses]` in the shared configuration: `host[:port]`. It takes precedence. */
  readonly configured: (unit: string) => string | undefined;
  /** Base URL from the unit's enrolment. */
  readonly enrolled: (unit: string) => string | undefined;
  /** For a configured host without a port: `[ui] port`. */
  readonly defaultPort: () => number;
}

/** Looks up the base URL of a unit. */
export function unitAddress({ configured, enrolled, defaultPort }: UnitAddressSources) {
  return (unit: string): string | undefined => {
    const address = configured(unit)?.trim();
    if (!address) return enrolled(unit);
    return nodeUrl(address, defaultPort());
  };
}

/** The base URL of a node at `host` or `host:port`: nodes serve HTTP without TLS on loopback addresses, and with TLS everywhere else. */
export function nodeUrl(address: string, defaultPort: number): string {
  const place = hasPort(address) ? address : `${address}:${defaultPort}`;
  const host = place.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return `${isLoopback(host) ? 'http' : 'https'}://${place}`;
}

/** An IPv6 host is in brackets, so that a colon behind them (or the only colon) begins the port. */
const hasPort = (address: string): boolean => /^(\[[^\]]*\]|[^:]*):\d+$/.test(address);

/** The host of a configured address when it is an IPv4 literal, otherwise null. */
export function ipv4Of(address: string | undefined): string | null {
  const host = address?.trim().replace(/:\d+$/, '') ?? '';
  return isIPv4(host) ? host : null;
}

/** The entry of `[cluster.addresses]` for a unit. A unit may be called `constructor`: only own keys of the section count. */
export const addressIn = (addresses: Readonly<Record<string, string>>, unit: string): string | undefined =>
  Object.hasOwn(addresses, unit) ? addresses[unit] : undefined;
