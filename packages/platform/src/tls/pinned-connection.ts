import { connect, type TLSSocket } from 'node:tls';
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

/** How two nodes recognise each other. */
export interface PinnedPeer {
  /** The expected key of the other node; undefined: any key, for the exchange in which both learn their keys. */
  readonly peerKey: PublicKeyText | undefined;
  /** Own certificate, which the connection presents. */
  readonly machine: KeyedCertificate;
}

export interface PinnedConnectionOptions extends PinnedPeer {
  readonly host: string;
  readonly port: number;
  /** Application protocol (RFC 7301). */
  readonly protocol: 'http/1.1' | 'mqtt';
  /** Time for connecting and for the handshake. */
  readonly connectMs?: number;
  readonly signal?: AbortSignal;
}

const defaultConnectMs = 10_000;

/**
 * Connects to another node. The connection is handed over once the other side has proved that it has the expected key; before that, no byte
 * of the application is sent. Names, issuers and dates of the certificate do not count.
 * @param done receives the connection, or PeerKeyDiffers or the error of the connection, and then a destroyed one
 */
export function openPinned(options: PinnedConnectionOptions, done: (error: Error | null, socket: TLSSocket) => void) {
  const { host, port, peerKey, machine, protocol, connectMs = defaultConnectMs, signal } = options;
  const socket = connect({
    host,
    port,
    servername: machineServerName,
    key: machine.key,
    cert: machine.certificate,
    minVersion: 'TLSv1.3',
    ALPNProtocols: [protocol],
    // The key decides, below.
    rejectUnauthorized: false,
    timeout: connectMs,
  });
  const ended = (): void => {
    socket.off('error', failed).off('timeout', late).off('close', closed);
    signal?.removeEventListener('abort', aborted);
  };
  const failed = (error: Error): void => {
    ended();
    // A socket that fails again while it is destroyed must not end the process.
    socket.on('error', () => {}).destroy();
    done(error, socket);
  };
  const late = (): void => failed(Object.assign(new Error('The connection took too long.'), { code: 'ETIMEDOUT' }));
  const closed = (): void => failed(new Error('The other side has closed the connection during the handshake.'));
  const aborted = (): void => failed(new Error('The connection was aborted.'));
  socket.once('error', failed).once('timeout', late).once('close', closed);
  signal?.addEventListener('abort', aborted);
  socket.once('secureConnect', () => {
    const found = peerKeyOf(socket);
    if (peerKey !== undefined && found !== peerKey) {
      failed(new PeerKeyDiffers(found));
      return;
    }
    ended();
    socket.setTimeout(0);
    done(null, socket);
  });
}

/** `openPinned` as a promise. @throws PeerKeyDiffers, or the error of the connection */
export async function connectPinned(options: PinnedConnectionOptions): Promise<TLSSocket> {
  options.signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  openPinned(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  return promise;
}
