import { argon2, randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { SecretBox, secretKeyBytes } from './secret-box.ts';

/** OWASP Password Storage Cheat Sheet asks for 19 MiB and 2 passes at least; this is for files that leave the machine. */
const cost = { memory: 65_536, passes: 3, parallelism: 1 } as const;

const Sealed = Type.Object({
  format: Type.Literal(1),
  kdf: Type.Literal('argon2id'),
  /** KiB. Bounded: the file may come from anywhere. */
  memory: Type.Integer({ minimum: 8192, maximum: 1_048_576 }),
  passes: Type.Integer({ minimum: 1, maximum: 20 }),
  salt: Type.String(),
  sealed: Type.String(),
});

async function boxOf(passphrase: string, salt: Buffer, memory: number, passes: number): Promise<SecretBox> {
  const key = await new Promise<Buffer>((resolve, reject) => {
    const message = passphrase.normalize('NFC');
    const { parallelism } = cost;
    argon2(
      'argon2id',
      { message, nonce: salt, parallelism, tagLength: secretKeyBytes, memory, passes },
      (error, derived) => (error === null ? resolve(derived) : reject(error)),
    );
  });
  return new SecretBox(key, '');
}

/** Encrypts bytes with a passphrase (Argon2id, AES-256-GCM). */
export async function sealWithPassphrase(bytes: Uint8Array, passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const { memory, passes } = cost;
  const box = await boxOf(passphrase, salt, memory, passes);
  const sealed = box.sealBytes(bytes).toString('base64');
  return `${JSON.stringify({ format: 1, kdf: 'argon2id', memory, passes, salt: salt.toString('base64'), sealed })}\n`;
}

/** Undefined: the passphrase is another one, or the text was changed. */
export async function unsealWithPassphrase(text: string, passphrase: string): Promise<Buffer | undefined> {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!Value.Check(Sealed, sent)) return undefined;
  const box = await boxOf(passphrase, Buffer.from(sent.salt, 'base64'), sent.memory, sent.passes);
  return box.unsealBytes(Buffer.from(sent.sealed, 'base64'));
}
