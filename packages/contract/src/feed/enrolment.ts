import { type Static, Type } from 'typebox';
import { Nullable, textLimit } from '../resources/common.ts';
import { Moment, Uuid } from './words.ts';

/** Address and identity of a unit. Open: a newer unit may send more. */
export const Enrolment = Type.Object(
  {
    reactor_unit: Type.String({ maxLength: textLimit, description: 'The requested name' }),
    machine_id: Uuid,
    protocol: Type.Integer({ description: 'Version of the shapes between leader and unit that the unit uses' }),
    app_version: Type.String({ maxLength: textLimit }),
    base_url: Nullable(
      Type.String({
        maxLength: textLimit,
        description: '`http://host:port`; null: the address this request comes from, with `port`',
      }),
    ),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    epoch: Uuid,
    boot: Type.Integer({ minimum: 1 }),
    instance: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description: 'Drawn at each start of the program; its health route returns the same',
      }),
    ),
    model: Nullable(
      Type.Object({
        model_name: Type.String({ maxLength: textLimit }),
        model_version: Type.String({ maxLength: textLimit }),
      }),
    ),
    code: Type.Optional(
      Nullable(Type.String({ maxLength: textLimit, description: 'One-time code; not needed on loopback' })),
    ),
    replace: Type.Optional(Type.Boolean({ description: 'Take over the name of another machine' })),
  },
  { title: 'Enrolment' },
);
export type Enrolment = Static<typeof Enrolment>;

/** Issued once, at the first enrolment of a machine and after a replacement. */
export const UnitCredentials = Type.Object(
  {
    unit_token: Type.String({ description: 'The unit authenticates to the leader with it' }),
    leader_token: Type.String({ description: 'The leader authenticates to the unit with it' }),
    mqtt: Type.Object({ username: Type.String(), password: Type.String() }),
  },
  { title: 'UnitCredentials' },
);
export type UnitCredentials = Static<typeof UnitCredentials>;

/** The unit stores leader and ID: from now on it accepts this leader only. */
export const Enrolled = Type.Object(
  {
    leader: Type.String(),
    leader_id: Uuid,
    leader_time: Moment,
    protocol: Type.Integer({ description: 'The version both will use' }),
    worker: Type.Boolean({ description: 'Whether the name is in the inventory' }),
    desired_version: Type.Integer({
      minimum: 0,
      description: 'Version of the document the leader will put next; 0 while not a worker',
    }),
    reachable: Type.Boolean({ description: 'Whether the unit answered at its base URL within 3 s' }),
    credentials: Nullable(UnitCredentials),
  },
  { title: 'Enrolled' },
);
export type Enrolled = Static<typeof Enrolled>;
