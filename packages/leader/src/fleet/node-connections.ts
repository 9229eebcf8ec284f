import { type Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { UnitCredentials } from '@lcs/contract';
import { actingHeaders, agentFetch, type KeyedCertificate, PinnedAgent, traceHeaders } from '@lcs/platform';
import type { NodeAgent, NodeHeaders } from '../core/leader-context.ts';

export interface NodeConnectionsOptions {
  /** The leader's own node: it is reached over HTTP like every other. */
  readonly own: {
    readonly address: { readonly isListening: boolean; readonly ownUrl: string };
    readonly secret: string;
    readonly publicKey: string;
  };
  /** The certificate that the leader presents to units; made at the first use. */
  readonly certificate: () => Promise<KeyedCertificate>;
  /** Base URL of a unit. */
  readonly addressOf: (unit: string) => string | undefined;
  readonly units: () => readonly string[];
  readonly credentialsOf: (unit: string) => Pick<UnitCredentials, 'leader_token'> | undefined;
  /** The key of the machine that has this name. */
  readonly keyOf: (unit: string) => string | undefined;
}

const keepAlive = { keepAlive: true, keepAliveMsecs: 5000, maxFreeSockets: 8 } as const;

/** The leader's credentials at its nodes, and its encrypted connections to them. */
export class NodeConnections {
  readonly #options: NodeConnectionsOptions;
  /** By the key of the machine; null: any machine. */
  readonly #agents = new Map<string | null, PinnedAgent>();
  /** By origin; validated at each use, because units move. */
  readonly #unitAt = new Map<string, string>();

  constructor(options: NodeConnectionsOptions) {
    this.#options = options;
  }

  /** Only the unit at this address receives its token, and the name of the person for whom the leader acts. */
  readonly headers: NodeHeaders = ({ origin }) => {
    if (this.#isOwn(origin))
      return { authorization: `Bearer ${this.#options.own.secret}`, ...actingHeaders(), ...traceHeaders() };
    const unit = this.#unitOf(origin);
    const credentials = unit === undefined ? undefined : this.#options.credentialsOf(unit);
    return credentials === undefined
      ? {}
      : { authorization: `Bearer ${credentials.leader_token}`, ...actingHeaders(), ...traceHeaders() };
  };

  /** @throws Error when the key of the machine is unknown, or it is revoked */
  readonly agent: NodeAgent = async ({ origin, protocol }, peerKey) => {
    if (protocol !== 'https:') return undefined;
    const unit = this.#unitOf(origin);
    const key =
      peerKey !== undefined
        ? peerKey
        : this.#isOwn(origin)
          ? this.#options.own.publicKey
          : unit && this.#options.keyOf(unit);
    if (key === undefined) throw new Error('The leader knows no key of the machine at this address.');
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const machine = await this.#options.certificate();
    const made =
      this.#agents.get(key) ?? new PinnedAgent({ peerKey: key ?? undefined, machine, ...(key !== null && keepAlive) });
    this.#agents.set(key, made);
    return made;
  };

  /** Ends the connections to machines that no longer have a name, requests that are under way included. */
  closeRevoked(): void {
    const { own, units, keyOf } = this.#options;
    const valid = new Set<string | null | undefined>([null, own.publicKey, ...units().map(keyOf)]);
    for (const [key, agent] of this.#agents) {
      if (valid.has(key)) continue;
      agent.destroy();
      this.#agents.delete(key);
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #isOwn(origin: string): boolean {
    const { address } = this.#options.own;
    return address.isListening && origin === address.ownUrl;
  }

  #unitOf(origin: string): string | undefined {
    const { addressOf, units } = this.#options;
    const isAt = (unit: string): boolean => {
      const address = addressOf(unit);
      return address !== undefined && URL.canParse(address) && new URL(address).origin === origin;
    };
    const known = this.#unitAt.get(origin);
    if (known !== undefined && isAt(known)) return known;
    const found = units().find(isAt);
    if (found === undefined) this.#unitAt.delete(origin);
    else this.#unitAt.set(origin, found);
    return found;
  }
}

/** The function that sends requests to this URL. */
export const requestFor = ({ protocol }: URL): typeof httpRequest =>
  protocol === 'https:' ? httpsRequest : httpRequest;

/** `fetch` over the connections to a node. */
export const fetchOver = (agent: Agent | undefined): typeof globalThis.fetch =>
  agent === undefined ? fetch : agentFetch(agent);
