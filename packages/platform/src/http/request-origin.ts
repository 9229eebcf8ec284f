import type { PublicKeyText } from '../tls/public-key.ts';

/** What the connection shows of the sender of a request. */
export interface RequestOrigin {
  /** The client's IP address, behind a trusted proxy that of the proxy's client; empty through the Unix socket. */
  readonly address: string;
  /** Whether the client's connection is encrypted: to this node, or to the trusted proxy in front of it. */
  readonly isSecure: boolean;
  /** Through the node's Unix socket, which only the owner of the data folder can open. */
  readonly isUnixSocket: boolean;
  /** The key of the certificate that the client has presented; undefined without one. */
  readonly peerKey: PublicKeyText | undefined;
}
