import { Session } from '../resources/access.ts';
import { IdentityProvider, OidcSignIn, OidcSignInStart } from '../resources/identity-provider.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';
import { ofSession } from './shared-access.ts';

const path = '/api/session/oidc';

/** The sign-in with the accounts of an institution (OpenID Connect, authorization code with PKCE). */
export const identityProviderRoutes = routes({
  getIdentityProvider: {
    ...ofSession,
    method: 'GET',
    path,
    summary: 'The OpenID provider, if one is configured',
    responses: ok(IdentityProvider),
    errors: [],
  },
  startOidcSignIn: {
    ...ofSession,
    method: 'POST',
    path: `${path}/start`,
    summary: 'Begin a sign-in with the OpenID provider',
    description:
      'The person opens the address, signs in there, and returns to `/sign-in` of the host of this request, within ten minutes.',
    responses: ok(OidcSignInStart),
    errors: ['oidc_not_configured', 'oidc_unavailable'],
  },
  signInWithOidc: {
    ...ofSession,
    method: 'POST',
    path,
    summary: 'End a sign-in with the OpenID provider',
    description:
      'Sets the session cookie. At the first sign-in of an account the leader creates a person; it never takes over one that exists.',
    body: OidcSignIn,
    responses: ok(Session),
    errors: ['oidc_not_configured', 'oidc_unavailable', 'oidc_refused', 'oidc_person_not_allowed', 'sign_in_failed'],
  },
});
