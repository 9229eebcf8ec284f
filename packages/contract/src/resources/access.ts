import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** What a person may do: viewers see everything, operators also run experiments, administrators may do everything. */
export const Role = Type.Union([Type.Literal('viewer'), Type.Literal('operator'), Type.Literal('administrator')], {
  title: 'Role',
});
export type Role = Static<typeof Role>;

const PersonName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$',
  description: 'Letters, digits, `.`, `_`, `@` and `-`; unique, upper and lower case are the same',
});
const DisplayName = Type.String({ minLength: 1, maxLength: 100 });
const Password = Type.String({ maxLength: 1024, description: '12 to 256 characters' });

export const Person = closed(
  {
    person_id: Type.String(),
    name: Type.String(),
    display_name: Type.String(),
    role: Role,
    is_disabled: Type.Boolean({ description: 'A disabled person cannot sign in, and their tokens do not work' }),
    created_at: Timestamp,
    last_seen_at: Nullable(Timestamp),
    has_pin: Type.Boolean({ description: 'They can act at shared tablets' }),
  },
  { title: 'Person' },
);
export type Person = Static<typeof Person>;

export const PersonCreation = closed(
  { name: PersonName, display_name: Type.Optional(DisplayName), role: Role, password: Password },
  { title: 'PersonCreation' },
);
export type PersonCreation = Static<typeof PersonCreation>;

/** Whether the leader waits for its first person. */
export const SetUpState = closed({ is_needed: Type.Boolean() }, { title: 'SetUpState' });

export const FirstPerson = closed(
  {
    code: Type.String({ maxLength: 64, description: 'As the leader shows it in its terminal and log' }),
    name: PersonName,
    display_name: Type.Optional(DisplayName),
    password: Password,
  },
  { title: 'FirstPerson' },
);
export type FirstPerson = Static<typeof FirstPerson>;

export const PersonChange = closed(
  {
    display_name: Type.Optional(DisplayName),
    role: Type.Optional(Role),
    is_disabled: Type.Optional(Type.Boolean()),
    password: Type.Optional(Password),
  },
  { title: 'PersonChange', description: 'Absent fields keep their values. A new password ends all sessions' },
);
export type PersonChange = Static<typeof PersonChange>;

export const PasswordChange = closed(
  { password: Type.String({ maxLength: 1024, description: 'The present one' }), new_password: Password },
  { title: 'PasswordChange' },
);
export type PasswordChange = Static<typeof PasswordChange>;

const Pin = Type.String({ maxLength: 16, description: '4 to 8 digits' });

export const PinChange = closed(
  { password: Type.String({ maxLength: 1024, description: 'The present one' }), pin: Pin },
  { title: 'PinChange' },
);

export const TabletCreation = closed(
  { name: Type.String({ minLength: 1, maxLength: 60, pattern: '\\S', description: 'Such as its place' }) },
  { title: 'TabletCreation' },
);

export const PinEntry = closed(
  { name: Type.String({ maxLength: textLimit, description: 'Of a person who has set a PIN' }), pin: Pin },
  { title: 'PinEntry' },
);

export const SignIn = closed(
  { name: Type.String({ maxLength: textLimit }), password: Type.String({ maxLength: 1024 }) },
  { title: 'SignIn' },
);
export type SignIn = Static<typeof SignIn>;

/** Who the caller is, and what they may do. */
export const Session = closed(
  {
    kind: Type.Union(
      [
        Type.Literal('local'),
        Type.Literal('leader'),
        Type.Literal('person'),
        Type.Literal('tablet'),
        Type.Literal('token'),
        Type.Literal('unit'),
        Type.Literal('anonymous'),
      ],
      {
        description:
          '`local`: the request came through the Unix socket of the leader, or the leader listens on loopback only and no person exists; such a caller may do everything',
      },
    ),
    name: Type.String(),
    role: Nullable(Role),
    permissions: Type.Array(Type.String()),
    csrf_token: Nullable(Type.String({ description: 'Of a session: changes send it in the header `x-csrf-token`' })),
    expires_at: Nullable(Timestamp),
    tablet: Nullable(Type.String({ description: 'Name of the shared tablet that has this session' })),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const SignedInSession = closed(
  {
    session_id: Type.String(),
    person: Type.String({ description: 'Name of the person; of a tablet: who set it up' }),
    tablet: Nullable(Type.String({ description: 'Name of the shared tablet; null: the session of a person' })),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
    address: Type.String({ description: 'IP address of the sign-in' }),
    user_agent: Type.String(),
    is_current: Type.Boolean({ description: 'The session of this request' }),
  },
  { title: 'SignedInSession' },
);
export type SignedInSession = Static<typeof SignedInSession>;

const limitOf = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: textLimit }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: `Names of the only ${what} of this token`,
  });

export const Token = closed(
  {
    token_id: Type.String(),
    name: Type.String(),
    made_by: Type.String({ description: 'Name of the person whose permissions limit those of the token' }),
    permissions: Type.Array(Type.String()),
    experiments: Nullable(limitOf('experiments')),
    units: Nullable(limitOf('units')),
    created_at: Timestamp,
    expires_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { title: 'Token' },
);
export type Token = Static<typeof Token>;

export const TokenCreation = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    permissions: Type.Array(Type.String({ maxLength: textLimit }), { minItems: 1, maxItems: 100, uniqueItems: true }),
    days: Type.Integer({ minimum: 1, maximum: 366, description: 'Days until its end' }),
    experiments: Type.Optional(limitOf('experiments')),
    units: Type.Optional(limitOf('units')),
  },
  {
    title: 'TokenCreation',
    description:
      'With limits the token works only for routes whose path names an experiment and a unit within them. Absent: no limit',
  },
);
export type TokenCreation = Static<typeof TokenCreation>;

export const CreatedToken = closed(
  { ...Token.properties, secret: Type.String({ description: 'The token itself; the leader shows it this once' }) },
  { title: 'CreatedToken' },
);
export type CreatedToken = Static<typeof CreatedToken>;

/** A route, with what its path names. */
export const AccessQuestion = Type.Object({
  operation: Type.String({ minLength: 1, maxLength: 100, description: 'Operation ID of a route of the leader' }),
  experiment: Type.Optional(Type.String({ maxLength: textLimit })),
  reactor_unit: Type.Optional(Type.String({ maxLength: textLimit })),
});
export type AccessQuestion = Static<typeof AccessQuestion>;

export const AccessGranted = closed({ is_allowed: Type.Literal(true) }, { title: 'AccessGranted' });
export type AccessGranted = Static<typeof AccessGranted>;
