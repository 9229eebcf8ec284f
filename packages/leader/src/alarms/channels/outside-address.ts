import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { DeliveryFailed } from './delivery-failed.ts';

/**
 * Addresses that cannot belong to an external service: this machine, the same link, the unspecified address, multicast. IPv4 addresses
 * written as IPv6 (`::ffff:127.0.0.1`) count as IPv4.
 */
const neverOutside = (() => {
  const list = new BlockList();
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('224.0.0.0', 3, 'ipv4');
  list.addSubnet('::', 96, 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addSubnet('ff00::', 8, 'ipv6');
  return list;
})();

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
/** A name with the dot of the root (`rx01.local.`) is the same name. */
const withoutRoot = (host: string) => host.replace(/\.$/, '');
const unbracketed = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** An entry of `[webhooks] allowed_addresses` in `leader.ini`: an address, with a port or a prefix length; IPv6 in brackets. */
interface AllowedAddress {
  readonly list: BlockList;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

const written = /^(?:\[([0-9a-f:.]+)\]|([0-9a-f:.]+))(?:\/(\d{1,3})|:(\d{1,5}))?$/i;
const writtenIpv4 = /^([0-9.]+)(?:\/(\d{1,3})|:(\d{1,5}))?$/;

/** @throws DeliveryFailed that names the invalid entry */
function allowedAddress(text: string): AllowedAddress {
  const [, ipv4, ipv4Prefix, ipv4Port] = writtenIpv4.exec(text) ?? [];
  const [, inBrackets, bare, prefix, port] = ipv4 === undefined && isIP(text) === 0 ? (written.exec(text) ?? []) : [];
  const address = ipv4 ?? inBrackets ?? bare ?? text;
  const family = familyOf(address);
  const bits = Number(ipv4Prefix ?? prefix ?? (family === 'ipv4' ? 32 : 128));
  const portText = ipv4Port ?? port;
  if (isIP(address) === 0 || bits > (family === 'ipv4' ? 32 : 128) || Number(portText ?? 0) > 65_535)
    throw new DeliveryFailed(
      `[webhooks] allowed_addresses of leader.ini: '${text}' must be an address such as 192.168.1.5, 192.168.1.0/24 or [::1]:8123.`,
    );
  const list = new BlockList();
  list.addSubnet(address, bits, family);
  return { list, port: portText === undefined ? undefined : Number(portText) };
}

/** The permitted destinations of webhooks and pings. */
export interface OutsideRules {
  /** `[webhooks] allowed_addresses`: separated by commas. */
  readonly allowed: string;
  /** Addresses and host names of this machine and of all units. */
  readonly cluster: ReadonlySet<string>;
  /** The path of the file with the rules. */
  readonly file?: string;
}

/** All addresses of a name. Rejects when it has none, or nobody answers. */
export type Resolve = (host: string, options: LookupAllOptions) => Promise<readonly LookupAddress[]>;

/** The port to which a URL leads. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** Decides whether a host, and the address it resolves to, is outside of the cluster. */
export class OutsideAddresses {
  readonly #allowed: readonly AllowedAddress[];
  readonly #clusterNames: ReadonlySet<string>;
  readonly #clusterAddresses = new BlockList();
  readonly #resolve: Resolve;
  readonly #file: string;

  /** @throws DeliveryFailed for an invalid rule */
  constructor({ allowed, cluster, file }: OutsideRules, resolve: Resolve = lookup) {
    this.#resolve = resolve;
    this.#file = file ?? 'leader.ini of the leader';
    const texts = allowed.split(',').map((text) => text.trim());
    this.#allowed = texts.filter((text) => text !== '').map(allowedAddress);
    const hosts = [...cluster].map((host) => unbracketed(host.toLowerCase()));
    this.#clusterNames = new Set(hosts.map(withoutRoot));
    for (const host of hosts) if (isIP(host) !== 0) this.#clusterAddresses.addAddress(host, familyOf(host));
  }

  /** @throws DeliveryFailed for an address of this machine, its link or the cluster, unless the rules allow it */
  check(host: string, address: string, port: number): void {
    const family = familyOf(address);
    const isAllowed = this.#allowed.some((one) => one.list.check(address, family) && (one.port ?? port) === port);
    if (isAllowed) return;
    const isOwn =
      this.#clusterNames.has(withoutRoot(host.toLowerCase())) || this.#clusterAddresses.check(address, family);
    if (isOwn || neverOutside.check(address, family))
      throw new DeliveryFailed(
        `${host}${host === address ? '' : ` (${address})`} belongs to this machine, its link or the cluster. Webhooks and pings go there only if [webhooks] allowed_addresses in ${this.#file} names the address.`,
      );
  }

  /**
   * Resolves a host and checks all its addresses.
   * @throws DeliveryFailed as `check`; and what the resolver throws
   */
  async addressesOf(host: string, port: number, options: Omit<LookupAllOptions, 'all'> = {}) {
    if (isIP(host) !== 0) {
      this.check(host, host, port);
      return [{ address: host, family: isIP(host) }];
    }
    const found = await this.#resolve(host, { ...options, all: true });
    if (found.length === 0) throw new DeliveryFailed(`${host} has no address.`);
    for (const { address } of found) this.check(host, address, port);
    return [...found];
  }

  /** For a connection: it goes to one of the addresses that were checked, whatever the name resolves to a moment later. */
  lookup(port: number): LookupFunction {
    return (host, options, done) => {
      this.addressesOf(host, port, options).then(
        (found) => {
          const [first] = found;
          if (options.all === true || first === undefined) done(null, found);
          else done(null, first.address, first.family);
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), []),
      );
    };
  }
}

/** The host of an address (of a URL, or an entry of `[cluster.addresses]`), without its port. */
export const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? unbracketed(new URL(url).hostname) : undefined;
