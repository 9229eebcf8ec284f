import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** A request that may have changed something. */
export const AuditEntry = closed(
  {
    seq: Type.Integer({ minimum: 1 }),
    timestamp: Timestamp,
    caller_kind: Type.String({ description: 'local, leader, person, token, unit or anonymous' }),
    caller: Type.String({ description: 'Name of the person or token' }),
    address: Type.String({ description: 'IP address of the connection' }),
    operation: Type.String({ description: 'Of the route' }),
    method: Type.String(),
    path: Type.String(),
    channel: Type.String({
      description: 'How the command arrived: http, mqtt, profile, or `tablet` and the name of a shared tablet',
    }),
    experiment: Nullable(Type.String({ description: 'That the request names' })),
    unit: Nullable(Type.String({ description: 'That the request names' })),
    units: Nullable(
      Type.Array(Type.String(), {
        description: 'The units that a command to several of them has chosen, 200 at most; null: it chose none',
      }),
    ),
    job: Nullable(Type.String({ description: 'That the request names' })),
    before: Nullable(Type.String({ description: 'JSON: the changed fields before; null where the leader holds none' })),
    after: Nullable(Type.String({ description: 'JSON: the changed fields after; null where the leader holds none' })),
    reason: Nullable(Type.String({ description: 'Stated by the caller' })),
    body: Nullable(Type.String({ description: 'JSON; without secrets, with length and hash in place of files' })),
    status: Type.Integer(),
    code: Nullable(Type.String({ description: 'Of an error' })),
    failure_code: Nullable(
      Type.String({
        description:
          'Of an accepted request (202) whose task failed, on one unit at least: another entry of the same `request_id` has the units. Null: it did what was requested',
      }),
    ),
    request_id: Type.String(),
    hash: Type.String({ description: 'SHA-256 of this entry and the hash of the one before' }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

const text = (description: string) => Type.Optional(Type.String({ maxLength: textLimit, description }));

export const AuditQuery = Type.Object({
  caller: text('Only entries of this person or token'),
  operation: text('Only entries of this operation, such as `deleteExperiment`'),
  experiment: text('Only entries that name this experiment'),
  unit: text('Only entries that name this unit'),
  kind: Type.Optional(
    Type.Union([Type.Literal('change'), Type.Literal('sign_in'), Type.Literal('refusal'), Type.Literal('failure')], {
      description: 'Changes, sign-ins and sign-outs, refusals (401, 403), or other requests that failed',
    }),
  ),
  since: text('RFC 3339; only entries from this moment on'),
  until: text('RFC 3339; only entries before this moment'),
  before: text('Where the page begins: `x-next-before` of the previous page'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditExportQuery = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('json')], {
      default: 'csv',
      description: 'CSV with a header row, or JSON Lines: an entry per line',
    }),
  ),
  since: text('RFC 3339; only entries from this moment on'),
  until: text('RFC 3339; only entries before this moment'),
});
export type AuditExportQuery = Static<typeof AuditExportQuery>;

export const AuditVerificationQuery = Type.Object({
  contains: text('Hash of an entry that must be part of the audit'),
});

export const AuditVerification = closed(
  {
    entries: Type.Integer({ minimum: 0, description: 'Entries before the first wrong one, or all' }),
    is_intact: Type.Boolean({ description: 'No entry was changed, and none before the last one is missing' }),
    first_wrong: Nullable(Type.Integer({ description: 'Number of the first entry that does not continue the chain' })),
    contains: Nullable(
      Type.Boolean({ description: 'Whether the hash of the query is part of the audit; null without one' }),
    ),
    last_hash: Type.String({
      description: 'Of the last entry; who keeps it can detect that later entries were removed',
    }),
  },
  { title: 'AuditVerification' },
);
export type AuditVerification = Static<typeof AuditVerification>;
