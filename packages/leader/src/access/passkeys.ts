import {
  ApiError,
  type Caller,
  type PasskeyCreationOptions,
  type PasskeyRegistration,
  type PasskeySignIn,
  type PasskeySignInOptions,
} from '@lcs/contract';
import type { Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { AccessControl, SignedIn, SignInOrigin } from './access-control.ts';
import { challengeLifeMs, PasskeyChallenges } from './passkey-challenges.ts';
import {
  deletePasskey,
  insertPasskey,
  type PasskeyRecord,
  readPasskeys,
  renamePasskey,
  storePasskeyUse,
} from './passkey-store.ts';
import type { RelyingParty } from './relying-party.ts';

interface PasskeysOptions {
  readonly context: Pick<LeaderContext, 'database' | 'change' | 'clock' | 'wire' | 'newId'>;
  readonly access: AccessControl;
}

/** Per person. */
const passkeyLimit = 20;
/** EdDSA, ES256 and RS256 (IANA COSE algorithms): what authenticators offer. */
const algorithms = [-8, -7, -257];
const relyingPartyName = 'Leader Control Service';

/** The library takes 0.3 s and up to 27 MB with its parsers of certificates: loaded when somebody uses a passkey. */
const loadLibrary = () => import('@simplewebauthn/server');

const refused = (error: unknown): ApiError =>
  new ApiError('passkey_refused', { cause: error instanceof Error ? error.message : String(error) });

/** Passkeys of people (WebAuthn). A passkey with user verification replaces the password. */
export class Passkeys implements Service {
  readonly name = 'passkeys';
  readonly #context: PasskeysOptions['context'];
  readonly #access: AccessControl;
  readonly #challenges: PasskeyChallenges;
  /** By the ID of the credential. */
  readonly #passkeys = new Map<string, PasskeyRecord>();

  constructor({ context, access }: PasskeysOptions) {
    this.#context = context;
    this.#access = access;
    this.#challenges = new PasskeyChallenges(context.wire);
  }

  async start(): Promise<void> {
    for (const passkey of await readPasskeys(this.#context.database.read)) this.#keep(passkey);
  }

  async stop(): Promise<void> {}

  /** The passkeys of a person, or of all; the newest first. */
  of(personId?: string): readonly PasskeyRecord[] {
    return [...this.#passkeys.values()]
      .filter((passkey) => personId === undefined || passkey.personId === personId)
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** @throws ApiError sign_in_failed, sign_in_delayed: the password is wrong */
  async startRegistration(
    { personId }: Caller,
    password: string,
    address: string,
    relyingParty: RelyingParty,
  ): Promise<PasskeyCreationOptions> {
    const { name, displayName } = await this.#access.confirmPassword(personId, password, address);
    return {
      rp: { id: relyingParty.id, name: relyingPartyName },
      user: { id: Buffer.from(personId).toString('base64url'), name, displayName },
      challenge: this.#challenges.make(personId),
      pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
      timeout: challengeLifeMs,
      excludeCredentials: this.of(personId).map(({ credentialId }) => ({ id: credentialId, type: 'public-key' })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    };
  }

  /** @throws ApiError passkey_refused, too_many_passkeys */
  async register(
    { personId }: Caller,
    { name, credential }: PasskeyRegistration,
    relyingParty: RelyingParty,
  ): Promise<PasskeyRecord> {
    if (this.of(personId).length >= passkeyLimit) throw new ApiError('too_many_passkeys', { limit: passkeyLimit });
    const { verifyRegistrationResponse } = await loadLibrary();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential,
      expectedChallenge: (challenge) => this.#challenges.take(challenge, personId),
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch((error: unknown) => {
      throw refused(error);
    });
    if (!verified) throw refused('The signature of the new passkey is not valid.');
    const { id, publicKey, counter } = registrationInfo.credential;
    if (this.#passkeys.has(id)) throw refused('This passkey is registered already.');
    const passkey: PasskeyRecord = {
      id: this.#context.newId(),
      personId,
      credentialId: id,
      publicKey,
      counter,
      host: relyingParty.id,
      name,
      createdAt: this.#context.clock.now(),
      lastUsedAt: null,
    };
    await this.#context.change(async (transaction, effects) => {
      await insertPasskey(transaction, passkey);
      effects.afterCommit(() => this.#keep(passkey));
    });
    return passkey;
  }

  startSignIn({ id: rpId }: RelyingParty): PasskeySignInOptions {
    return { rpId, challenge: this.#challenges.make(''), timeout: challengeLifeMs, userVerification: 'required' };
  }

  /** @throws ApiError passkey_refused, sign_in_failed: the person was disabled */
  async signIn({ credential }: PasskeySignIn, origin: SignInOrigin, relyingParty: RelyingParty): Promise<SignedIn> {
    const passkey = this.#passkeys.get(credential.id);
    if (passkey === undefined) throw refused('This leader does not know the passkey: it was deleted here.');
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential,
      expectedChallenge: (challenge) => this.#challenges.take(challenge, ''),
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey: passkey.publicKey, counter: passkey.counter },
    }).catch((error: unknown) => {
      throw refused(error);
    });
    if (!verified) throw refused('The signature of the passkey is not valid.');
    const used = { ...passkey, counter: authenticationInfo.newCounter, lastUsedAt: this.#context.clock.now() };
    return this.#access.startSession(passkey.personId, origin, async (transaction, effects) => {
      await storePasskeyUse(transaction, used);
      effects.afterCommit(() => this.#update(used));
    });
  }

  /** Renames a passkey, of one person if `personId` is given. @throws ApiError passkey_not_found */
  async rename(id: string, name: string, personId?: string): Promise<PasskeyRecord> {
    const renamed = { ...this.#known(id, personId), name };
    await this.#context.change(async (transaction, effects) => {
      await renamePasskey(transaction, id, name);
      effects.afterCommit(() => this.#update(renamed));
    });
    return renamed;
  }

  /** Deletes a passkey, of one person if `personId` is given. @throws ApiError passkey_not_found */
  async delete(id: string, personId?: string): Promise<void> {
    const { credentialId } = this.#known(id, personId);
    // First in memory: a deleted passkey must not work for a moment longer, whatever the disk does.
    this.#passkeys.delete(credentialId);
    await this.#context.change((transaction) => deletePasskey(transaction, id));
  }

  #known(id: string, personId: string | undefined): PasskeyRecord {
    const passkey = this.of(personId).find((one) => one.id === id);
    if (passkey === undefined) throw new ApiError('passkey_not_found', { passkey: id });
    return passkey;
  }

  #keep(passkey: PasskeyRecord): void {
    this.#passkeys.set(passkey.credentialId, passkey);
  }

  /** A passkey that was deleted meanwhile stays away. */
  #update(passkey: PasskeyRecord): void {
    if (this.#passkeys.has(passkey.credentialId)) this.#keep(passkey);
  }
}
