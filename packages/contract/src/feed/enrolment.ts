import { type Static, Type } from 'typebox';
import { Nullable, textLimit } from '../resources/common.ts';
import { Moment, Uuid } from './words.ts';

const PublicKey = Type.String({
  maxLength: 128,
  pattern: '^[A-Za-z0-9+/]{40,120}={0,2}$',
  description: 'SubjectPublicKeyInfo of an Ed25519 key, DER as base64',
});
/** 256 random bits, an HMAC or a signature. */
const Bytes = Type.String({ maxLength: 128, pattern: '^[A-Za-z0-9_-]{43,100}$', description: 'base64url' });

/** A machine that wants to enrol requests what it must sign. */
export const EnrolmentChallengeRequest = Type.Object(
  { reactor_unit: Type.String({ maxLength: textLimit }), machine_id: Uuid, public_key: PublicKey, nonce: Bytes },
  { title: 'EnrolmentChallengeRequest' },
);
export type EnrolmentChallengeRequest = Static<typeof EnrolmentChallengeRequest>;

/** Valid for a minute and for one enrolment. */
export const EnrolmentChallenge = Type.Object(
  {
    challenge: Uuid,
    leader_id: Uuid,
    public_key: PublicKey,
    nonce: Bytes,
    /** Of the key that both derive from the one-time code. */
    salt: Bytes,
    argon2: Type.Object({
      memory: Type.Integer({ minimum: 8, maximum: 1_048_576, description: 'KiB' }),
      passes: Type.Integer({ minimum: 1, maximum: 16 }),
      parallelism: Type.Integer({ minimum: 1, maximum: 16 }),
    }),
  },
  { title: 'EnrolmentChallenge' },
);
export type EnrolmentChallenge = Static<typeof EnrolmentChallenge>;

/** That a machine has its key, and its one-time code. */
export const EnrolmentProof = Type.Object(
  {
    challenge: Uuid,
    signature: Bytes,
    code_proof: Type.Optional(
      Type.String({ ...Bytes, description: 'HMAC with a key derived from the one-time code, which is never sent' }),
    ),
  },
  { title: 'EnrolmentProof' },
);
export type EnrolmentProof = Static<typeof EnrolmentProof>;

/** That a leader has its key, and the same one-time code. */
export const LeaderProof = Type.Object(
  { public_key: PublicKey, signature: Bytes, code_proof: Type.Optional(Bytes) },
  { title: 'LeaderProof' },
);
export type LeaderProof = Static<typeof LeaderProof>;

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
      Nullable(
        Type.String({ maxLength: textLimit, description: 'Always refused: a one-time code is proved, never sent' }),
      ),
    ),
    proof: Type.Optional(EnrolmentProof),
    replace: Type.Optional(Type.Boolean({ description: 'Take over the name of another machine' })),
  },
  { title: 'Enrolment' },
);
export type Enrolment = Static<typeof Enrolment>;

/** Issued at each enrolment with a proof; a rotation or a replacement changes them. */
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
    proof: Type.Optional(LeaderProof),
    has_people: Type.Optional(
      Type.Boolean({ description: 'The leader has people: the unit accepts requests of its leader only' }),
    ),
  },
  { title: 'Enrolled' },
);
export type Enrolled = Static<typeof Enrolled>;
