import { ApiError, minuteMs, type Role } from '@lcs/contract';
import { StartupError } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { Lane } from '../fleet/lane.ts';
import type { AccessControl, SignedIn, SignInOrigin } from './access-control.ts';
import type { PersonRecord } from './access-records.ts';
import { insertAccount, type OidcAccount, readAccount, storeRoleOfGroup } from './oidc-accounts.ts';
import { discovered, loadLibrary, type OidcConfiguration, problemOf } from './oidc-library.ts';
import { displayNameOf, freeName, type GivenRole, type OidcClaims, roleOfClaims } from './oidc-person.ts';
import { type OidcSettings, readOidcSettings } from './oidc-settings.ts';
import { newSecret, secretHash } from './secrets.ts';

export interface OidcSignInOptions {
  readonly context: Pick<LeaderContext, 'database' | 'change' | 'clock' | 'wire' | 'log'>;
  readonly dataFolder: string;
  readonly access: AccessControl;
}

/** A sign-in that has begun in a browser. */
interface Pending {
  readonly redirectUrl: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly endsMs: number;
}

const pendingMs = 10 * minuteMs;
/** Sign-ins that are open at a time; the oldest is forgotten first. */
const limit = 1000;
/** The provider's description of itself is requested again after this time. */
const discoveryMs = 60 * minuteMs;
/** Page of the web UI to which the provider returns the person. */
const returnPath = '/sign-in';

/** The sign-in with the accounts of an institution: OpenID Connect, authorization code flow with PKCE, state and nonce. */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  /** By the hash of the secret that the page keeps. In memory only. */
  readonly #pending = new Map<string, Pending>();
  /** A person is created once, however often their account signs in at the same moment. */
  readonly #people = new Lane(1);
  #discovery: { readonly key: string; readonly endsMs: number; readonly found: Promise<OidcConfiguration> } | undefined;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /** How the provider is called; undefined: none is configured, or not correctly. */
  async providerName(): Promise<string | undefined> {
    return (await this.#settings().catch(() => undefined))?.name;
  }

  /**
   * Begins a sign-in.
   * @param origin of the page, such as `https://lab-pc:4999`
   * @throws ApiError oidc_not_configured, oidc_unavailable, setup_needed
   */
  async begin(origin: string): Promise<{ readonly url: string; readonly secret: string }> {
    if (!this.#options.access.hasPeople) throw new ApiError('setup_needed', {});
    const settings = await this.#configured();
    const library = await loadLibrary();
    const configuration = await this.#provider(settings);
    const secret = newSecret();
    const pending = {
      redirectUrl: origin + returnPath,
      state: library.randomState(),
      nonce: library.randomNonce(),
      codeVerifier: library.randomPKCECodeVerifier(),
      endsMs: this.#options.context.wire.monotonic() + pendingMs,
    };
    this.#keep(secretHash(secret), pending);
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: pending.redirectUrl,
      scope: settings.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, secret };
  }

  /**
   * Ends a sign-in that has begun with this secret.
   * @throws ApiError oidc_not_configured, oidc_unavailable, oidc_refused, oidc_person_not_allowed, sign_in_failed
   */
  async end(secret: string, callbackUrl: string, origin: SignInOrigin): Promise<SignedIn> {
    const pending = this.#take(secretHash(secret));
    const settings = await this.#configured();
    const claims = await this.#claims(settings, pending, callbackUrl);
    const given = roleOfClaims(claims, settings.admission);
    if (given === undefined) throw new ApiError('oidc_person_not_allowed', { name: displayNameOf(claims) });
    const account = { issuer: String(claims.iss), subject: String(claims.sub) };
    const person = await this.#people.run(() => this.#personOf(account, claims, given));
    return this.#options.access.startSession(person.id, origin, () => {});
  }

  /** The checked content of the ID token. */
  async #claims(settings: OidcSettings, pending: Pending, callbackUrl: string): Promise<OidcClaims> {
    const { log } = this.#options.context;
    const current = URL.canParse(callbackUrl) ? new URL(callbackUrl) : undefined;
    if (current === undefined || current.origin + current.pathname !== pending.redirectUrl)
      throw new ApiError('oidc_refused', { cause: 'The provider returned to another address.' });
    const library = await loadLibrary();
    const configuration = await this.#provider(settings);
    try {
      const answer = await library.authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: pending.codeVerifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      });
      return answer.claims() ?? {};
    } catch (error) {
      log.warn('A sign-in with the OpenID provider failed', { error: String(error) });
      throw problemOf(library, error);
    }
  }

  /** The person with this account; a new one at its first sign-in. */
  async #personOf(account: OidcAccount, claims: OidcClaims, { role, isOfGroup }: GivenRole): Promise<PersonRecord> {
    const { access, context } = this.#options;
    const stored = await readAccount(context.database.read, account);
    const known = access.person(stored?.personId ?? '');
    if (stored === undefined || known === undefined)
      return access.createAccountPerson(
        { nameFor: (isTaken) => freeName(claims, isTaken), displayName: displayNameOf(claims), role },
        (transaction, personId) =>
          insertAccount(transaction, account, { personId, hasRoleOfGroup: isOfGroup }, context.clock.now()),
      );
    // Without a group, a role that an administrator has given stays; one that a group has given ends with it.
    if (!isOfGroup && !stored.hasRoleOfGroup) return known;
    const keep = () => context.change((transaction) => storeRoleOfGroup(transaction, account, isOfGroup));
    // Cut in between, the role still counts as one of the group.
    if (isOfGroup && !stored.hasRoleOfGroup) await keep();
    const updated = await this.#withRole(known, role);
    if (!isOfGroup && updated.role === role) await keep();
    return updated;
  }

  /** Somebody must stay an administrator, whatever the provider states. */
  async #withRole(known: PersonRecord, role: Role): Promise<PersonRecord> {
    if (known.role === role) return known;
    return this.#options.access.updatePerson(known.id, { role }).catch((error: unknown) => {
      if (error instanceof ApiError && error.body.code === 'last_administrator') return known;
      throw error;
    });
  }

  /** @throws ApiError oidc_not_configured, oidc_unavailable */
  async #configured(): Promise<OidcSettings> {
    const settings = await this.#settings().catch((error: unknown) => {
      if (!(error instanceof StartupError)) throw error;
      this.#options.context.log.error('The OpenID provider cannot be used', { error: error.message });
      throw new ApiError('oidc_unavailable', { cause: 'Its settings in leader.ini are not valid.' });
    });
    if (settings === undefined) throw new ApiError('oidc_not_configured', {});
    return settings;
  }

  #settings = (): Promise<OidcSettings | undefined> => readOidcSettings(this.#options.dataFolder);

  /** @throws ApiError oidc_unavailable */
  async #provider(settings: OidcSettings): Promise<OidcConfiguration> {
    const { wire, log } = this.#options.context;
    const { issuer, clientId, clientSecret } = settings;
    const key = JSON.stringify([issuer.href, clientId, clientSecret]);
    const known = this.#discovery;
    if (known === undefined || known.key !== key || wire.monotonic() >= known.endsMs) {
      const found = loadLibrary().then((library) => discovered(library, settings));
      this.#discovery = { key, endsMs: wire.monotonic() + discoveryMs, found };
    }
    try {
      return await (this.#discovery?.found ?? Promise.reject(new Error('No provider is being requested.')));
    } catch (error) {
      // The next sign-in tries again.
      this.#discovery = undefined;
      log.warn('The OpenID provider does not describe itself', { issuer: issuer.href, error: String(error) });
      throw new ApiError('oidc_unavailable', { cause: `${issuer.host} did not describe itself.` });
    }
  }

  #keep(hash: string, pending: Pending): void {
    this.#pending.set(hash, pending);
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size <= limit) break;
      this.#pending.delete(oldest);
    }
  }

  /** Each sign-in ends once. @throws ApiError oidc_refused */
  #take(hash: string): Pending {
    const pending = this.#pending.get(hash);
    this.#pending.delete(hash);
    if (pending === undefined || this.#options.context.wire.monotonic() >= pending.endsMs)
      throw new ApiError('oidc_refused', { cause: 'It was not begun in this browser, has ended, or took too long.' });
    return pending;
  }
}
