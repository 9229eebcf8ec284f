import { ApiError, type Caller } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { AccessControl, SignedIn } from './access-control.ts';
import { checkPin } from './password.ts';
import { SignInAttempts } from './sign-in-attempts.ts';

export interface PinsOptions {
  readonly access: AccessControl;
  readonly wire: Pick<Clock, 'monotonic'>;
}

/** PINs of people, which work at shared tablets only. */
export class Pins {
  readonly #access: AccessControl;
  /** By person and by tablet. They are not those of passwords: nobody locks a person's sign-in with wrong PINs. */
  readonly #attempts: SignInAttempts;

  constructor({ access, wire }: PinsOptions) {
    this.#access = access;
    this.#attempts = new SignInAttempts(wire);
  }

  /** @throws ApiError sign_in_failed, sign_in_delayed, pin_unsuitable */
  async set(caller: Caller, password: string, pin: string, address: string): Promise<void> {
    const confirmed = await this.#access.confirmPassword(caller.personId, password, address);
    checkPin(pin);
    await this.#access.setPin(confirmed, await this.#access.passwords.hash(pin));
  }

  async delete({ personId }: Caller): Promise<void> {
    await this.#access.deletePin(personId);
  }

  /**
   * Lets a person act at the tablet of the caller.
   * @throws ApiError tablet_needed, pin_wrong, sign_in_delayed
   */
  async enter(caller: Caller, name: string, pin: string): Promise<SignedIn> {
    expectTablet(caller);
    return this.#access.passwords.check(async (isPasswordOf) => {
      this.#attempts.check(name, caller.id);
      const person = this.#access.people.find((one) => one.name.toLowerCase() === name.toLowerCase());
      const isRight = await isPasswordOf(pin, person?.pinHash ?? undefined);
      const known = person && this.#access.person(person.id);
      // Changed or disabled meanwhile counts as wrong, too.
      if (!isRight || known === undefined || known.disabledAt !== null || known.pinHash !== person?.pinHash) {
        this.#attempts.failed(name, caller.id);
        throw new ApiError('pin_wrong', {});
      }
      this.#attempts.succeeded(name);
      return this.#access.actAtTablet(caller.id, known.id);
    });
  }

  /** @throws ApiError tablet_needed */
  leave(caller: Caller): void {
    expectTablet(caller);
    this.#access.endActing(caller.id);
  }
}

/** @throws ApiError tablet_needed */
function expectTablet({ tablet }: Caller): void {
  if (tablet === undefined) throw new ApiError('tablet_needed', {});
}
