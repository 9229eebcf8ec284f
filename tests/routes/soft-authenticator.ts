import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { PasskeyCreationOptions, PasskeyRegistration, PasskeySignIn, PasskeySignInOptions } from '@lcs/contract';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
/** CBOR: bytes with a length of two bytes. */
const bytes = (value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 0xff]), value]);

/** Flags of WebAuthn, 6.1: the person was present and verified. */
const present = 0x01;
const verified = 0x04;
const hasCredential = 0x40;

/** An authenticator with one passkey (WebAuthn level 3, 6), and the page that uses it. */
export class SoftAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(32);
  readonly #origin: string;
  #counter = 0;
  #userHandle = '';
  /** Whether it asks for a fingerprint or PIN. */
  verifies = true;

  constructor(origin: string) {
    this.#origin = origin;
  }

  create({ rp, user, challenge }: PasskeyCreationOptions): PasskeyRegistration['credential'] {
    this.#userHandle = user.id;
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, coseKey]);
    const authenticatorData = Buffer.concat([this.#data(rp.id, hasCredential), credential]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authenticatorData)],
    ]);
    const response = {
      clientDataJSON: this.#clientData('webauthn.create', challenge),
      attestationObject: attestation.toString('base64url'),
    };
    return { ...this.#credential(), response };
  }

  get({ rpId, challenge }: PasskeySignInOptions): PasskeySignIn['credential'] {
    const clientDataJSON = this.#clientData('webauthn.get', challenge);
    const authenticatorData = this.#data(rpId, 0);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const response = {
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: this.#userHandle,
    };
    return { ...this.#credential(), response };
  }

  #credential() {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  #data(rpId: string, flags: number): Buffer {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([present | (this.verifies ? verified : 0) | flags]), counter]);
  }

  #clientData(type: string, challenge: string): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false })).toString(
      'base64url',
    );
  }
}
