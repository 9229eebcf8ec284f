import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

const only = { additionalProperties: false };
const timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const number = Type.Number();
const text = Type.String();
const percent = Type.Number({ minimum: 0, maximum: 100 });
const textOrNull = Type.Union([text, Type.Null()]);
const anyObject = Type.Record(text, Type.Unknown());
/** Flags of the signal, if any. */
const beside = { flags: Type.Optional(Type.Array(text, { minItems: 1 })) };
const measured = (name: string) => Type.Object({ [name]: number, ...beside, timestamp }, only);

const reading = { od: number, ...beside, timestamp, ir_led_intensity: percent, angle: text, channel: text };
const rawReading = Type.Object({ calibrated: Type.Literal(0), ...reading }, only);
const calibratedReading = Type.Object({ calibrated: Type.Literal(1), calibration_name: text, ...reading }, only);

/** Shapes of the payloads that are JSON, by the kind that the table names. */
const shapes: Readonly<Record<string, TSchema>> = {
  od_readings: Type.Object(
    { timestamp, ods: Type.Record(Type.String({ pattern: '^[1-4]$' }), calibratedReading) },
    only,
  ),
  raw_od_reading: rawReading,
  calibrated_od_reading: calibratedReading,
  relative_intensity: measured('relative_intensity_of_ir_led'),
  signal_noise: Type.Object(
    {
      signal_noise: Type.Record(Type.String({ pattern: '^[1-4]$' }), Type.Union([number, Type.Null()])),
      timestamp,
    },
    only,
  ),
  growth_rate: measured('growth_rate'),
  growth_rate_sd: measured('growth_rate_sd'),
  od_filtered: measured('od_filtered'),
  temperature: measured('temperature'),
  measured_rpm: measured('measured_rpm'),
  voltage: Type.Object({ voltage: number, timestamp }, only),
  channel_numbers: Type.Record(Type.String({ pattern: '^[1-4]$' }), number),
  dosing_event: Type.Object(
    {
      volume_change: number,
      event: text,
      source_of_event: Type.Optional(text),
      entry: Type.Optional(Type.Integer({ minimum: 1 })),
      correction: Type.Optional(anyObject),
      timestamp,
    },
    only,
  ),
  led_change_event: Type.Object(
    { channel: Type.Enum(['A', 'B', 'C', 'D']), intensity: percent, source_of_event: text, timestamp },
    only,
  ),
  led_levels: Type.Object({ A: percent, B: percent, C: percent, D: percent }, only),
  pwm_levels: Type.Partial(
    Type.Object({ '12': percent, '13': percent, '16': percent, '17': percent, '18': percent }, only),
    only,
  ),
  automation_event: Type.Object(
    { event_name: text, message: text, data: Type.Union([anyObject, Type.Null()]), timestamp },
    only,
  ),
  automation_settings: Type.Object(
    {
      reactor_unit: text,
      experiment: text,
      automation_name: text,
      started_at: timestamp,
      ended_at: Type.Union([timestamp, Type.Null()]),
      settings: Type.String({ pattern: '^[A-Za-z0-9+/]+=*$' }),
    },
    only,
  ),
  log: Type.Object({ message: text, task: text, source: text, level: text, timestamp }, only),
  pid_record: Type.Object(
    {
      setpoint: number,
      output_limits_lb: number,
      output_limits_ub: number,
      Kp: number,
      Ki: number,
      Kd: number,
      proportional: number,
      integral: number,
      derivative: number,
      latest_input: number,
      latest_output: number,
      job_name: text,
      target_name: text,
    },
    only,
  ),
  versions: Type.Object(
    {
      app: text,
      node: text,
      timestamp,
      hat: textOrNull,
      firmware: textOrNull,
      hat_serial: textOrNull,
      rpi_machine: textOrNull,
    },
    only,
  ),
  leader_versions: Type.Object({ app: text, node: text, rpi_machine: textOrNull, timestamp }, only),
  some_versions: Type.Partial(Type.Object({ app: text, node: text }), only),
  od_fused: measured('od_fused'),
  computer_statistics: Type.Object(
    {
      available_disk_space: number,
      disk_usage_percent: percent,
      cpu_usage_percent: number,
      memory_usage_percent: percent,
      cpu_temperature_celcius: Type.Union([number, Type.Null()]),
      timestamp,
    },
    only,
  ),
  assignment: Type.Object(
    { reactor_unit: text, experiment: text, assigned_at: timestamp, updated_at: timestamp },
    only,
  ),
  pairs: Type.Array(Type.Tuple([text, text])),
  test_rows: Type.Array(Type.Object({ name: text, title: text, state: text, why: text }, only)),
  calibration_change: Type.Object(
    {
      device: text,
      calibration_name: text,
      timestamp,
      change: Type.Enum(['created', 'activated', 'deactivated', 'deleted']),
    },
    only,
  ),
  step_fields: Type.Array(Type.Object({ name: text, label: text, field_type: text })),
  still: Type.Object({ experiment: text, captured_at: timestamp, image_id: text, capture_reason: text }, only),
};

/** Patterns of the payloads that are text. */
const patterns: Readonly<Record<string, RegExp>> = {
  state: /^(init|ready|sleeping|disconnected|lost)$/,
  number: /^-?\d+(\.\d+)?(e-?\d+)?$/,
  boolean: /^(True|False)$/,
  passed: /^[01]$/,
  code: /^[1-8]$/,
  text: /^.+$/,
  /** Text of one or more paragraphs, with an empty line between two. */
  paragraphs: /^.+(\n\n.+)*$/,
  moment: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** Whether a payload has a type. @throws Error for an unknown type */
export function isOfKind(kind: string, payload: string): boolean {
  const pattern = patterns[kind];
  if (pattern !== undefined) return pattern.test(payload);
  const shape = shapes[kind];
  if (shape === undefined) throw new Error(`There is no kind of payload ${kind}.`);
  return Value.Check(shape, JSON.parse(payload));
}
