import { hostname, networkInterfaces } from 'node:os';

/**
 * Host names and IP addresses of this machine in its network: its name, its name in multicast DNS, the addresses of its interfaces, and
 * `more`. Addresses without the zone of an interface.
 */
export function ownNames(more: readonly string[] = []): readonly string[] {
  const host = hostname().toLowerCase();
  const [label = ''] = host.split('.');
  const addresses = Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
  const names = [
    ...more,
    host,
    `${label}.local`,
    'localhost',
    ...addresses.map((address) => address.split('%')[0] ?? ''),
  ];
  return [...new Set(names.filter((name) => name !== ''))];
}

/** An address of this machine in its network, IPv4 if it has one; without a network its name. */
export function networkAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid);
  return (found.find(({ family }) => family === 'IPv4') ?? found[0])?.address ?? hostname();
}
