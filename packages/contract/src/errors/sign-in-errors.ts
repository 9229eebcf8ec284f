import { define } from './error-definition.ts';

/** Further ways to sign in: passkeys, and PINs at shared tablets. */
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
  pin_unsuitable: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The PIN is not suitable.',
    cause,
    remediation: 'Choose 4 to 8 digits that others do not guess.',
    field: 'pin',
  })),
  pin_wrong: define(403, () => ({
    error: 'Name or PIN is wrong.',
    cause: 'No person who may sign in has this name and this PIN.',
    remediation: 'Check both. You set your PIN on the page People when you are signed in.',
    field: 'pin',
  })),
  pin_entry_ended: define(403, () => ({
    error: 'The tablet acts for nobody.',
    cause: 'A PIN is valid for one minute, on the page where it was entered.',
    remediation: 'Enter your PIN again.',
  })),
  tablet_needed: define(409, () => ({
    error: 'This device is not a shared tablet.',
    cause: 'PINs work on devices that an administrator has made a shared tablet.',
    remediation: 'Sign in, or make this device a shared tablet on the page People.',
  })),
  oidc_not_configured: define(409, () => ({
    error: 'No OpenID provider is configured.',
    cause: 'leader.ini has no issuer and client_id in [oidc].',
    remediation: 'Sign in with name and password. Whoever runs the leader can configure a provider.',
  })),
  oidc_unavailable: define<{ cause: string }>(503, ({ cause }) => ({
    error: 'The sign-in of the institution does not answer.',
    cause,
    remediation:
      'Try again later, or sign in with name and password. Whoever runs the leader finds details in its log.',
  })),
  oidc_refused: define<{ cause: string }>(401, ({ cause }) => ({
    error: 'The sign-in with the institution failed.',
    cause,
    remediation: 'Begin again on the sign-in page.',
  })),
  oidc_person_not_allowed: define<{ name: string }>(403, ({ name }) => ({
    error: `${name} may not use this leader.`,
    cause: 'The institution knows the account, but none of its groups and no domain of its e-mail address is admitted.',
    remediation: 'Ask an administrator of this leader which groups are admitted.',
  })),
};
