import { define } from './error-definition.ts';

/** Sign-in, people, sessions, tokens and permissions. */
export const accessErrors = {
  setup_needed: define(403, () => ({
    error: 'This leader is not set up yet.',
    cause: 'It has no person, and only somebody at its machine may create the first one.',
    remediation:
      'Open /setup with the code that the leader shows in its terminal, or run lcs people add on its machine.',
  })),
  setup_done: define(409, () => ({
    error: 'This leader is set up already.',
    cause: 'Its first person exists.',
    remediation: 'Sign in. An administrator can create further people.',
  })),
  setup_code_wrong: define(403, () => ({
    error: 'The set-up code is wrong.',
    cause: 'The leader draws a new code at each start.',
    remediation: 'Enter the code that the leader shows in its terminal and in its log.',
    field: 'code',
  })),
  not_signed_in: define<{ cause: string }>(401, ({ cause }) => ({
    error: 'Not signed in.',
    cause,
    remediation: 'Sign in, or send a valid token.',
  })),
  operation_unknown: define<{ operation: string }>(404, ({ operation }) => ({
    error: `There is no operation '${operation}'.`,
    cause: 'It is the operation ID of no route of the leader.',
    remediation: 'GET /api/openapi.json contains the operation IDs.',
  })),
  not_allowed: define<{ permission: string }>(403, ({ permission }) => ({
    error: 'This is not allowed.',
    cause: `The permission ${permission} is missing.`,
    remediation: 'Ask an administrator for a role with this permission, or use another account.',
  })),
  csrf_token_wrong: define(403, () => ({
    error: 'The request has no valid CSRF token.',
    cause: 'A change in a session needs the header x-csrf-token with the token of this session.',
    remediation: 'In a browser: load the page again. Programs: send the csrf_token of GET /api/session.',
  })),
  not_a_member: define<{ experiment: string; unit?: string }>(403, ({ experiment, unit }) => ({
    error: `The experiment ${experiment} is protected.`,
    cause:
      unit === undefined
        ? 'Only its owner, its members and administrators act on it. Stopping jobs is always allowed.'
        : `${unit} works on it. Only its owner, its members and administrators act on its units. Stopping jobs is always allowed.`,
    remediation: 'Ask its owner or an administrator to add you to its members.',
  })),
  not_owner: define<{ experiment: string }>(403, ({ experiment }) => ({
    error: `The members of ${experiment} cannot be changed with this account.`,
    cause: 'Only its owner and administrators change who may act on it.',
    remediation: 'Ask its owner or an administrator.',
  })),
  member_unknown: define<{ name: string; field: string }>(400, ({ name, field }) => ({
    error: `There is no person ${name}.`,
    cause: 'Owners and members are people of this leader, by their names.',
    remediation: 'List the people with GET /api/people.',
    field,
  })),
  outside_token_limits: define<{ cause: string }>(403, ({ cause }) => ({
    error: 'This is outside the limits of the token.',
    cause,
    remediation: 'Use a token without limits, or with limits that contain the experiment and the unit.',
  })),
  reason_missing: define(400, () => ({
    error: 'The reason is missing.',
    cause: 'The audit records why a person does this, and the request states no reason.',
    remediation: 'Send the reason in the header x-reason, as percent-encoded UTF-8.',
    field: 'x-reason',
  })),
  sign_in_failed: define(401, () => ({
    error: 'Name or password is wrong.',
    cause: 'No person who may sign in has this name and this password.',
    remediation: 'Check both. An administrator can set a new password.',
  })),
  sign_in_delayed: define<{ retryAfterS: number }>(429, ({ retryAfterS }) => ({
    error: 'Too many failed sign-ins.',
    cause: 'The last sign-ins with this name or from this address failed.',
    remediation: `Wait ${retryAfterS} s, then try again.`,
  })),
  password_unsuitable: define<{ cause: string; field: string }>(400, ({ cause, field }) => ({
    error: 'The password is not suitable.',
    cause,
    remediation: 'Choose another password: a few words that only you know are good.',
    field,
  })),
  person_name_taken: define<{ name: string; isReserved?: true }>(409, ({ name, isReserved }) => ({
    error: `The name ${name} is taken.`,
    cause: isReserved
      ? 'Records have it where nobody is signed in.'
      : 'Another person has it; upper and lower case count as the same.',
    remediation: 'Choose another name.',
    field: 'name',
  })),
  person_not_found: define<{ person: string }>(404, ({ person }) => ({
    error: `There is no person ${person}.`,
    cause: 'Nobody has this ID.',
    remediation: 'List the people with GET /api/people.',
  })),
  last_administrator: define(409, () => ({
    error: 'This is the last administrator.',
    cause: 'Without an administrator nobody could manage people.',
    remediation: 'Make another person an administrator first.',
  })),
  first_person_not_administrator: define(409, () => ({
    error: 'The first person must be an administrator.',
    cause: 'With the first person every request needs a sign-in, and somebody must be able to manage people.',
    remediation: 'Create an administrator first.',
    field: 'role',
  })),
  person_session_not_found: define<{ session: string }>(404, ({ session }) => ({
    error: `There is no session ${session}.`,
    cause: 'It has ended, or it never existed.',
    remediation: 'List the sessions with GET /api/sessions.',
  })),
  token_not_found: define<{ token: string }>(404, ({ token }) => ({
    error: `There is no token ${token}.`,
    cause: 'It was revoked, or it never existed.',
    remediation: 'List the tokens with GET /api/tokens.',
  })),
  token_permission_missing: define<{ permission: string }>(403, ({ permission }) => ({
    error: `A token of yours cannot have the permission ${permission}.`,
    cause: 'You do not have it, or it does not exist. A token has a subset of the permissions of its maker.',
    remediation: 'Leave it out.',
    field: 'permissions',
  })),
  person_needed: define(409, () => ({
    error: 'Only a person can do this.',
    cause: 'The request came from a token, a shared tablet, or a leader without people.',
    remediation: 'Create a person and sign in.',
  })),
};
