import { define } from './error-definition.ts';

/** Errors of every route. */
export const requestErrors = {
  route_not_found: define<{ path: string; list?: string }>(404, ({ path, list = '/api/docs' }) => ({
    error: 'This address does not exist.',
    cause: `No route matches ${path}.`,
    remediation: `Check the path (a trailing slash makes another path). ${list} lists all routes.`,
  })),
  not_the_leader: define<{ path: string; unit?: string; leader?: { name: string; url: string } }>(
    404,
    ({ path, unit, leader }) => ({
      error: unit === undefined ? 'This node is not the leader.' : `This node is the unit ${unit}, not the leader.`,
      cause: `${path} is served by the leader only.`,
      remediation: leader
        ? `Send the request to the leader ${leader.name} at ${leader.url}, or use this node's /unit_api.`
        : "Send the request to the leader, or use this node's /unit_api.",
    }),
  ),
  method_not_allowed: define<{ method: string; allow: string }>(405, ({ method, allow }) => ({
    error: 'Method not allowed.',
    cause: `${method} is not defined here.`,
    remediation: `Allowed: ${allow}.`,
  })),
  malformed_request: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The request is malformed.',
    cause,
    remediation: 'Send a well-formed HTTP/1.1 request with a percent-encoded path.',
  })),
  invalid_body: define<{ cause: string; remediation: string; field?: string | undefined }>(400, (params) => ({
    error: 'Invalid request body.',
    ...params,
  })),
  invalid_query: define<{ name: string; cause: string; remediation: string }>(400, ({ name, cause, remediation }) => ({
    error: `The query parameter '${name}' is not valid.`,
    cause,
    remediation,
    field: name,
  })),
  body_too_large: define<{ limitBytes: number }>(413, ({ limitBytes }) => ({
    error: 'The request is too large.',
    cause: `The body is larger than ${limitBytes} bytes.`,
    remediation: 'Send a smaller request.',
  })),
  body_too_slow: define<{ limitS: number }>(408, ({ limitS }) => ({
    error: 'The request took too long to arrive.',
    cause: `Its body was not complete within ${limitS} s.`,
    remediation: 'Check the network, then send the request again.',
  })),
  too_many_bodies: define<{ retryAfterS: number }>(503, ({ retryAfterS }) => ({
    error: 'This node is receiving too much at a time.',
    cause: 'The bodies of the requests under way have reached the limit of their memory.',
    remediation: `Send the request again in ${retryAfterS} s.`,
  })),
  too_many_requests: define<{ retryAfterS: number }>(429, ({ retryAfterS }) => ({
    error: 'Too many requests.',
    cause: 'This session, token or address sends more requests than are allowed. Stops of jobs are always accepted.',
    remediation: `Wait ${retryAfterS} s, then send fewer requests per second.`,
  })),
  unsupported_media_type: define<{ contentType: string }>(415, ({ contentType }) => ({
    error: 'This route accepts JSON only.',
    cause: `Forms are not accepted here (${contentType}).`,
    remediation: 'Send the body as application/json.',
  })),
  foreign_host: define<{ host: string }>(403, ({ host }) => ({
    error: 'This host name is not served here.',
    cause: `The Host header is '${host}'.`,
    remediation: 'Use the address that the leader printed when it started.',
  })),
  foreign_origin: define<{ origin: string }>(403, ({ origin }) => ({
    error: 'Requests from other web sites are refused.',
    cause: `The Origin header is '${origin}'.`,
    remediation: 'Open the web UI at the address of the leader, or call the API from a program.',
  })),
  deadline_passed: define(504, () => ({
    error: 'The request came too late.',
    cause: 'The deadline in x-deadline-ms passed before the work started.',
    remediation: 'Check the current state, then send the request again if it is still needed.',
  })),
  internal_error: define<{ requestId: string }>(500, ({ requestId }) => ({
    error: 'Internal error.',
    cause: `The program failed unexpectedly (request ${requestId}).`,
    remediation: `Look for ${requestId} in the log of this node; please report it.`,
  })),
  storage_full: define(507, () => ({
    error: 'The disk of this node is full.',
    cause: 'The change could not be stored; nothing was changed.',
    remediation: 'Free some space on its disk, then send the request again.',
  })),
  too_many_live_connections: define<{ limit: number; retryAfterS: number }>(503, ({ limit }) => ({
    error: 'Too many web UIs and programs follow the live events.',
    cause: `The leader serves ${limit} connections of this kind at a time.`,
    remediation: 'Close unused web UIs, or raise [http] live_connections in leader.ini and restart the leader.',
  })),
  store_busy: define<{ retryAfterS: number }>(503, ({ retryAfterS }) => ({
    error: 'A database of this node is locked.',
    cause: 'Another process holds a lock on the database. The change could not be stored; nothing was changed.',
    remediation: `Send the request again in ${retryAfterS} s. If the error persists, end the program that holds the lock; the log of this node names the file.`,
  })),
  change_outcome_unknown: define(500, () => ({
    error: 'It is not known whether the change was stored.',
    cause: 'The connection to the database server was lost while the change was stored.',
    remediation: 'Read the current state, then send the request again if the change is missing.',
  })),
  shutting_down: define(503, () => ({
    error: 'This node is stopping.',
    cause: 'It finishes the running requests and accepts no new ones.',
    remediation: 'Send the request again after its restart.',
  })),
} as const;
