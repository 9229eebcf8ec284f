import { define } from './error-definition.ts';

/** Further ways to sign in: passkeys. */
export const signInErrors = {
  passkeys_unavailable: define<{ host: string }>(409, ({ host }) => ({
    error: 'Passkeys do not work at this address.',
    cause: `A passkey belongs to a host name, with HTTPS or on this machine; the request came to ${host}.`,
    remediation: 'Open the web UI under the name of the leader, or under localhost on its own machine.',
  })),
  passkey_refused: define<{ cause: string }>(401, ({ cause }) => ({
    error: 'The passkey was not accepted.',
    cause,
    remediation: 'Try again, or sign in with the password.',
  })),
  passkey_not_found: define<{ passkey: string }>(404, ({ passkey }) => ({
    error: `You have no passkey ${passkey}.`,
    cause: 'It was deleted, or it belongs to another person.',
    remediation: 'List your passkeys with GET /api/passkeys.',
  })),
  too_many_passkeys: define<{ limit: number }>(409, ({ limit }) => ({
    error: `You have ${limit} passkeys.`,
    cause: 'A person has no more than this.',
    remediation: 'Delete one that you no longer use.',
  })),
};
