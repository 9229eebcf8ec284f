import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
export const secretKeyBytes = 32;
const [nonceBytes, tagBytes] = [12, 16];

/** Encrypts texts and bytes with one key (AES-256-GCM; nonce of 96 random bits, then the ciphertext, then the tag). */
export class SecretBox {
  readonly #key: Buffer;
  readonly #prefix: string;

  /** @param prefix of encrypted texts; identifies their form */
  constructor(key: Buffer, prefix: string) {
    this.#key = key;
    this.#prefix = prefix;
  }

  sealBytes(bytes: Uint8Array): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final()]);
    return Buffer.concat([sealed, cipher.getAuthTag()]);
  }

  /** Undefined: the bytes were encrypted with another key, or have changed. */
  unsealBytes(bytes: Buffer): Buffer | undefined {
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    try {
      return Buffer.concat([plain, decipher.final()]);
    } catch {
      // The only failure of `final` here: the tag belongs to another key or other bytes.
      return undefined;
    }
  }

  seal(text: string): string {
    return this.#prefix + this.sealBytes(Buffer.from(text, 'utf8')).toString('base64');
  }

  isSealed(text: string): boolean {
    return text.startsWith(this.#prefix);
  }

  /** Undefined as for `unsealBytes`, and for a text that is not encrypted. */
  unseal(sealed: string): string | undefined {
    if (!this.isSealed(sealed)) return undefined;
    return this.unsealBytes(Buffer.from(sealed.slice(this.#prefix.length), 'base64'))?.toString('utf8');
  }
}
