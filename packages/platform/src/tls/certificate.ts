import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  Extension,
  Extensions,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** A certificate to be made. */
export interface CertificateRequest {
  /** Common name of the subject. */
  readonly subject: string;
  /** Common name of the issuer. */
  readonly issuer: string;
  /** Public, or private with its public half. */
  readonly subjectKey: KeyObject;
  /** The issuer's private key: Ed25519 or P-256. */
  readonly issuerKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions?: readonly CertificateExtension[];
}

/** An extension; `value` is in DER. */
export interface CertificateExtension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: ArrayBuffer;
}

/** RFC 8410; RFC 5758, 3.2. */
const signatures = {
  ed25519: { id: '1.3.101.112', digest: null },
  ec: { id: '1.2.840.10045.4.3.2', digest: 'sha256' },
} as const;

const commonNameId = '2.5.4.3';

const nameOf = (commonName: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: commonNameId, value: new AttributeValue({ utf8String: commonName }) }),
    ]),
  ]);

const bytesOf = (buffer: Uint8Array): ArrayBuffer => new Uint8Array(buffer).buffer;

/** Positive and without leading zero bytes, as DER requires. */
function serialNumber(): ArrayBuffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return bytesOf(serial);
}

function spkiOf(key: KeyObject): SubjectPublicKeyInfo {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo);
}

function signatureOf(key: KeyObject): (typeof signatures)[keyof typeof signatures] {
  const { asymmetricKeyType: type } = key;
  if (type === 'ed25519' || type === 'ec') return signatures[type];
  throw new TypeError(`Certificates are signed with Ed25519 or P-256 keys, not with ${type}.`);
}

/** An X.509 certificate (RFC 5280) as PEM. */
export function makeCertificate(request: CertificateRequest): string {
  const { subject, issuer, subjectKey, issuerKey, notBefore, notAfter, extensions = [] } = request;
  const { id, digest } = signatureOf(issuerKey);
  const algorithm = new AlgorithmIdentifier({ algorithm: id });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: nameOf(issuer),
    subject: nameOf(subject),
    validity: new Validity({ notBefore, notAfter }),
    subjectPublicKeyInfo: spkiOf(subjectKey),
    ...(extensions.length > 0 && {
      extensions: new Extensions(
        extensions.map(
          ({ id: extnID, isCritical: critical, value }) =>
            new Extension({ extnID, critical, extnValue: new OctetString(value) }),
        ),
      ),
    }),
  });
  const signature = sign(digest, Buffer.from(AsnConvert.serialize(tbsCertificate)), issuerKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bytesOf(signature),
  });
  return pem(Buffer.from(AsnConvert.serialize(certificate)));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
