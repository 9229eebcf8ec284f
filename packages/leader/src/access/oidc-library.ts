import { ApiError } from '@lcs/contract';
import type * as OpenIdClient from 'openid-client';
import type { OidcSettings } from './oidc-settings.ts';

/** The library is loaded when somebody uses the provider. */
export const loadLibrary = () => import('openid-client');

export type OidcLibrary = typeof OpenIdClient;
export type OidcConfiguration = OpenIdClient.Configuration;

const timeoutS = 10;

/** What the provider publishes about itself. Signatures of ID tokens are checked, also on a connection that needs no such check. */
export const discovered = (library: OidcLibrary, settings: OidcSettings): Promise<OidcConfiguration> => {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.protocol === 'http:';
  return library.discovery(issuer, clientId, clientSecret, clientSecret === undefined ? library.None() : undefined, {
    timeout: timeoutS,
    execute: [
      library.enableNonRepudiationChecks,
      // Only on this machine: `isSafeIssuer`.
      ...(isPlain ? [library.allowInsecureRequests] : []),
    ],
  });
};

/** An error of the library, as people see it; its details are in the log. */
export function problemOf(library: OidcLibrary, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof library.AuthorizationResponseError) {
    const cause =
      error.error === 'access_denied'
        ? 'The sign-in was cancelled, or is not allowed there.'
        : `The provider answered ${error.error}.`;
    return new ApiError('oidc_refused', { cause });
  }
  if (error instanceof library.ResponseBodyError)
    return new ApiError('oidc_refused', { cause: `The provider answered ${error.error}.` });
  const code = error instanceof library.ClientError ? error.code : undefined;
  const isAway = code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || isNetworkFailure(error);
  if (isAway) return new ApiError('oidc_unavailable', { cause: 'The connection to it failed.' });
  return new ApiError('oidc_refused', { cause: 'Its answer is not valid.' });
}

/** `fetch` fails with a TypeError when no connection is possible. */
function isNetworkFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof TypeError && cause.message === 'fetch failed') return true;
  return false;
}
