import { isIP } from 'node:net';
import { ApiError } from '@lcs/contract';

/** For whom a passkey is made (WebAuthn level 3, section 4): a host name, and the origins of pages that may use it. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
}

/**
 * The relying party of a request, from its Host header; the server has compared it with its own names before. Pages without TLS may use
 * passkeys on the machine itself only; browsers refuse others as well.
 * @throws ApiError passkeys_unavailable: the host is an IP address, which browsers do not accept
 */
export function relyingPartyOf(host = ''): RelyingParty {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (name === '' || name.startsWith('[') || isIP(name) !== 0) throw new ApiError('passkeys_unavailable', { host });
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  const secure = `https://${host.toLowerCase()}`;
  return { id: name, origins: isLocal ? [secure, `http://${host.toLowerCase()}`] : [secure] };
}
