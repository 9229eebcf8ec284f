import { define } from './error-definition.ts';

/** Errors between a leader and its units: enrolment, feed, desired state. */
export const unitErrors = {
  enrol_code_needed: define(400, () => ({
    error: 'This machine needs a one-time code.',
    cause: 'It is not enrolled with this leader yet, and has shown no key that an administrator could approve.',
    remediation: 'Make a code on the leader with `lcs units code`, and start the unit with it.',
  })),
  enrol_code_wrong: define(400, () => ({
    error: 'The one-time code is not valid.',
    cause: 'It is unknown, used, older than 15 minutes, for another name, or void after five wrong codes.',
    remediation: 'Make a new code on the leader with `lcs units code`.',
  })),
  enrol_proof_wrong: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The machine has not proved its key.',
    cause,
    remediation:
      'Request a new challenge and sign it. If this goes on, a program between unit and leader changes requests.',
  })),
  enrol_approval_needed: define<{ fingerprint: string; retryAfterS: number }>(403, ({ fingerprint }) => ({
    error: 'An administrator has to let this machine join.',
    cause: `It is not enrolled with this leader. Its pairing fingerprint is ${fingerprint}.`,
    remediation:
      'Compare the fingerprint in the web UI under Units, or with `lcs units joins`, and approve it there. Or start the unit with a one-time code.',
  })),
  enrol_refused: define<{ retryAfterS: number }>(403, () => ({
    error: 'An administrator has refused this machine.',
    cause: 'Its request to join was refused less than an hour ago.',
    remediation: 'Ask the administrator, or start the unit with a one-time code.',
  })),
  enrol_code_not_found: define<{ code: string }>(404, ({ code }) => ({
    error: `There is no one-time code with the ID ${code}.`,
    cause: 'It was used, is older than 15 minutes, or is void.',
    remediation: 'List the codes with GET /api/units/enrolment-codes.',
  })),
  enrol_codes_full: define<{ limit: number }>(409, ({ limit }) => ({
    error: 'Too many one-time codes are open.',
    cause: `At most ${limit} can be open at a time.`,
    remediation: 'Use one, void one, or wait 15 minutes.',
  })),
  join_request_not_found: define<{ join: string }>(404, ({ join }) => ({
    error: `There is no request to join with the ID ${join}.`,
    cause: 'The machine has joined, was refused, or has not asked for 30 minutes.',
    remediation: 'List the requests with GET /api/units/join-requests.',
  })),
  unit_revoked: define<{ unit: string }>(403, ({ unit }) => ({
    error: `The credentials of ${unit} are revoked.`,
    cause: 'An administrator has revoked them.',
    remediation: 'Let the machine join again: start it with a one-time code, or approve its request.',
  })),
  unit_without_credentials: define<{ unit: string }>(404, ({ unit }) => ({
    error: `${unit} has no credentials.`,
    cause: 'No machine with this name has enrolled with a key, or its credentials are revoked.',
    remediation: 'List the units with GET /api/units.',
  })),
  base_url_foreign: define<{ host: string }>(400, ({ host }) => ({
    error: 'The base URL belongs to another machine.',
    cause: `The request did not come from ${host}.`,
    remediation: 'Send no base URL, or name the address in [cluster.addresses] of the shared configuration.',
  })),
  unit_name_taken: define<{ unit: string }>(409, ({ unit }) => ({
    error: `The name ${unit} is taken.`,
    cause: 'It is the name of the leader or of another machine.',
    remediation: 'Choose another name, or replace the other machine with `--replace`.',
  })),
  machine_registered: define<{ unit: string }>(409, ({ unit }) => ({
    error: 'This machine has another name already.',
    cause: `It is the worker ${unit}.`,
    remediation: `Start it as ${unit}, or remove ${unit} from the inventory first.`,
  })),
  machine_twice: define<{ unit: string; url: string }>(409, ({ unit, url }) => ({
    error: `There is another ${unit} already.`,
    cause: `A machine with the same identity works at ${url}: one data folder is a copy of the other.`,
    remediation:
      'End one of them. A copy becomes a machine of its own without `identity.json` and `storage` in its data folder.',
  })),
  unit_replaced: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} is another machine now.`,
    cause: 'This machine was replaced under its name.',
    remediation: 'Give this machine another name, or replace the other one in turn.',
  })),
  protocol_unsupported: define<{ protocol: number }>(409, ({ protocol }) => ({
    error: 'Leader and unit use different versions of their protocol.',
    cause: `The unit uses version ${protocol}, which this leader does not support.`,
    remediation: 'Update the older of the two programs.',
  })),
  foreign_leader: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} belongs to another leader.`,
    cause: 'It is enrolled with a leader that has another ID.',
    remediation: 'Release it at that leader, or enrol it with this one.',
  })),
  not_enrolled: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} has no leader.`,
    cause: 'It was released, or has never joined one.',
    remediation: 'Start it with the address of its leader, so that it enrols.',
  })),
  feed_epoch_changed: define(409, () => ({
    error: 'The feed has another epoch.',
    cause: 'This unit has started a new numbering.',
    remediation: 'Wait for its enrolment, then read from the start.',
  })),
  feed_ahead: define<{ seq: number; head: number }>(409, ({ seq, head }) => ({
    error: 'The feed does not reach that far.',
    cause: `Record ${seq} was requested, but the newest is ${head}: the disk of this unit was restored to an earlier state.`,
    remediation: 'Wait: the unit starts a new numbering and enrols again.',
  })),
  desired_stale: define<{ version: number; current: number }>(409, ({ version, current }) => ({
    error: 'The document is older than the effective one.',
    cause: `Version ${version} was sent; version ${current} is effective.`,
    remediation: 'Send the newest document.',
  })),
  desired_not_applied: define<{ unit: string; needed: number; applied: number; cause?: string; retryAfterS: number }>(
    503,
    ({ unit, needed, applied, cause }) => ({
      error: `${unit} has not applied the change that this command follows.`,
      cause:
        cause ?? `The command needs version ${needed} of the desired state; ${unit} has applied version ${applied}.`,
      remediation:
        'Nothing was done. Send the command again; if that fails too, compare desired_version and applied_version at /api/units and read the log of the unit.',
    }),
  ),
  desired_conflict: define<{ version: number }>(409, ({ version }) => ({
    error: 'The document differs from the effective one of the same version.',
    cause: `Version ${version} is effective with other content.`,
    remediation: 'Raise the version, then send it again.',
  })),
  unit_without_board: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} has no board.`,
    cause: 'It is a leader that was started without a board: it has no vial, sensors, pumps or camera.',
    remediation: 'Send the request to a unit with a board, or start the leader with `--board`.',
  })),
} as const;
