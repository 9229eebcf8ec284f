import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type PeerCertificate } from 'node:tls';
import { ProblemError } from '@lcs/contract';
import { certificateFingerprint } from '@lcs/platform';

const connectMs = 10_000;
const httpsPort = 443;

/** The authority of a server that this machine does not know. */
export interface UnknownAuthority {
  /** Certificate (PEM). */
  readonly certificate: string;
  /** SHA-256, as `lcs leader` shows it. */
  readonly fingerprint: string;
}

const unknownIssuers: readonly string[] = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const isDetailed = (certificate: PeerCertificate): certificate is DetailedPeerCertificate =>
  'issuerCertificate' in certificate;

/** The last certificate of the chain; undefined: it does not end with an authority. */
function lastOf(first: DetailedPeerCertificate): string | undefined {
  let certificate = first;
  for (let depth = 0; depth < 10; depth += 1) {
    const issuer: PeerCertificate = certificate.issuerCertificate;
    if (issuer === undefined) return undefined;
    if (issuer.fingerprint256 === certificate.fingerprint256) return new X509Certificate(certificate.raw).toString();
    if (!isDetailed(issuer)) return undefined;
    certificate = issuer;
  }
  return undefined;
}

/**
 * The authority of a server, if this machine does not know it; undefined: the certificate is one that every program accepts, or the connection
 * is not encrypted. Nothing is sent.
 * @throws ProblemError when there is no connection
 */
export function unknownAuthority(url: string): Promise<UnknownAuthority | undefined> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return Promise.resolve(undefined);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown) => {
      socket.destroy();
      reject(ProblemError.noAnswer(url, reason));
    };
    const socket = connect({
      host,
      port: Number(port || httpsPort),
      ...(isIP(host) === 0 && { servername: host }),
      // The person decides.
      rejectUnauthorized: false,
      timeout: connectMs,
    });
    socket.once('error', fail);
    socket.once('timeout', () => fail(new Error('The connection took too long.')));
    socket.once('secureConnect', () => {
      const { authorizationError } = socket;
      const certificate = lastOf(socket.getPeerCertificate(true));
      socket.destroy();
      if (!unknownIssuers.includes(String(authorizationError))) return resolve(undefined);
      if (certificate === undefined) return fail(authorizationError);
      resolve({ certificate, fingerprint: certificateFingerprint(certificate) });
    });
  });
}
