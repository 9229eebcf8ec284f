import type { Handlers, identityProviderRoutes } from '@lcs/contract';
import type { AccessControl } from './access-control.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';
import { originOf, sessionAnswer, textOf } from './session-answers.ts';

/** The sign-in with the accounts of an institution. */
export function oidcHandlers(access: AccessControl, oidc: OidcSignIn): Handlers<typeof identityProviderRoutes> {
  return {
    getIdentityProvider: async () => ({
      status: 200,
      body: { name: access.hasPeople ? ((await oidc.providerName()) ?? null) : null },
    }),
    startOidcSignIn: async ({ headers, isSecure = false }) => {
      // The server has compared the host with its own names.
      const origin = `${isSecure ? 'https' : 'http'}://${(textOf(headers.host) ?? '').toLowerCase()}`;
      return { status: 200, body: await oidc.begin(origin) };
    },
    signInWithOidc: async (request) => {
      const { secret, callback_url } = request.body;
      return sessionAnswer(access, request, await oidc.end(secret, callback_url, originOf(request)));
    },
  };
}
