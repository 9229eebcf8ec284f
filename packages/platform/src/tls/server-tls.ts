import { createSecureContext, type Server, type TlsOptions } from 'node:tls';
import type { KeyedCertificate } from './machine-certificate.ts';

/** The certificate for browsers and programs; it may be replaced while the server runs. */
export interface ServerCertificate {
  current(): KeyedCertificate;
  /** Calls `listener` after each replacement. */
  onChange(listener: () => void): () => void;
}

/** How a node encrypts the connections to its server. */
export interface ServerTls {
  /** For other nodes, which request a name that ends with `machineDomain`. */
  readonly machine: KeyedCertificate;
  /** For everybody else. Default: that of the machine. */
  readonly server?: ServerCertificate;
}

/** Nodes request their peers under this server name: it selects the certificate of the machine. */
export const machineServerName = 'peer.node.lcs';
const machineDomain = '.node.lcs';

/** The context of everybody but nodes. */
const serverContext = ({ machine, server }: ServerTls) => ({
  ...contextOf(server?.current() ?? machine),
  // The names of these issuers are sent to the client: a browser offers no other certificates.
  ca: machine.certificate,
});

const contextOf = ({ key, certificate }: KeyedCertificate) => ({
  key,
  cert: certificate,
  minVersion: 'TLSv1.2' as const,
});

/** Serves each new certificate to connections that begin after it; the returned function ends that. */
export function followCertificate(server: Pick<Server, 'setSecureContext'>, tls: ServerTls): () => void {
  return tls.server?.onChange(() => server.setSecureContext(serverContext(tls))) ?? (() => {});
}

/**
 * Options of a server. It requests a certificate of the client and accepts every one: the key in it identifies a node, or nobody.
 */
export function serverTlsOptions(tls: ServerTls, protocol: 'http/1.1' | 'mqtt'): TlsOptions {
  const machine = createSecureContext({
    ...contextOf(tls.machine),
    minVersion: 'TLSv1.3',
    ca: tls.machine.certificate,
  });
  return {
    ...serverContext(tls),
    // A client that wants another protocol is refused (RFC 7301, 3.2).
    ALPNProtocols: [protocol],
    requestCert: true,
    rejectUnauthorized: false,
    SNICallback: (name, done) => done(null, name.toLowerCase().endsWith(machineDomain) ? machine : undefined),
  };
}
