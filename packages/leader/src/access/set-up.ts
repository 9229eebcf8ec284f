import { randomInt, timingSafeEqual } from 'node:crypto';
import { ApiError, type FirstPerson } from '@lcs/contract';
import type { Clock, Log } from '@lcs/platform';
import type { AccessControl } from './access-control.ts';
import type { PersonRecord } from './access-records.ts';
import { SignInAttempts } from './sign-in-attempts.ts';

/** Without letters and digits that look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

const newCode = (): string => Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');

/** As people type it: in any case, with the hyphen of the terminal or without. */
const normalised = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export interface SetUpOptions {
  readonly access: AccessControl;
  readonly wire: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/**
 * Creates the first person of a leader from another machine, with a code that only somebody at the leader's machine can read. It is drawn at
 * each start, works once, and is never stored.
 */
export class SetUp {
  readonly #options: SetUpOptions;
  readonly #code = newCode();
  readonly #attempts: SignInAttempts;

  constructor(options: SetUpOptions) {
    this.#options = options;
    this.#attempts = new SignInAttempts(options.wire);
  }

  get isNeeded(): boolean {
    return !this.#options.access.hasPeople;
  }

  /** For people, `ABCD-EFGH`; undefined when a person exists. */
  get code(): string | undefined {
    return this.isNeeded ? `${this.#code.slice(0, 4)}-${this.#code.slice(4)}` : undefined;
  }

  /** For the log of a leader that other machines reach. */
  logCode(): void {
    if (this.code !== undefined)
      this.#options.log.warn('Nobody has an account yet: set up the leader at /setup', { code: this.code });
  }

  /** @throws ApiError setup_done, setup_code_wrong, sign_in_delayed, password_unsuitable */
  async createFirstPerson({ code, ...person }: FirstPerson, address: string): Promise<PersonRecord> {
    const { access, log } = this.#options;
    if (!this.isNeeded) throw new ApiError('setup_done', {});
    // One name for everybody: the delay protects the code, wherever the attempts come from.
    this.#attempts.check('set-up', address);
    if (!isSame(normalised(code), this.#code)) {
      this.#attempts.failed('set-up', address);
      log.warn('A wrong set-up code was sent', { address });
      throw new ApiError('setup_code_wrong', {});
    }
    return access.createFirstPerson({ ...person, role: 'administrator' });
  }
}
