import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** A public key as nodes store, send and compare it: its SubjectPublicKeyInfo in DER, as base64. */
export type PublicKeyText = string;

/** @param key public, or private with its public half */
export function publicKeyText(key: KeyObject): PublicKeyText {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** SHA-256 as people compare it: hexadecimal digits in groups of four. */
export function fingerprintOf(bytes: Uint8Array): string {
  const digits = createHash('sha256').update(bytes).digest('hex');
  return digits.match(/.{4}/g)?.join(' ') ?? '';
}

/** The fingerprint of a node's key. */
export const keyFingerprint = (key: PublicKeyText): string => fingerprintOf(Buffer.from(key, 'base64'));
