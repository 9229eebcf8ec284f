import { type Permission, permissions } from './permissions.ts';

/**
 * What a caller is:
 * - `local`: whoever works on the machine of the leader, through its Unix socket, or while no person exists;
 * - `leader`: the leader itself, with a request to its own node;
 * - `person`: somebody with a session, or at a shared tablet with their PIN;
 * - `tablet`: a shared tablet while nobody has entered a PIN;
 * - `token`: a program with a token;
 * - `unit`: a machine with the credentials of a unit;
 * - `anonymous`: everybody else.
 */
export type CallerKind = 'local' | 'leader' | 'person' | 'tablet' | 'token' | 'unit' | 'anonymous';

/** What a token may touch. Undefined: everything of that kind. */
export interface CallerLimits {
  readonly experiments: ReadonlySet<string> | undefined;
  readonly units: ReadonlySet<string> | undefined;
}

/** Who sent a request. The server determines it before it looks at anything else of the request. */
export interface Caller {
  readonly kind: CallerKind;
  /** ID of the session, token or machine; empty for other kinds. */
  readonly id: string;
  /** The person, or the person who made the token; empty for other kinds. */
  readonly personId: string;
  /** For people to read. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Of an anonymous caller: the leader has no person yet, and its first one must be created. */
  readonly needsSetUp?: true;
  /** Of the leader: the name of the person or program for whom it acts, if there is one. */
  readonly actsFor?: string;
  /** Name of the shared tablet that sent the request. Undefined: another device. */
  readonly tablet?: string;
  /** Of a token; undefined: none. */
  readonly limits?: CallerLimits;
}

const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name);

/** Every permission that a route can require. */
export const allPermissions: ReadonlySet<Permission> = new Set(Object.keys(permissions).filter(isPermission));

/** Whoever works on the machine itself. */
export const localCaller: Caller = { kind: 'local', id: '', personId: '', name: 'local', permissions: allPermissions };

/** In `job_source`, and where records name who acted: nobody was signed in. It is the default of the specification, and no person. */
export const sourceWithoutAccount = 'user';

/** What records have in place of an account, in lower case: the programs from which requests come, and callers without an account. */
export const wordsInPlaceOfAccounts: ReadonlySet<string> = new Set([
  sourceWithoutAccount,
  'ui',
  'cli',
  'mqtt',
  'http',
  localCaller.name,
  'anonymous',
]);

/** Whether an account with this name could pass for nobody in records, or nobody for it. */
export const isReservedName = (name: string): boolean => wordsInPlaceOfAccounts.has(name.toLowerCase());

/** Whether the caller is somebody with an account: a person, or a program with a token. */
export const hasAccount = ({ kind }: Pick<Caller, 'kind'>): boolean => kind === 'person' || kind === 'token';

/** The name of the account of a caller, or of the one for whom the leader acts; null: none. */
export const accountOf = (caller: Pick<Caller, 'kind' | 'name' | 'actsFor'>): string | null =>
  hasAccount(caller) ? caller.name : (caller.actsFor ?? null);

/** The name to record for who did something: that of the account, or what the request contains where there are none. */
export const authorOf = (caller: Pick<Caller, 'kind' | 'name' | 'actsFor'>, sent?: string | null): string | null =>
  accountOf(caller) ?? (sent?.trim() || null);
