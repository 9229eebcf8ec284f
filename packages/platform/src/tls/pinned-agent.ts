import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { openPinned, type PinnedPeer } from './pinned-connection.ts';

export interface PinnedAgentOptions
  extends PinnedPeer,
    Pick<AgentOptions, 'keepAlive' | 'keepAliveMsecs' | 'maxFreeSockets'> {
  /** Time for connecting and for the handshake. */
  readonly connectMs?: number;
}

type Connected = (error: Error | null, socket: Duplex) => void;

const httpsPort = 443;

/** Connections to one other node, for requests of `node:https`: as `openPinned`. */
export class PinnedAgent extends Agent {
  readonly #options: Pick<PinnedAgentOptions, 'peerKey' | 'machine' | 'connectMs'>;

  constructor({ peerKey, machine, connectMs, ...agent }: PinnedAgentOptions) {
    super(agent);
    this.#options = { peerKey, machine, ...(connectMs !== undefined && { connectMs }) };
  }

  override createConnection(
    { host, port }: { readonly host?: string | null; readonly port?: string | number | null },
    done?: Connected,
  ): undefined {
    const place = { host: host ?? 'localhost', port: Number(port ?? httpsPort) };
    openPinned({ ...this.#options, ...place, protocol: 'http/1.1' }, (error, socket) => done?.(error, socket));
  }
}
