import type { IncomingMessage } from 'node:http';
import {
  ApiError,
  type Caller,
  type CallerLimits,
  CallerRefusal,
  dayMs,
  isReservedName,
  localCaller,
  minuteMs,
  type Permission,
  type PersonChange,
  type PersonCreation,
  publicPermissions,
  type Role,
  rolePermissions,
  type TokenCreation,
} from '@lcs/contract';
import { accountOfRequest, isFromThisMachine, type RequestOrigin, type Service } from '@lcs/platform';
import { mosquittoPassword } from '../broker/mosquitto-password.ts';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { Lane } from '../fleet/lane.ts';
import type { PersonRecord, SessionRecord, TokenRecord } from './access-records.ts';
import {
  deleteEndedSessions,
  insertSession,
  insertToken,
  readPeople,
  readSessions,
  readTokens,
  storeSessionUse,
  storeTokenUse,
  writePerson,
} from './access-store.ts';
import { ActingPeople, actingMs } from './acting-people.ts';
import { checkPassword, type PasswordCost, PasswordHashing, passwordCost } from './password.ts';
import { csrfTokenOf, newSecret, secretHash } from './secrets.ts';
import { expiryOf } from './session-expiry.ts';
import { SignInAttempts } from './sign-in-attempts.ts';

export interface AccessControlOptions {
  readonly context: Pick<LeaderContext, 'database' | 'change' | 'clock' | 'wire' | 'log' | 'newId'>;
  /** Distinguishes the cookies of several leaders on one host: cookies do not depend on the port. */
  readonly cookieSuffix: string;
  /** The unit that sent a request with this token. Default: there are none. */
  readonly unitOf?: (token: string, request: RequestHead, origin: RequestOrigin | undefined) => Caller | undefined;
  /** Whether every process of this machine may do everything while no person exists. Default: yes. */
  readonly trustsLoopback?: boolean;
  /** Nobody may change anything. Default: no. */
  readonly readOnly?: boolean;
  /** Of password hashes; lower in tests. */
  readonly cost?: PasswordCost;
}

/** Where a request of a person comes from. */
export interface SignInOrigin {
  readonly address: string;
  readonly userAgent: string;
}

/** A person with an account elsewhere. */
export interface AccountPerson {
  /** Chooses a name that nobody has. */
  readonly nameFor: (isTaken: (name: string) => boolean) => string;
  readonly displayName: string;
  readonly role: Role;
}

/** The parts of a request that show who sent it. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'method'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

/** A session with what its holder needs. */
export interface SignedIn {
  /** The value of the cookie. */
  readonly secret: string;
  readonly caller: Caller;
  readonly csrfToken: string;
  readonly expiresAt: number;
}

/** Last uses are stored this often. */
const storeUseEveryMs = 5 * minuteMs;
const securePrefix = '__Host-';

const anonymousCaller: Caller = {
  kind: 'anonymous',
  id: '',
  personId: '',
  name: 'anonymous',
  permissions: publicPermissions,
};
/** Of a leader without people. */
const strangerBeforeSetUp: Caller = {
  ...anonymousCaller,
  permissions: new Set(['pages.read', 'health.read', 'session.use']),
  needsSetUp: true,
};
/** Whoever opens the Unix socket of the data folder. */
const socketCaller: Caller = { ...localCaller, id: 'socket' };
const leaderCaller: Caller = { ...localCaller, kind: 'leader', name: 'leader' };
const leaderActingFor = (account: string | undefined): Caller =>
  account === undefined ? leaderCaller : { ...leaderCaller, actsFor: account };

/** What a PIN is enough for: never administration, and no programs. */
const atTablets: ReadonlySet<Permission> = new Set([...rolePermissions.operator].filter((one) => one !== 'mcp.use'));

const isSafeMethod = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** The value of a cookie (RFC 6265, 5.4). */
function cookieIn(header: string | undefined, name: string): string | undefined {
  const pair = header?.split(';').find((text) => text.trimStart().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}

const bearerIn = (header: string | undefined): string | undefined => /^Bearer ([\w-]+)$/i.exec(header ?? '')?.[1];

/**
 * People, sessions and tokens. All of them are in memory, so that `identify` needs no store; a change is on disk before it is effective.
 */
export class AccessControl implements Service {
  readonly name = 'access control';
  /** The leader identifies itself with it to its own node. It is made at each start and never stored. */
  readonly ownSecret = newSecret();
  readonly cookieName: string;
  readonly #ownHash = secretHash(this.ownSecret);
  readonly #context: AccessControlOptions['context'];
  readonly passwords: PasswordHashing;
  readonly #unitOf: AccessControlOptions['unitOf'];
  readonly #trustsLoopback: boolean;
  readonly #isReadOnly: boolean;
  readonly #attempts: SignInAttempts;
  readonly #acting: ActingPeople;
  /** Changes of people, one after the other: each check sees the result of the one before. */
  readonly #changes = new Lane(1);
  readonly #people = new Map<string, PersonRecord>();
  readonly #firstPersonListeners: (() => void)[] = [];
  /** By the hash of their secret. */
  readonly #sessions = new Map<string, SessionRecord>();
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #listeners: (() => void)[] = [];

  constructor({
    context,
    cookieSuffix,
    unitOf,
    trustsLoopback = true,
    readOnly = false,
    cost = passwordCost,
  }: AccessControlOptions) {
    this.#context = context;
    this.#unitOf = unitOf;
    this.passwords = new PasswordHashing(cost);
    this.#acting = new ActingPeople(context.wire);
    this.#trustsLoopback = trustsLoopback;
    this.#isReadOnly = readOnly;
    this.cookieName = `lcs_session_${cookieSuffix}`;
    this.#attempts = new SignInAttempts(context.wire);
  }

  async start(): Promise<void> {
    const { read } = this.#context.database;
    for (const person of await readPeople(read)) this.#people.set(person.id, person);
    for (const session of await readSessions(read)) this.#sessions.set(session.secretHash, session);
    for (const token of await readTokens(read)) this.#tokens.set(token.secretHash, token);
  }

  async stop(): Promise<void> {}

  /**
   * Who sent a request; reads memory only.
   * @throws ApiError csrf_token_wrong, pin_entry_ended
   */
  readonly identify = (request: RequestHead, origin?: RequestOrigin): Caller => {
    const bearer = bearerIn(request.headers.authorization);
    const secret = this.#sessionSecret(request.headers.cookie, origin?.isSecure);
    if (bearer !== undefined)
      return (
        this.#ofBearer(bearer, request.headers) ??
        this.#unitOf?.(bearer, request, origin) ??
        this.#ofUnknown(request, origin)
      );
    const csrfToken = request.headers['x-csrf-token'];
    const caller = secret === undefined ? undefined : this.#ofSession(secret, csrfToken);
    if (secret === undefined || caller === undefined) return this.#ofUnknown(request, origin);
    const isActing = caller.kind === 'person' && caller.tablet !== undefined;
    if (!isSafeMethod(request.method) && !isActing && csrfToken !== csrfTokenOf(secret))
      throw new CallerRefusal(caller);
    return caller;
  };

  /** The session that a cookie header names. */
  signedIn(cookieHeader: string | undefined, csrfToken?: RequestHead['headers'][string]): SignedIn | undefined {
    const secret = this.#sessionSecret(cookieHeader, false);
    return secret === undefined ? undefined : this.#signedIn(secret, csrfToken);
  }

  /** Calls `listener` whenever somebody may do something else than before: after changes of people, sessions and tokens. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether somebody has an account: then nobody is trusted because of the machine they work on. */
  get hasPeople(): boolean {
    return this.#people.size > 0;
  }

  /** The header that gives a browser a session; `maxAgeS` 0 ends it. */
  cookie(secret: string, isSecure: boolean, maxAgeS?: number): string {
    const lifetime = maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`;
    const name = isSecure ? securePrefix + this.cookieName : this.cookieName;
    return `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${lifetime}`;
  }

  /** The holder of a token, or the leader with its own secret. Reads memory only. */
  bearer(secret: string): Caller | undefined {
    return this.#ofBearer(secret);
  }

  /**
   * What somebody who was identified before may do at this moment; undefined: their session has ended, or their token is no longer valid.
   * Does not count as a use. Reads memory only.
   */
  current({ kind, id }: Pick<Caller, 'kind' | 'id'>): Caller | undefined {
    switch (kind) {
      case 'person':
      case 'tablet':
        return this.#sessionCaller(this.#byId(this.#sessions, id));
      case 'token':
        return this.#tokenCaller(this.#byId(this.#tokens, id));
      case 'leader':
        return leaderCaller;
      case 'local':
        // Whoever opened the Unix socket is trusted with people, too.
        return id === socketCaller.id
          ? this.#trusted(socketCaller)
          : this.hasPeople
            ? undefined
            : this.#trusted(localCaller);
      default:
        return undefined;
    }
  }

  get people(): readonly PersonRecord[] {
    return [...this.#people.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  }

  person(id: string): PersonRecord | undefined {
    return this.#people.get(id);
  }

  /** Of one person, or of all; the newest first. */
  sessions(personId?: string): readonly SessionRecord[] {
    return [...this.#sessions.values()]
      .filter((session) => this.#isLive(session) && (personId === undefined || session.personId === personId))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Of one person, or of all; the newest first. */
  tokens(personId?: string): readonly TokenRecord[] {
    return [...this.#tokens.values()]
      .filter((token) => personId === undefined || token.personId === personId)
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Calls `listener` once the first person exists; it must not throw. */
  onFirstPerson(listener: () => void): void {
    this.#firstPersonListeners.push(listener);
  }

  /** @throws ApiError person_name_taken, password_unsuitable, first_person_not_administrator */
  createPerson(creation: PersonCreation): Promise<PersonRecord> {
    return this.#createPerson(creation, () => this.#refuseTakenName(creation.name));
  }

  /** @throws ApiError setup_done, password_unsuitable */
  createFirstPerson(creation: PersonCreation): Promise<PersonRecord> {
    return this.#createPerson(creation, () => {
      if (this.hasPeople) throw new ApiError('setup_done', {});
    });
  }

  /** @param check before the password is hashed, and once more before the person is stored */
  async #createPerson(
    { name, display_name, role, password }: PersonCreation,
    check: () => void,
  ): Promise<PersonRecord> {
    check();
    if (this.#people.size === 0 && role !== 'administrator') throw new ApiError('first_person_not_administrator', {});
    checkPassword(password, name, 'password');
    const person: PersonRecord = {
      id: this.#context.newId(),
      name,
      displayName: display_name ?? name,
      role,
      passwordHash: await this.passwords.hash(password),
      pinHash: null,
      createdAt: this.#context.clock.now(),
      disabledAt: null,
      lastSeenAt: null,
    };
    await this.#change(async (transaction, effects) => {
      // The hash took its time: another request may have created a person.
      check();
      await writePerson(transaction, person);
      effects.afterCommit(() => {
        this.#people.set(person.id, person);
        this.#changed();
        if (this.#people.size === 1) for (const listener of this.#firstPersonListeners) listener();
      });
    });
    return person;
  }

  /**
   * Creates a person who signs in elsewhere, and has no password.
   * @param alongside happens in the same transaction
   */
  async createAccountPerson(
    { nameFor, displayName, role }: AccountPerson,
    alongside: (transaction: LeaderTransaction, personId: string) => Promise<void>,
  ): Promise<PersonRecord> {
    return this.#change(async (transaction, effects) => {
      const person: PersonRecord = {
        id: this.#context.newId(),
        name: nameFor((name) => this.#isTakenName(name)),
        displayName,
        role,
        passwordHash: this.passwords.noPassword,
        pinHash: null,
        createdAt: this.#context.clock.now(),
        disabledAt: null,
        lastSeenAt: null,
      };
      await writePerson(transaction, person);
      await alongside(transaction, person.id);
      effects.afterCommit(() => {
        this.#people.set(person.id, person);
        this.#changed();
      });
      return person;
    });
  }

  /** @throws ApiError person_not_found, password_unsuitable, last_administrator */
  async updatePerson(id: string, change: PersonChange): Promise<PersonRecord> {
    const { name } = this.#known(id);
    const { password } = change;
    if (password !== undefined) checkPassword(password, name, 'password');
    const passwordHash = password === undefined ? undefined : await this.passwords.hash(password);
    return this.#change(async (transaction, effects) => {
      const before = this.#known(id);
      const changed = {
        ...applied(before, change, this.#context.clock.now()),
        // Whoever knew the password may have set the PIN.
        ...(passwordHash && { passwordHash, pinHash: null }),
      };
      this.#refuseWithoutAdministrator(changed);
      await writePerson(transaction, changed);
      const endsSessions = passwordHash !== undefined || changed.disabledAt !== null;
      if (endsSessions)
        await transaction.deleteFrom('sessions').where('person_id', '=', id).where('tablet', 'is', null).execute();
      effects.afterCommit(() => {
        this.#people.set(id, changed);
        if (endsSessions) this.#forget(this.#sessions, ({ personId, tablet }) => personId === id && tablet === null);
        this.#changed();
      });
      return changed;
    });
  }

  /** @throws ApiError person_not_found, last_administrator */
  async deletePerson(id: string): Promise<void> {
    await this.#change(async (transaction, effects) => {
      this.#refuseWithoutAdministrator({ ...this.#known(id), role: 'viewer' });
      await transaction.deleteFrom('people').where('id', '=', id).execute();
      effects.afterCommit(() => {
        this.#people.delete(id);
        this.#forget(this.#sessions, (session) => session.personId === id);
        this.#forget(this.#tokens, (token) => token.personId === id);
        this.#changed();
      });
    });
  }

  /**
   * Starts a session.
   * @throws ApiError sign_in_failed, sign_in_delayed
   */
  async signIn(name: string, password: string, origin: SignInOrigin): Promise<SignedIn> {
    const person = await this.#checkedPerson(name, password, origin.address);
    return this.startSession(person.id, origin, () => {
      this.#expectSamePassword(person);
    });
  }

  /** The person with this ID, whose password was sent. @throws ApiError sign_in_failed, sign_in_delayed */
  confirmPassword(personId: string, password: string, address: string): Promise<PersonRecord> {
    return this.#checkedPerson(this.#known(personId).name, password, address);
  }

  /**
   * Starts a session of a person whose identity was checked.
   * @param alongside happens in the same transaction, before the session exists
   * @throws ApiError sign_in_failed: there is no such person, or they were disabled
   */
  async startSession(
    personId: string,
    { address, userAgent }: SignInOrigin,
    alongside: (transaction: LeaderTransaction, effects: Effects) => Promise<void> | void,
  ): Promise<SignedIn> {
    const { session, secret } = this.#newSession(personId, null, { address, userAgent });
    const now = session.createdAt;
    await this.#change(async (transaction, effects) => {
      const known = this.#activePerson(personId);
      if (known === undefined) throw new ApiError('sign_in_failed', {});
      await alongside(transaction, effects);
      await deleteEndedSessions(transaction, now);
      await insertSession(transaction, session);
      await writePerson(transaction, { ...known, lastSeenAt: now });
      effects.afterCommit(() => {
        this.#forget(this.#sessions, (one) => !this.#isLive(one));
        this.#sessions.set(session.secretHash, session);
        this.#people.set(personId, { ...this.#known(personId), lastSeenAt: now });
      });
    });
    const signedIn = this.#signedIn(secret);
    // The person was disabled in the same moment.
    if (signedIn === undefined) throw new ApiError('sign_in_failed', {});
    return signedIn;
  }

  /**
   * Changes a person's own password and ends their other sessions.
   * @throws ApiError sign_in_failed, sign_in_delayed, password_unsuitable
   */
  async changePassword(caller: Caller, password: string, newPassword: string, address: string): Promise<void> {
    const confirmed = await this.confirmPassword(caller.personId, password, address);
    const { id, name } = confirmed;
    checkPassword(newPassword, name, 'new_password');
    const passwordHash = await this.passwords.hash(newPassword);
    await this.#change(async (transaction, effects) => {
      const changed = { ...this.#expectSamePassword(confirmed), passwordHash };
      await writePerson(transaction, changed);
      await transaction
        .deleteFrom('sessions')
        .where('person_id', '=', id)
        .where('tablet', 'is', null)
        .where('id', '!=', caller.id)
        .execute();
      effects.afterCommit(() => {
        this.#people.set(id, changed);
        this.#forget(this.#sessions, (one) => one.personId === id && one.tablet === null && one.id !== caller.id);
        this.#changed();
      });
    });
  }

  /** Stores the hash of the PIN of a person who has confirmed it with the password. @throws ApiError sign_in_failed */
  setPin(confirmed: PersonRecord, pinHash: string): Promise<void> {
    return this.#storePin(confirmed.id, pinHash, () => this.#expectSamePassword(confirmed));
  }

  /** @throws ApiError person_not_found */
  deletePin(personId: string): Promise<void> {
    return this.#storePin(personId, null, () => this.#known(personId));
  }

  /** @param known the person at the moment of the change */
  async #storePin(personId: string, pinHash: string | null, known: () => PersonRecord): Promise<void> {
    await this.#change(async (transaction, effects) => {
      const changed = { ...known(), pinHash };
      await writePerson(transaction, changed);
      effects.afterCommit(() => this.#people.set(personId, changed));
    });
  }

  /**
   * Makes the device of an administrator a shared tablet: its session ends, and one of the tablet starts.
   * @throws ApiError person_needed
   */
  async startTablet(caller: Caller, tablet: string, origin: SignInOrigin): Promise<SignedIn> {
    const { session, secret } = this.#newSession(caller.personId, tablet.trim(), origin);
    await this.#change(async (transaction, effects) => {
      if (this.#activePerson(caller.personId) === undefined) throw new ApiError('person_needed', {});
      await transaction.deleteFrom('sessions').where('id', '=', caller.id).execute();
      await insertSession(transaction, session);
      effects.afterCommit(() => {
        this.#forget(this.#sessions, ({ id }) => id === caller.id);
        this.#sessions.set(session.secretHash, session);
        this.#changed();
      });
    });
    const signedIn = this.#signedIn(secret);
    if (signedIn === undefined) throw new ApiError('person_needed', {});
    return signedIn;
  }

  /** Lets a person whose PIN was checked act at a tablet. @throws ApiError pin_wrong */
  actAtTablet(sessionId: string, personId: string): SignedIn {
    const { csrfToken } = this.#acting.begin(sessionId, personId);
    const session = this.#byId(this.#sessions, sessionId);
    const caller = this.#sessionCaller(session, csrfToken);
    if (caller?.kind !== 'person') throw new ApiError('pin_wrong', {});
    return { secret: '', caller, csrfToken, expiresAt: this.#context.clock.now() + actingMs };
  }

  endActing(sessionId: string): void {
    this.#acting.end(sessionId);
  }

  /** Ends a session, of one person if `personId` is given. @throws ApiError person_session_not_found */
  async endSession(id: string, personId?: string): Promise<void> {
    const session = this.sessions(personId).find((one) => one.id === id);
    if (session === undefined) throw new ApiError('person_session_not_found', { session: id });
    // First in memory: an ended session must not work for a moment longer, whatever the disk does.
    this.#sessions.delete(session.secretHash);
    this.#changed();
    await this.#context.change((transaction) => transaction.deleteFrom('sessions').where('id', '=', id).execute());
  }

  /**
   * Makes a token; resolves to it and to its secret.
   * @throws ApiError person_name_taken, token_permission_missing
   */
  async createToken(
    caller: Caller,
    { name, permissions, days, experiments, units }: TokenCreation,
  ): Promise<{ readonly token: TokenRecord; readonly secret: string }> {
    // Records name a program by its token: it must not pass for another person.
    if (isReservedName(name.trim())) throw new ApiError('person_name_taken', { name, isReserved: true });
    const namesake = this.#personNamed(name.trim());
    if (namesake !== undefined && namesake.id !== caller.personId) throw new ApiError('person_name_taken', { name });
    const missing = permissions.find((permission) => ![...caller.permissions].some((own) => own === permission));
    if (missing !== undefined) throw new ApiError('token_permission_missing', { permission: missing });
    const secret = newSecret();
    const now = this.#context.clock.now();
    const token: TokenRecord = {
      id: this.#context.newId(),
      personId: caller.personId,
      name,
      secretHash: secretHash(secret),
      mosquittoHash: await mosquittoPassword(secret, 'secret'),
      permissions: [...caller.permissions].filter((permission) => permissions.includes(permission)),
      experiments,
      units,
      createdAt: now,
      expiresAt: now + days * dayMs,
      lastUsedAt: null,
    };
    await this.#context.change(async (transaction, effects) => {
      await insertToken(transaction, token);
      effects.afterCommit(() => this.#tokens.set(token.secretHash, token));
    });
    return { token, secret };
  }

  /** Revokes a token, of one person if `personId` is given. @throws ApiError token_not_found */
  async revokeToken(id: string, personId?: string): Promise<void> {
    const token = this.tokens(personId).find((one) => one.id === id);
    if (token === undefined) throw new ApiError('token_not_found', { token: id });
    this.#tokens.delete(token.secretHash);
    this.#changed();
    await this.#context.change((transaction) => transaction.deleteFrom('tokens').where('id', '=', id).execute());
  }

  /** A caller without valid credentials. */
  #ofUnknown(request: RequestHead, origin: RequestOrigin | undefined): Caller {
    // Whoever can open the socket can also read and change the data folder.
    if (origin?.isUnixSocket) return this.#trusted(socketCaller);
    if (this.hasPeople) return anonymousCaller;
    return this.#trustsLoopback && isFromThisMachine(request) ? this.#trusted(localCaller) : strangerBeforeSetUp;
  }

  /** A caller of this machine, who may do everything unless the leader is read-only. */
  #trusted(caller: Caller): Caller {
    return this.#isReadOnly ? { ...caller, permissions: rolePermissions.viewer } : caller;
  }

  /**
   * Over TLS only the cookie with the prefix counts, which other sites of the same host name cannot set. Without TLS are the requests of the
   * leader to itself, too: those of a tool have the cookie of the caller.
   */
  #sessionSecret(header: string | undefined, isSecure = false): string | undefined {
    const secure = cookieIn(header, securePrefix + this.cookieName);
    return secure ?? (isSecure ? undefined : cookieIn(header, this.cookieName));
  }

  #ofBearer(secret: string, headers: RequestHead['headers'] = {}): Caller | undefined {
    const hash = secretHash(secret);
    if (hash === this.#ownHash) return leaderActingFor(accountOfRequest(headers));
    const token = this.#tokens.get(hash);
    const caller = this.#tokenCaller(token);
    if (token !== undefined && caller !== undefined) this.#useToken(token);
    return caller;
  }

  #tokenCaller(token: TokenRecord | undefined): Caller | undefined {
    const maker = token && this.#activePerson(token.personId);
    if (token === undefined || maker === undefined || token.expiresAt <= this.#context.clock.now()) return undefined;
    const allowed = rolePermissions[maker.role];
    const permissions = new Set([...publicPermissions, ...token.permissions.filter((one) => allowed.has(one))]);
    const limits = limitsOf(token);
    return {
      kind: 'token',
      id: token.id,
      personId: maker.id,
      name: token.name,
      permissions,
      ...(limits && { limits }),
    };
  }

  #newSession(
    personId: string,
    tablet: string | null,
    { address, userAgent }: SignInOrigin,
  ): { readonly session: SessionRecord; readonly secret: string } {
    const secret = newSecret();
    const now = this.#context.clock.now();
    const session: SessionRecord = {
      id: this.#context.newId(),
      personId,
      tablet,
      secretHash: secretHash(secret),
      createdAt: now,
      lastSeenAt: now,
      address,
      userAgent: userAgent.slice(0, 200),
    };
    return { session, secret };
  }

  #signedIn(secret: string, csrfToken?: RequestHead['headers'][string]): SignedIn | undefined {
    const session = this.#liveSession(secretHash(secret));
    const caller = this.#ofSession(secret, csrfToken);
    if (session === undefined || caller === undefined) return undefined;
    const acting = this.#acting.at(session.id, csrfToken);
    if (acting !== undefined) {
      const leftMs = acting.endsMs - this.#context.wire.monotonic();
      return { secret, caller, csrfToken: acting.csrfToken, expiresAt: this.#context.clock.now() + leftMs };
    }
    return { secret, caller, csrfToken: csrfTokenOf(secret), expiresAt: expiryOf(session) };
  }

  #ofSession(secret: string, csrfToken: RequestHead['headers'][string]): Caller | undefined {
    const session = this.#liveSession(secretHash(secret));
    const caller = this.#sessionCaller(session, csrfToken);
    if (session !== undefined && caller !== undefined) this.#useSession(session);
    return caller;
  }

  #sessionCaller(session: SessionRecord | undefined, csrfToken?: RequestHead['headers'][string]): Caller | undefined {
    if (session === undefined || !this.#isLive(session)) return undefined;
    const person = this.#activePerson(session.personId);
    if (person === undefined) return undefined;
    const { id, tablet } = session;
    if (tablet !== null) return this.#tabletCaller(id, tablet, csrfToken);
    return { kind: 'person', id, personId: person.id, name: person.name, permissions: rolePermissions[person.role] };
  }

  /** A shared tablet reads; whoever has entered a PIN acts with the permissions that an operator has, too. */
  #tabletCaller(id: string, tablet: string, csrfToken: RequestHead['headers'][string]): Caller {
    const acting = this.#acting.at(id, csrfToken);
    const person = acting && this.#activePerson(acting.personId);
    if (person === undefined)
      return { kind: 'tablet', id, personId: '', name: tablet, permissions: rolePermissions.viewer, tablet };
    return {
      kind: 'person',
      id,
      personId: person.id,
      name: person.name,
      permissions: rolePermissions[person.role].intersection(atTablets),
      tablet,
    };
  }

  #byId<Value extends { readonly id: string }>(records: ReadonlyMap<string, Value>, id: string): Value | undefined {
    for (const record of records.values()) if (record.id === id) return record;
    return undefined;
  }

  /** The person with this name and password. @throws ApiError sign_in_failed, sign_in_delayed */
  async #checkedPerson(name: string, password: string, address: string): Promise<PersonRecord> {
    // The check waits for its turn too: of many attempts at once each sees the failures before it.
    return this.passwords.check(async (isPasswordOf) => {
      this.#attempts.check(name, address);
      const person = this.#personNamed(name);
      const isRight = await isPasswordOf(password, person?.passwordHash);
      if (person === undefined || person.disabledAt !== null || !isRight) {
        this.#attempts.failed(name, address);
        throw new ApiError('sign_in_failed', {});
      }
      this.#attempts.succeeded(name);
      return person;
    });
  }

  #change<Result>(work: (transaction: LeaderTransaction, effects: Effects) => Promise<Result>): Promise<Result> {
    return this.#changes.run(() => this.#context.change(work));
  }

  #activePerson(id: string): PersonRecord | undefined {
    const person = this.#people.get(id);
    return person?.disabledAt === null ? person : undefined;
  }

  #isLive = (session: SessionRecord): boolean => this.#context.clock.now() < expiryOf(session);

  #liveSession(hash: string): SessionRecord | undefined {
    const session = this.#sessions.get(hash);
    return session !== undefined && this.#isLive(session) ? session : undefined;
  }

  /** @throws ApiError person_not_found */
  #known(id: string): PersonRecord {
    const person = this.#people.get(id);
    if (person === undefined) throw new ApiError('person_not_found', { person: id });
    return person;
  }

  /**
   * The person as of now. Between a check of the password and the change that it allows, an administrator may have set another one.
   * @throws ApiError person_not_found, sign_in_failed
   */
  #expectSamePassword({ id, passwordHash }: PersonRecord): PersonRecord {
    const now = this.#known(id);
    if (now.passwordHash !== passwordHash) throw new ApiError('sign_in_failed', {});
    return now;
  }

  #isTakenName(name: string): boolean {
    return isReservedName(name) || this.#personNamed(name) !== undefined;
  }

  #personNamed(name: string): PersonRecord | undefined {
    return this.people.find((person) => person.name.toLowerCase() === name.toLowerCase());
  }

  #refuseTakenName(name: string): void {
    if (isReservedName(name)) throw new ApiError('person_name_taken', { name, isReserved: true });
    if (this.#isTakenName(name)) throw new ApiError('person_name_taken', { name });
  }

  #refuseWithoutAdministrator(changed: {
    readonly id: string;
    readonly role: Role;
    readonly disabledAt: number | null;
  }): void {
    const after = this.people.map((person) => (person.id === changed.id ? changed : person));
    const isManaged = after.some(({ role, disabledAt }) => role === 'administrator' && disabledAt === null);
    if (!isManaged) throw new ApiError('last_administrator', {});
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #forget<Value>(records: Map<string, Value>, isMeant: (record: Value) => boolean): void {
    for (const [key, record] of records) if (isMeant(record)) records.delete(key);
  }

  #useSession(session: SessionRecord): void {
    const now = this.#context.clock.now();
    if (now - session.lastSeenAt < storeUseEveryMs) return;
    this.#sessions.set(session.secretHash, { ...session, lastSeenAt: now });
    this.#storeUse((transaction) => storeSessionUse(transaction, session.id, now));
  }

  #useToken(token: TokenRecord): void {
    const now = this.#context.clock.now();
    if (token.lastUsedAt !== null && now - token.lastUsedAt < storeUseEveryMs) return;
    this.#tokens.set(token.secretHash, { ...token, lastUsedAt: now });
    this.#storeUse((transaction) => storeTokenUse(transaction, token.id, now));
  }

  #storeUse(store: (transaction: LeaderTransaction) => Promise<void>): void {
    this.#context.change(store).catch((error: unknown) => {
      this.#context.log.warn('The use of a session or token was not stored', { error: String(error) });
    });
  }
}

function limitsOf({ experiments, units }: TokenRecord): CallerLimits | undefined {
  if (experiments === undefined && units === undefined) return undefined;
  return { experiments: experiments && new Set(experiments), units: units && new Set(units) };
}

const applied = (
  before: PersonRecord,
  { display_name, role, is_disabled }: PersonChange,
  now: number,
): PersonRecord => ({
  ...before,
  ...(display_name !== undefined && { displayName: display_name }),
  ...(role !== undefined && { role }),
  ...(is_disabled !== undefined && { disabledAt: is_disabled ? (before.disabledAt ?? now) : null }),
});
