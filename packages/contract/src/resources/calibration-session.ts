import { type Static, Type } from 'typebox';
import { AnyJson } from '../feed/words.ts';
import { PumpCalibrationFields } from './calibration.ts';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

export const SessionStatus = Type.Union([
  Type.Literal('in_progress'),
  Type.Literal('complete'),
  Type.Literal('failed'),
  Type.Literal('aborted'),
]);
export type SessionStatus = Static<typeof SessionStatus>;

/** An additional action of a step, with the inputs that it sends. */
export const StepAction = closed(
  { label: Type.String(), inputs: Type.Record(Type.String(), AnyJson) },
  { title: 'StepAction' },
);
export type StepAction = Static<typeof StepAction>;

/** Rows under a heading. */
export const StepTable = closed(
  {
    title: Type.String(),
    columns: Type.Array(Type.String()),
    rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()]))),
    row_actions: Type.Optional(
      Type.Array(Type.Array(StepAction), { description: 'What can be done with each row, in the order of the rows' }),
    ),
  },
  { title: 'StepTable' },
);
export type StepTable = Static<typeof StepTable>;

/** A calibration that a session has stored. */
export const CalibrationLink = closed(
  { device: Type.String(), calibration_name: Type.String(), path: Type.String() },
  { title: 'CalibrationLink' },
);
export type CalibrationLink = Static<typeof CalibrationLink>;

/** The result of a complete session. The protocol determines which fields it has; a later version may add fields. */
export const SessionResult = Type.Partial(
  Type.Object({
    title: Type.String({ description: 'The outcome in one sentence' }),
    device: Type.String(),
    table: StepTable,
    calibrations: Type.Array(CalibrationLink, {
      description: 'The stored calibrations of a stirrer, of OD or of a probe',
    }),
    calibration: closed({ device: Type.String(), ...PumpCalibrationFields }),
    calibration_link: CalibrationLink,
    stats: closed({
      slope: Type.Number({ description: 'mL/s' }),
      bias: Type.Number(),
      std_slope: Type.Number(),
      std_bias: Type.Number(),
      r_squared: Type.Number(),
    }),
    recommended_volume_range_ml: Type.Array(Type.Number()),
    estimator_name: Type.String(),
    path: Type.String({ description: "The estimator's file" }),
    source_unit: Type.String(),
    source_estimator: Type.String(),
    scale_logc: Type.Number(),
    offset_logc: Type.Number(),
    offset_c: Type.Number({ description: 'Probe minus estimate' }),
    points: Type.Integer({ description: 'Number of comparisons with the probe' }),
    farthest_point_c: Type.Number(),
    experiment: Type.String({ description: 'The experiment of the blank' }),
    means: Type.Record(Type.String(), Type.Number(), { description: 'Blank by channel, V' }),
    noise: Type.Record(Type.String(), Type.Number(), { description: 'Noise of the blank by channel, V' }),
    problems: Type.Array(Type.String()),
    moved_ml: Type.Number(),
    ran_s: Type.Number(),
    runs: Type.Integer(),
    passed: Type.Integer({ description: 'Number of passed checks' }),
    failed: Type.Array(Type.String(), { description: 'Names of failed checks' }),
  }),
  { additionalProperties: false, title: 'SessionResult' },
);
export type SessionResult = Static<typeof SessionResult>;

/** The progress of a person through a protocol on one unit; it survives restarts. */
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
    result: Nullable(SessionResult),
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
        description: 'For a measured value only a suggestion: it must be sent',
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

const Point = closed({ x: Type.Number(), y: Type.Number() });

/** A drawing of points that a step shows. */
export const StepChart = closed(
  {
    title: Type.String(),
    x_label: Type.String(),
    y_label: Type.String(),
    series: Type.Array(
      closed({
        id: Type.String(),
        label: Type.String(),
        points: Type.Array(Point),
        line: Type.Optional(Type.Array(Point, { description: 'The curve that is fitted to the points so far' })),
      }),
    ),
  },
  { title: 'StepChart' },
);
export type StepChart = Static<typeof StepChart>;

/** The work of an action that is under way. */
export const StepProgress = closed(
  { message: Type.String(), fraction: Type.Number({ minimum: 0, maximum: 1 }) },
  { title: 'StepProgress' },
);
export type StepProgress = Static<typeof StepProgress>;

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
    metadata: Type.Object(
      {
        notice: Type.Optional(
          Type.String({ description: 'What is implausible in the measurements so far, or what was interrupted' }),
        ),
        experiment_effect: Type.Optional(
          Type.String({
            description:
              'What the procedure does to the experiment that the unit is in; the text of the step begins with it',
          }),
        ),
        primary_action_label: Type.Optional(Type.String({ description: 'Label of the button that continues' })),
        chart: Type.Optional(StepChart),
        table: Type.Optional(StepTable),
        actions: Type.Optional(Type.Array(StepAction)),
        result: Type.Optional(Nullable(SessionResult)),
        progress: Type.Optional(StepProgress),
      },
      { additionalProperties: true, description: 'For showing the step' },
    ),
  },
  { title: 'SessionStep' },
);
export type SessionStep = Static<typeof SessionStep>;

export const SessionEnvelope = closed(
  { session: CalibrationSession, step: Nullable(SessionStep) },
  { title: 'SessionEnvelope' },
);
export type SessionEnvelope = Static<typeof SessionEnvelope>;

/** The open session that prevents a new one, in the diagnostics of `session_exists`; paths of the answering node. */
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
          'By name of the field; without fields any object continues. While work runs, `action: stop` ends it at once',
      }),
    ),
  },
  { title: 'SessionInputs' },
);
export type SessionInputs = Static<typeof SessionInputs>;
