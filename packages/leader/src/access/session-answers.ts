import { ApiError, type Caller, type Session } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { AccessControl, SignedIn, SignInOrigin } from './access-control.ts';
import { sessionLimits } from './session-expiry.ts';

/** The parts of a request that show where a person signs in. */
interface SignInRequest {
  readonly remoteAddress?: string;
  readonly isSecure?: boolean;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const success = { status: 200, body: { status: 'success' } } as const;

export const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join('; ') : header;

export const momentOf = (moment: number | null): string | null => (moment === null ? null : toTimestamp(moment));

export const originOf = ({ remoteAddress = '', headers }: SignInRequest): SignInOrigin => ({
  address: remoteAddress,
  userAgent: textOf(headers['user-agent']) ?? '',
});

/** @throws ApiError person_needed */
export function expectPerson({ kind, tablet }: Caller): void {
  if (kind !== 'person' || tablet !== undefined) throw new ApiError('person_needed', {});
}

/**
 * Whose sessions, tokens and passkeys a caller manages: undefined for everybody's. A token and a shared tablet manage
 * nobody's, not even those of the person who acts.
 */
export function managedBy({ kind, permissions, personId, tablet }: Caller): string | undefined {
  if (permissions.has('people.write')) return undefined;
  return kind === 'person' && tablet === undefined ? personId : '';
}

/** At a shared tablet nobody is an administrator. */
function roleOf(access: AccessControl, { kind, personId, tablet }: Caller): Session['role'] {
  if (kind === 'tablet') return 'viewer';
  const role = access.person(personId)?.role ?? null;
  return tablet !== undefined && role === 'administrator' ? 'operator' : role;
}

export const toSession = (access: AccessControl, caller: Caller, signedIn?: SignedIn): Session => ({
  kind: caller.kind,
  name: caller.name,
  role: roleOf(access, caller),
  permissions: [...caller.permissions].sort(),
  csrf_token: signedIn?.csrfToken ?? null,
  expires_at: signedIn === undefined ? null : toTimestamp(signedIn.expiresAt),
  tablet: caller.tablet ?? null,
});

const cookieAgeS = sessionLimits.tablet.longestMs / 1000;

/** The answer to a sign-in: the session, and its cookie. */
export const sessionAnswer = (access: AccessControl, { isSecure = false }: SignInRequest, signedIn: SignedIn) => ({
  status: 200 as const,
  body: toSession(access, signedIn.caller, signedIn),
  headers: {
    // A tablet keeps its session when its browser restarts.
    'set-cookie': access.cookie(
      signedIn.secret,
      isSecure,
      signedIn.caller.tablet === undefined ? undefined : cookieAgeS,
    ),
  },
});
