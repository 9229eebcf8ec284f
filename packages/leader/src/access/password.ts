import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@lcs/contract';
import { Lane } from '../fleet/lane.ts';

/** The cost of a hash: memory in KiB, passes over it, lanes. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/**
 * OWASP Password Storage Cheat Sheet, Argon2id with the least memory of its table: 19 MiB, 2 passes, 1 lane. A board with 1 GB hashes several
 * passwords at a time with it.
 */
export const passwordCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashesAtOnce = 2;
const tagBytes = 32;
const saltBytes = 16;

/** NIST SP 800-63B asks for 8 characters at least, and for no rules of composition; 12 replace a list of breached passwords. */
const minLength = 12;
const maxLength = 256;

/** Hashes and checks passwords, two at a time: each takes 19 MiB. */
export class PasswordHashing {
  readonly #lane = new Lane(hashesAtOnce);
  readonly #cost: PasswordCost;

  constructor(cost: PasswordCost) {
    this.#cost = cost;
  }

  /** The hash of a person without a password: it belongs to none. */
  get noPassword(): string {
    return unknownPersonHash(this.#cost);
  }

  hash(password: string): Promise<string> {
    return this.#lane.run(() => hashPassword(password, this.#cost));
  }

  /** Waits for a turn, then for `check`: of many attempts at once each sees the failures before it. */
  check<Result>(
    check: (isPasswordOf: (password: string, hash: string | undefined) => Promise<boolean>) => Promise<Result>,
  ) {
    // Without a hash the check takes as long, and is wrong.
    return this.#lane.run(() =>
      check((password, hash) => isPasswordOf(password, hash ?? unknownPersonHash(this.#cost))),
    );
  }
}

const derive = (password: string, nonce: Buffer, { memory, passes, parallelism }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const message = password.normalize('NFC');
    argon2('argon2id', { message, nonce, parallelism, tagLength: tagBytes, memory, passes }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });

/** The hash in PHC string format, with salt and cost: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await derive(password, salt, cost);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

/** A hash that belongs to no password, so that a sign-in with an unknown name takes as long as one with a known name. */
const unknownPersonHash = ({ memory, passes, parallelism }: PasswordCost): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${Buffer.alloc(saltBytes).toString('base64url')}$${Buffer.alloc(tagBytes).toString('base64url')}`;

/** Whether the password belongs to the hash. @throws Error if the hash is damaged */
async function isPasswordOf(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, key] = phc.exec(hash) ?? [];
  if (salt === undefined || key === undefined) throw new Error('A stored password hash is damaged.');
  const stored = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), stored);
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}

const pinPattern = /^\d{4,8}$/;

/**
 * Checks a new PIN.
 * @throws ApiError pin_unsuitable
 */
export function checkPin(pin: string): void {
  const steps = new Set([...pin].slice(1).map((digit, at) => Number(digit) - Number(pin[at])));
  const cause = (() => {
    if (!pinPattern.test(pin)) return 'It must have 4 to 8 digits.';
    if (new Set(pin).size < 2) return 'It repeats one digit.';
    return steps.size === 1 ? 'Its digits are in order.' : undefined;
  })();
  if (cause !== undefined) throw new ApiError('pin_unsuitable', { cause });
}

/**
 * Checks a new password.
 * @param field of the body, for the error
 * @throws ApiError password_unsuitable
 */
export function checkPassword(password: string, personName: string, field: string): void {
  const { length } = [...password];
  const cause = (() => {
    if (length < minLength) return `It has ${length} characters; ${minLength} are needed.`;
    if (length > maxLength) return `It has ${length} characters; at most ${maxLength} are possible.`;
    if (new Set(password).size < 5) return 'It repeats a few characters.';
    if (password.toLowerCase().includes(personName.toLowerCase())) return 'It contains the name of the person.';
    return undefined;
  })();
  if (cause !== undefined) throw new ApiError('password_unsuitable', { cause, field });
}
