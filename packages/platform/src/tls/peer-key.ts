import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { type PublicKeyText, publicKeyText } from './public-key.ts';

/**
 * The public key of the certificate that the other end of a connection has presented, with proof that it has the private key; undefined
 * without TLS or certificate. Whether the key is a known one is a separate question.
 */
export function peerKeyOf(socket: Duplex): PublicKeyText | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : publicKeyText(certificate.publicKey);
}
