import { type Static, Type } from 'typebox';
import { closed, Timestamp } from './common.ts';

const Numbers = Type.Array(Type.Number());
const Cubic = Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]);
const pieces = {
  knots: Type.Array(Type.Number(), { description: 'Strictly increasing' }),
  coefficients: Type.Array(Cubic, {
    description: 'One row [a, b, c, d] less than knots: y = a + b·u + c·u² + d·u³, u counted from the knot',
  }),
};

/** How y follows from x. */
export const Curve = Type.Union(
  [
    closed({
      type: Type.Literal('poly'),
      coefficients: Type.Array(Type.Number(), { description: 'Highest power first' }),
    }),
    closed({ type: Type.Literal('spline'), ...pieces }),
    closed({ type: Type.Literal('akima'), ...pieces }),
  ],
  { title: 'Curve' },
);
export type Curve = Static<typeof Curve>;

/** Degrees between the infrared LED and a photodiode. */
export const OdAngle = Type.Union([Type.Literal('45'), Type.Literal('90'), Type.Literal('135'), Type.Literal('180')]);
export type OdAngle = Static<typeof OdAngle>;

export const PhotodiodeChannel = Type.Union([
  Type.Literal('1'),
  Type.Literal('2'),
  Type.Literal('3'),
  Type.Literal('4'),
]);

const common = {
  calibration_name: Type.String(),
  calibrated_on_reactor_unit: Type.String(),
  created_at: Timestamp,
  curve_data_: Curve,
  x: Type.String({ description: 'What x is: OD, Duration, DC %, …' }),
  y: Type.String({ description: 'What y is: Voltage, Volume, RPM, …' }),
  recorded_data: closed({ x: Numbers, y: Numbers }),
};

const od = {
  ir_led_intensity: Type.Number({ description: '%' }),
  angle: OdAngle,
  pd_channel: PhotodiodeChannel,
};

const pump = {
  hz: Type.Number({ minimum: 0 }),
  dc: Type.Number({ minimum: 0, description: '%' }),
  voltage: Type.Number({ description: 'Supply of the pump while it was calibrated, V' }),
};

const stirring = { pwm_hz: Type.Number({ minimum: 0 }), voltage: Type.Number() };
const stored = { is_active: Type.Boolean(), reactor_unit: Type.String() };

const OdCalibrationFields = { calibration_type: Type.Literal('od'), ...common, ...od };
const Od600CalibrationFields = { calibration_type: Type.Literal('od600'), ...common, ...od };
/** Content of a pump calibration. */
export const PumpCalibrationFields = { calibration_type: Type.Literal('simple_peristaltic_pump'), ...common, ...pump };
const StirringCalibrationFields = { calibration_type: Type.Literal('simple_stirring'), ...common, ...stirring };
/** Absent in files from before the comparisons were observations of the vial. */
const temperature = {
  heater_duty: Type.Optional(
    Type.Array(Type.Number(), { description: 'Duty of the heater at each comparison with a probe, %' }),
  ),
  board_temperature: Type.Optional(
    Type.Array(Type.Number(), {
      description: 'Temperature of the heater board at each comparison, at the end of a pause of the heater, °C',
    }),
  ),
};
const TemperatureCalibrationFields = { calibration_type: Type.Literal('temperature'), ...common, ...temperature };

/** Content of a calibration file, with defaults. */
export const CalibrationContent = Type.Union(
  [
    closed(OdCalibrationFields),
    closed(Od600CalibrationFields),
    closed(PumpCalibrationFields),
    closed(StirringCalibrationFields),
    closed(TemperatureCalibrationFields),
  ],
  { title: 'CalibrationContent' },
);
export type CalibrationContent = Static<typeof CalibrationContent>;

/** A calibration that a unit has stored. */
export const Calibration = Type.Union(
  [
    closed({ ...OdCalibrationFields, ...stored }),
    closed({ ...Od600CalibrationFields, ...stored }),
    closed({ ...PumpCalibrationFields, ...stored }),
    closed({ ...StirringCalibrationFields, ...stored }),
    closed({ ...TemperatureCalibrationFields, ...stored }),
  ],
  { title: 'Calibration' },
);
export type Calibration = Static<typeof Calibration>;

export const CalibrationsByDevice = Type.Record(Type.String(), Type.Array(Calibration), {
  title: 'CalibrationsByDevice',
});
export const ActiveCalibrations = Type.Record(Type.String(), Calibration, { title: 'ActiveCalibrations' });

/** A file to be stored. */
export const CreateCalibration = closed(
  {
    calibration_data: Type.String({ description: 'YAML; stored unchanged, with comments and order' }),
    set_as_active: Type.Optional(Type.Boolean({ default: false })),
  },
  { title: 'CreateCalibration' },
);
export type CreateCalibration = Static<typeof CreateCalibration>;

/** An estimator file to be stored, for instance of another unit. */
export const CreateEstimator = closed(
  {
    estimator_data: Type.String({ description: 'YAML; stored unchanged, with comments and order' }),
    set_as_active: Type.Optional(Type.Boolean({ default: false })),
  },
  { title: 'CreateEstimator' },
);
export type CreateEstimator = Static<typeof CreateEstimator>;

export const StoredCalibrationFile = closed(
  {
    msg: Type.String(),
    path: Type.String({ description: 'Below the data folder of the unit' }),
    replaced: Type.Boolean({ description: 'It replaced a file of this name' }),
  },
  { title: 'StoredCalibrationFile' },
);
export type StoredCalibrationFile = Static<typeof StoredCalibrationFile>;

export const RemovedCalibrationFile = closed({ msg: Type.String() }, { title: 'Removed' });

const estimator = {
  estimator_type: Type.Literal('od_fused_estimator'),
  estimator_name: Type.String(),
  calibrated_on_reactor_unit: Type.String(),
  created_at: Timestamp,
  ir_led_intensity: Type.Number({ description: '%' }),
  angles: Type.Array(OdAngle),
  mu_splines: Type.Record(Type.String(), Curve, {
    description: 'By angle: the natural logarithm of the signal over the decimal one of the concentration',
  }),
  sigma_splines_log: Type.Record(Type.String(), Curve),
  min_logc: Type.Number(),
  max_logc: Type.Number(),
  sigma_floor: Type.Number(),
  recorded_data: Type.Record(Type.String(), Type.Unknown()),
  low_conc_scales: Type.Record(Type.String(), Type.Number()),
  y: Type.String(),
};

/** Content of an estimator file. */
export const EstimatorContent = closed(estimator, { title: 'EstimatorContent' });
export type EstimatorContent = Static<typeof EstimatorContent>;

/** An estimator that a unit has stored; it computes one OD from the readings of several angles. */
export const Estimator = closed(
  { ...estimator, is_active: Type.Boolean(), reactor_unit: Type.String(), device: Type.String() },
  { title: 'Estimator' },
);
export type Estimator = Static<typeof Estimator>;

export const EstimatorsByDevice = Type.Record(Type.String(), Type.Array(Estimator), { title: 'EstimatorsByDevice' });
export const ActiveEstimators = Type.Record(Type.String(), Estimator, { title: 'ActiveEstimators' });

/** A guided way to make a calibration or an estimator. */
export const CalibrationProtocol = closed(
  {
    id: Type.String(),
    target_device: Type.String(),
    protocol_name: Type.String(),
    priority: Type.Integer({ description: 'Lower ones are offered first' }),
    title: Type.String(),
    description: Type.String(),
    requirements: Type.Array(Type.String()),
    open_session: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The session of this protocol that is in progress, when there is one',
      }),
    ),
  },
  { title: 'CalibrationProtocol' },
);
export type CalibrationProtocol = Static<typeof CalibrationProtocol>;
