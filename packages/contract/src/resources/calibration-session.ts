import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

const Data = Type.Record(Type.String(), Type.Unknown());

export const SessionStatus = Type.Union([
  Type.Literal('in_progress'),
  Type.Literal('complete'),
  Type.Literal('failed'),
  Type.Literal('aborted'),
]);
export type SessionStatus = Static<typeof SessionStatus>;

/** A person's way through a protocol on one unit; it survives restarts. */
export const CalibrationSession = closed(
  {
    session_id: Type.String({ format: 'uuid' }),
    protocol_name: Type.String(),
    target_device: Type.String(),
    status: SessionStatus,
    step_id: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'What was entered and measured so far' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    result: Nullable(Data),
    error: Nullable(Type.String()),
  },
  { title: 'CalibrationSession' },
);
export type CalibrationSession = Static<typeof CalibrationSession>;

/** Something to be entered in a step. */
export const SessionField = closed(
  {
    name: Type.String(),
    label: Type.String(),
    field_type: Type.Union([
      Type.Literal('string'),
      Type.Literal('float'),
      Type.Literal('int'),
      Type.Literal('bool'),
      Type.Literal('float_list'),
      Type.Literal('choice'),
    ]),
    required: Type.Boolean(),
    default: Nullable(
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.Number())], {
        description: 'Of a measured value only a suggestion: it has to be sent',
      }),
    ),
    options: Nullable(Type.Array(Type.String())),
    minimum: Nullable(Type.Number()),
    maximum: Nullable(Type.Number()),
    min_error_msg: Nullable(Type.String()),
    max_error_msg: Nullable(Type.String()),
    help_text: Nullable(Type.String()),
  },
  { title: 'SessionField' },
);
export type SessionField = Static<typeof SessionField>;

export const SessionStep = closed(
  {
    step_id: Type.String(),
    step_type: Type.Union([
      Type.Literal('info'),
      Type.Literal('confirm'),
      Type.Literal('form'),
      Type.Literal('action'),
      Type.Literal('result'),
    ]),
    title: Nullable(Type.String()),
    body: Nullable(Type.String()),
    fields: Type.Array(SessionField),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For showing it: `chart`, `table`, `actions` (further buttons with their inputs), `result`, `progress` (of an action that is under way)',
    }),
  },
  { title: 'SessionStep' },
);
export type SessionStep = Static<typeof SessionStep>;

export const SessionEnvelope = closed(
  { session: CalibrationSession, step: Nullable(SessionStep) },
  { title: 'SessionEnvelope' },
);
export type SessionEnvelope = Static<typeof SessionEnvelope>;

/** The session that keeps another from beginning, as the diagnostics of `session_exists` name it; paths of the node that answers. */
export const OpenSession = closed(
  {
    session_id: Type.String({ format: 'uuid' }),
    protocol_name: Type.String(),
    target_device: Type.String(),
    step_id: Type.String(),
    updated_at: Timestamp,
    resume_path: Type.String({ description: 'GET shows its step; POST below `inputs` answers it' }),
    abort_path: Type.String({ description: 'POST ends it' }),
  },
  { title: 'OpenSession' },
);
export type OpenSession = Static<typeof OpenSession>;

const target = {
  target_device: Type.String({ maxLength: textLimit }),
  protocol_name: Type.String({ maxLength: textLimit }),
};

/** On the leader: no other keys. */
export const StartSession = closed(target, { title: 'StartSession' });
/** On a unit further keys are ignored. */
export const StartUnitSession = Type.Object(target, { title: 'StartUnitSession' });
export type StartUnitSession = Static<typeof StartUnitSession>;

export const SessionInputs = Type.Object(
  {
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'By name of the field; anything, even nothing, goes on where there is no field. While work is done, `action: stop` ends it at once',
      }),
    ),
  },
  { title: 'SessionInputs' },
);
export type SessionInputs = Static<typeof SessionInputs>;
