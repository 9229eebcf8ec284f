import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { type CertificateExtension, makeCertificate } from './certificate.ts';

/** A certificate authority: its name and its private key. */
export interface Authority {
  readonly name: string;
  /** P-256: browsers know no Ed25519 certificates. */
  readonly key: KeyObject;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const extension = (id: string, isCritical: boolean, value: object): CertificateExtension => ({
  id,
  isCritical,
  value: AsnConvert.serialize(value),
});

/** RFC 5280, 4.2.1.2. */
function keyIdentifier(key: KeyObject): ArrayBuffer {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return new Uint8Array(createHash('sha256').update(spki).digest().subarray(0, 20)).buffer;
}

/** The self-signed certificate of an authority, as PEM. It can sign certificates of servers, not of other authorities. */
export function authorityCertificate({ name, key }: Authority, validity: Validity): string {
  return makeCertificate({
    subject: name,
    issuer: name,
    subjectKey: key,
    issuerKey: key,
    ...validity,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdentifier(key))),
    ],
  });
}

/**
 * The certificate of a server under these names and addresses, as PEM.
 * @param key P-256
 */
export function serverCertificate(
  authority: Authority,
  { key, names, ...validity }: Validity & { readonly key: KeyObject; readonly names: readonly string[] },
): string {
  const alternatives = names.map((name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }));
  return makeCertificate({
    subject: names[0] ?? 'leader',
    issuer: authority.name,
    subjectKey: key,
    issuerKey: authority.key,
    ...validity,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(alternatives)),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier(authority.key)) }),
      ),
    ],
  });
}
