import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * Detached signatures in the format of OpenSSH (PROTOCOL.sshsig), Ed25519 only: signatures of `ssh-keygen -Y sign` can be checked without
 * that program.
 */

const magic = Buffer.from('SSHSIG');
const keyType = 'ssh-ed25519';
const hashName = 'sha512';
const armour = /-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)-----END SSH SIGNATURE-----/;

export type SignatureFaultCode =
  | 'malformed'
  | 'unsupported'
  | 'foreign_namespace'
  | 'key_unusable'
  | 'key_untrusted'
  | 'mismatch';

/** Why a signature is not accepted. The message is a sentence for users. */
export class SignatureFault extends Error {
  readonly code: SignatureFaultCode;

  constructor(code: SignatureFaultCode, message: string) {
    super(message);
    this.name = 'SignatureFault';
    this.code = code;
  }
}

/** Reads the length-prefixed strings of the format. */
class Fields {
  #rest: Buffer;
  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }
  take(length: number): Buffer {
    if (this.#rest.length < length) throw new SignatureFault('malformed', 'The signature is truncated.');
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
  string(): Buffer {
    return this.take(this.take(4).readUInt32BE());
  }
  text(): string {
    return this.string().toString('latin1');
  }
}

const lengthPrefixed = (content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** The signed bytes. */
const signedBytes = (message: Buffer, namespace: string): Buffer =>
  Buffer.concat([
    magic,
    lengthPrefixed(namespace),
    lengthPrefixed(''),
    lengthPrefixed(hashName),
    lengthPrefixed(createHash(hashName).update(message).digest()),
  ]);

const publicKeyBlob = (raw: Buffer): Buffer => Buffer.concat([lengthPrefixed(keyType), lengthPrefixed(raw)]);

const keyOf = (raw: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });

/** The key of a line such as `ssh-ed25519 AAAA… comment`. @throws SignatureFault */
function rawKeyOf(line: string): Buffer {
  const [type, blob = ''] = line.trim().split(/\s+/);
  if (type !== keyType)
    throw new SignatureFault('key_unusable', `A key of the type ${type} cannot be used, only ${keyType}.`);
  const fields = new Fields(Buffer.from(blob, 'base64'));
  if (fields.text() !== keyType) throw new SignatureFault('key_unusable', 'A public key is damaged.');
  const raw = fields.string();
  if (raw.length !== 32) throw new SignatureFault('key_unusable', 'A public key has another length.');
  return raw;
}

/**
 * Checks a signature.
 * @param keys trusted public keys, as lines of OpenSSH
 * @throws SignatureFault
 */
export function checkSshSignature(
  message: Buffer,
  signature: string,
  keys: readonly string[],
  namespace: string,
): void {
  const encoded = armour.exec(signature)?.[1];
  if (encoded === undefined) throw new SignatureFault('malformed', 'It is not an SSH signature.');
  const fields = new Fields(Buffer.from(encoded, 'base64'));
  if (!fields.take(magic.length).equals(magic)) throw new SignatureFault('malformed', 'It is not an SSH signature.');
  if (fields.take(4).readUInt32BE() !== 1)
    throw new SignatureFault('unsupported', 'The signature has an unknown version.');
  const signer = fields.string();
  if (fields.text() !== namespace) throw new SignatureFault('foreign_namespace', 'It was signed for another purpose.');
  fields.string();
  const hash = fields.text();
  if (hash !== hashName) throw new SignatureFault('unsupported', `It is signed with ${hash}, not with ${hashName}.`);
  const raw = keys.map(rawKeyOf).find((key) => publicKeyBlob(key).equals(signer));
  if (raw === undefined) throw new SignatureFault('key_untrusted', 'It is signed with a key that is not trusted here.');
  const bare = new Fields(fields.string());
  if (bare.text() !== keyType) throw new SignatureFault('unsupported', 'It is signed with another kind of key.');
  if (!verify(null, signedBytes(message, namespace), keyOf(raw), bare.string())) {
    throw new SignatureFault('mismatch', 'The signature does not match the content.');
  }
}

/** Signs as `ssh-keygen -Y sign` does. @param privateKeyPem an Ed25519 key, PKCS#8 */
export function signWithSsh(message: Buffer, privateKeyPem: string, namespace: string): string {
  const key = createPrivateKey(privateKeyPem);
  const blob = Buffer.concat([
    magic,
    Buffer.from([0, 0, 0, 1]),
    lengthPrefixed(publicKeyBlob(rawPublicKey(key))),
    lengthPrefixed(namespace),
    lengthPrefixed(''),
    lengthPrefixed(hashName),
    lengthPrefixed(
      Buffer.concat([lengthPrefixed(keyType), lengthPrefixed(sign(null, signedBytes(message, namespace), key))]),
    ),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

const rawPublicKey = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');

/** The public half of a private key, as a line of OpenSSH. */
export const sshPublicKey = (privateKeyPem: string): string =>
  `${keyType} ${publicKeyBlob(rawPublicKey(createPrivateKey(privateKeyPem))).toString('base64')}`;
