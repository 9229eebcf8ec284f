import { pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** A password as Mosquitto 2.0 stores it: PBKDF2 with HMAC-SHA-512, both in base64. */
export interface MosquittoPassword {
  readonly password: string;
  readonly salt: string;
  readonly iterations: number;
}

const derive = promisify(pbkdf2);

/** Mosquitto 2.0 accepts no other lengths. */
const [saltBytes, hashBytes] = [12, 64];
/** The number of Mosquitto itself. It suffices for secrets of 256 random bits, which nobody can guess. */
const iterationsOfSecrets = 101;
/** For passwords that people have chosen (OWASP Password Storage Cheat Sheet, PBKDF2 with HMAC-SHA-512). */
const iterationsOfPasswords = 210_000;

export async function mosquittoPassword(text: string, kind: 'secret' | 'chosen'): Promise<MosquittoPassword> {
  const salt = randomBytes(saltBytes);
  const iterations = kind === 'secret' ? iterationsOfSecrets : iterationsOfPasswords;
  const hash = await derive(text, salt, iterations, hashBytes, 'sha512');
  return { password: hash.toString('base64'), salt: salt.toString('base64'), iterations };
}
