import type { KeyObject } from 'node:crypto';

/** A private key and its certificate, followed by those of its issuers, as PEM. */
export interface KeyedCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** No browser has a certificate of an issuer with this name, so none offers a choice of certificates. */
const commonName = 'Leader Control Service machine';

/** RFC 5280, 4.1.2.5: no well-defined expiration date. */
const always = { notBefore: new Date(0), notAfter: new Date('9999-12-31T23:59:59Z') };

/**
 * The certificate with which a node shows its identity key to other nodes. They know the key and ignore names and dates, so that a node
 * whose clock is wrong works too.
 * @param key Ed25519
 */
export async function machineCertificate(key: KeyObject): Promise<KeyedCertificate> {
  // Nodes without TLS, which are most of the simulated ones, do not load it.
  const { makeCertificate } = await import('./certificate.ts');
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: makeCertificate({
      subject: commonName,
      issuer: commonName,
      subjectKey: key,
      issuerKey: key,
      ...always,
    }),
  };
}
