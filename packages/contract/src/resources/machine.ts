import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

const UnitName = Type.String({ minLength: 1, maxLength: textLimit });

export const EnrolmentCodeCreation = closed(
  { reactor_unit: Type.Optional(Nullable(UnitName)) },
  { title: 'EnrolmentCodeCreation', description: 'With a name the code is valid for a unit of this name only' },
);
export type EnrolmentCodeCreation = Static<typeof EnrolmentCodeCreation>;

/** A one-time code that can be used. */
export const EnrolmentCode = closed(
  {
    code_id: Type.String(),
    reactor_unit: Nullable(Type.String({ description: 'The only name that it is valid for; null: any' })),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'EnrolmentCode' },
);
export type EnrolmentCode = Static<typeof EnrolmentCode>;

export const CreatedEnrolmentCode = closed(
  { ...EnrolmentCode.properties, code: Type.String({ description: 'The code itself; the leader shows it this once' }) },
  { title: 'CreatedEnrolmentCode' },
);
export type CreatedEnrolmentCode = Static<typeof CreatedEnrolmentCode>;

/** A machine that wants to join without a one-time code. */
export const JoinRequest = closed(
  {
    join_id: Type.String(),
    reactor_unit: Type.String({ description: 'The name that it wants' }),
    address: Type.String({ description: 'IP address of its last request' }),
    fingerprint: Type.String({ description: 'Must be the one that the unit shows: then nobody is between them' }),
    replaces: Type.Boolean({ description: 'It would take the name over from another machine' }),
    is_approved: Type.Boolean({ description: 'It joins at its next request' }),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
  },
  { title: 'JoinRequest' },
);
export type JoinRequest = Static<typeof JoinRequest>;
