import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as URL-safe text: a session cookie or a token. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The stored form of a secret. A secret of 256 random bits needs no slow hash. */
export const secretHash = (secret: string): string => sha256(secret);

/** The CSRF token of a session. It follows from the cookie, so that nothing more needs to be stored. */
export const csrfTokenOf = (secret: string): string => sha256(`csrf ${secret}`);
