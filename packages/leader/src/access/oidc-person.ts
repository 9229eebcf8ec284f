import type { Role } from '@lcs/contract';
import type { OidcAdmission } from './oidc-settings.ts';

/** What an ID token states about a person. */
export type OidcClaims = Readonly<Record<string, unknown>>;

const rolesByRank: readonly Role[] = ['administrator', 'operator', 'viewer'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A role, and whether a group gives it: then the provider decides about it, also later. */
export interface GivenRole {
  readonly role: Role;
  readonly isOfGroup: boolean;
}

/** The role that groups or the domain of the e-mail address give; undefined: the person may not sign in. */
export function roleOfClaims(
  claims: OidcClaims,
  { groupsClaim, groups, allowedDomains, domainRole }: OidcAdmission,
): GivenRole | undefined {
  const claimed = claims[groupsClaim];
  const own = Array.isArray(claimed) ? claimed : [claimed];
  const role = rolesByRank.find((each) => groups[each].some((group) => own.includes(group)));
  if (role !== undefined) return { role, isOfGroup: true };
  // An address that nobody has verified may be of somebody else.
  const domain = claims.email_verified === true ? textOf(claims.email).toLowerCase().split('@').at(-1) : undefined;
  return domain !== undefined && allowedDomains.includes(domain) ? { role: domainRole, isOfGroup: false } : undefined;
}

/** How the provider calls the person. */
export const displayNameOf = (claims: OidcClaims): string =>
  (textOf(claims.name) || textOf(claims.preferred_username) || textOf(claims.email) || textOf(claims.sub)).slice(
    0,
    100,
  );

/** A name for the sign-in list that nobody has: of the account, with a number if it is taken. */
export function freeName(claims: OidcClaims, isTaken: (name: string) => boolean): string {
  const wanted = textOf(claims.preferred_username) || textOf(claims.email) || textOf(claims.name);
  const name =
    wanted
      .replaceAll(/[^A-Za-z0-9_@-]+/g, '.')
      .replaceAll(/^[^A-Za-z0-9]+|\.+$/g, '')
      .slice(0, 58) || 'person';
  for (let number = 2, free = name; ; number += 1) {
    if (!isTaken(free)) return free;
    free = `${name}-${number}`;
  }
}
