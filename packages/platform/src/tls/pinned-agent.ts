import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { KeyedCertificate } from './machine-certificate.ts';
import { peerKeyOf } from './peer-key.ts';
import type { PublicKeyText } from './public-key.ts';
import { machineServerName } from './server-tls.ts';

/** Another machine than the expected one answers at an address. Nothing was sent to it. */
export class PeerKeyDiffers extends Error {
  readonly code = 'PEER_KEY_DIFFERS';

  readonly peerKey: PublicKeyText | undefined;

  constructor(peerKey: PublicKeyText | undefined) {
    super('The machine at this address has another key than the expected one.');
    this.name = 'PeerKeyDiffers';
    this.peerKey = peerKey;
  }
}

export interface PinnedAgentOptions extends Pick<AgentOptions, 'keepAlive' | 'keepAliveMsecs' | 'maxFreeSockets'> {
  /** The expected key of the other node; undefined: any key, for the exchange in which both learn their keys. */
  readonly peerKey: PublicKeyText | undefined;
  /** Own certificate, which the connection presents. */
  readonly machine: KeyedCertificate;
  /** Time for connecting and for the handshake. */
  readonly connectMs?: number;
}

type Connected = (error: Error | null, socket: Duplex) => void;

const httpsPort = 443;
const defaultConnectMs = 10_000;

/**
 * Connections to one other node, for requests of `node:https`. A connection is handed over once the other side has proved that it has the
 * expected key; before that, no byte of a request is sent. Names, issuers and dates of the certificate do not count.
 */
export class PinnedAgent extends Agent {
  readonly #options: PinnedAgentOptions;

  constructor({ peerKey, machine, connectMs, ...agent }: PinnedAgentOptions) {
    super(agent);
    this.#options = { peerKey, machine, ...(connectMs !== undefined && { connectMs }) };
  }

  override createConnection(
    { host, port }: { readonly host?: string | null; readonly port?: string | number | null },
    done?: Connected,
  ): undefined {
    const { peerKey, machine, connectMs = defaultConnectMs } = this.#options;
    const socket = connect({
      host: host ?? 'localhost',
      port: Number(port ?? httpsPort),
      servername: machineServerName,
      key: machine.key,
      cert: machine.certificate,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['http/1.1'],
      // The key decides, below.
      rejectUnauthorized: false,
      timeout: connectMs,
    });
    const failed = (error: Error): void => {
      socket.destroy();
      done?.(error, socket);
    };
    const late = (): void => failed(Object.assign(new Error('The connection took too long.'), { code: 'ETIMEDOUT' }));
    socket.once('error', failed);
    socket.once('timeout', late);
    socket.once('secureConnect', () => {
      socket.off('error', failed);
      socket.off('timeout', late);
      socket.setTimeout(0);
      const found = peerKeyOf(socket);
      if (peerKey === undefined || found === peerKey) done?.(null, socket);
      else failed(new PeerKeyDiffers(found));
    });
  }
}
