import fc from 'fast-check';
import { type Known, lateUnit, type NodeName, refusingUnit, type SeenField, toyUnits } from '../known.ts';
import type { StoredFiles } from '../unit-model.ts';
import { type Feature, forAll, type Given, oneOf } from './given.ts';

const devices = ['media_pump', 'alt_media_pump', 'waste_pump', 'stirring', 'od90', '__proto__'];
const names = ['c1', 'c2', 'c3', 'constructor', '__proto__'];

const head = (type: string, name: string): string => `calibration_type: ${type}
calibration_name: ${name}
calibrated_on_reactor_unit: unit1
created_at: 2025-11-20T10:00:00Z
`;

/** A file that fits the device. */
function yamlFor(device: string, name: string): string {
  if (device === 'stirring')
    return `${head('simple_stirring', name)}curve_data_: {type: poly, coefficients: [10, -5]}
recorded_data: {x: [20, 90], y: [195, 895]}
pwm_hz: 200
voltage: 5
`;
  if (device === 'od90')
    return `${head('od600', name)}curve_data_: {type: spline, knots: [0.0, 1.0], coefficients: [[0.01, 0.5, 0.0, 0.0]]}
recorded_data: {x: [0.0, 1.0], y: [0.01, 0.51]}
ir_led_intensity: 80.0
angle: "90"
pd_channel: "2"
`;
  return `${head('simple_peristaltic_pump', name)}curve_data_: {type: poly, coefficients: [0.5, 0.0]}
recorded_data: {x: [1.0, 2.0], y: [0.5, 1.0]}
hz: 250
dc: 100.0
voltage: 12.0
`;
}

const onAUnit = (): fc.Arbitrary<Record<string, string>> =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.constant('real1') },
      { weight: 1, arbitrary: fc.constantFrom('$broadcast', ...toyUnits) },
      { weight: 1, arbitrary: fc.constantFrom(refusingUnit, lateUnit, 'nobody') },
    )
    .map((reactor_unit) => ({ reactor_unit }));

const creation: fc.Arbitrary<Given> = fc
  .tuple(fc.constantFrom(...devices), fc.constantFrom(...names), fc.constantFrom({}, { set_as_active: true }))
  .chain(([device, name, active]) =>
    fc
      .oneof(
        { weight: 6, arbitrary: fc.constant(yamlFor(device, name)) },
        { weight: 1, arbitrary: fc.constantFrom('a: [', yamlFor('stirring', name), '') },
      )
      .map((calibration_data) => ({ params: { device }, body: { calibration_data, ...active } })),
  );

/** A file of an estimator. */
const estimatorOf = (name: string): string => `estimator_type: od_fused_estimator
estimator_name: ${name}
calibrated_on_reactor_unit: unit1
created_at: 2025-01-02T03:04:05Z
ir_led_intensity: 80
angles: ["45", "90", "135"]
mu_splines: &curves
  "45": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
  "90": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
  "135": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
sigma_splines_log: *curves
min_logc: 0
max_logc: 1
sigma_floor: 0.04
recorded_data: {}
`;

/** A file that is there, or a device that has some. */
function placeOn(shelf: StoredFiles, nameKey: string): fc.Arbitrary<Given> {
  const places = [...shelf.files].flatMap(([device, files]) => files.map((name) => ({ device, [nameKey]: name })));
  const any = fc.record({ device: fc.constantFrom(...devices), [nameKey]: fc.constantFrom(...names) });
  return fc
    .oneof(
      { weight: 6, arbitrary: oneOf<Record<string, string>>(places, { device: 'stirring', [nameKey]: 'c1' }) },
      { weight: 1, arbitrary: any },
    )
    .map((params) => ({ params }));
}

const withUnit = (given: fc.Arbitrary<Given>): fc.Arbitrary<Given> =>
  fc.tuple(onAUnit(), given).map(([unit, rest]) => ({ ...rest, params: { ...unit, ...rest.params } }));

/** What a person could enter in a field. */
function entryFor({ field_type, default: usual, options, minimum }: SeenField): fc.Arbitrary<unknown> {
  switch (field_type) {
    case 'choice':
      return fc.constantFrom(...(options ?? ['x']));
    case 'bool':
      return fc.constantFrom(true, false, true);
    case 'string':
      return fc.constantFrom(usual ?? 'made');
    case 'float_list':
      return fc.constantFrom([1], usual ?? [1]);
    default:
      return fc.constantFrom(usual ?? Math.max(1, minimum ?? 1), Math.max(1, minimum ?? 1));
  }
}

const unknownSession = { session_id: '00000000-0000-4000-8000-000000000000' };
const protocols = [
  ...['media_pump', 'alt_media_pump', 'waste_pump'].map((device) => [device, 'duration_based'] as const),
  ['stirring', 'dc_based'] as const,
  ['od90', 'standards'] as const,
];

function sessionStart(known: Known, node: NodeName): fc.Arbitrary<Given> {
  const busy = [...known.sessions[node].values()].filter(({ isLive }) => isLive).map(({ device }) => device);
  const free = protocols.filter(([device]) => !busy.includes(device));
  return oneOf(free, protocols[0] ?? ['stirring', 'dc_based']).map(([target_device, protocol_name]) => ({
    body: { target_device, protocol_name },
  }));
}

const anySession = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  oneOf([...known.sessions[node].keys()].slice(-8), unknownSession.session_id).map((session_id) => ({
    params: { session_id },
  }));

function sessionInputs(known: Known, node: NodeName): fc.Arbitrary<Given> {
  const live = [...known.sessions[node].values()].filter(({ isLive }) => isLive);
  if (live.length === 0) return anySession(known, node).map((given) => ({ ...given, body: {} }));
  return fc
    .constantFrom(...live)
    .chain(({ id, fields }) =>
      fc
        .record(Object.fromEntries(fields.map((field) => [field.name, entryFor(field)])))
        .map((inputs) => ({ params: { session_id: id }, body: { inputs } })),
    );
}

const device = fc.constantFrom(...devices).map((one) => ({ params: { device: one } }));
const estimator = fc.constantFrom('e0', 'e1', 'valueOf').map((name) => ({
  params: { device: 'od_fused', estimator_name: name },
}));
const estimatorDevice = fc.constant({ params: { device: 'od_fused' } });
const onReal1 = (given: fc.Arbitrary<Given>): fc.Arbitrary<Given> =>
  given.map((rest) => ({ ...rest, params: { reactor_unit: 'real1', ...rest.params } }));
const atAll = (): fc.Arbitrary<Given> => onAUnit().map((params) => ({ params }));
const place = (known: Known) => placeOn(known.unit.state.calibrations, 'cal_name');
const estimatorPlace = (known: Known) => placeOn(known.unit.state.estimators, 'estimator_name');
const estimatorFile = fc
  .tuple(fc.constantFrom('e0', 'e1', 'valueOf', '__proto__'), fc.constantFrom({}, { set_as_active: true }))
  .map(([name, active]) => ({
    params: { device: 'od_fused' },
    body: { estimator_data: estimatorOf(name), ...active },
  }));
const anyPlace = fc.record({ device: fc.constantFrom(...devices), cal_name: fc.constantFrom(...names) });

export const calibrations: Feature = {
  requests: {
    createUnitCalibration: () => creation,
    listUnitDeviceCalibrations: place,
    ...forAll(['getUnitCalibration', 'deleteUnitCalibration', 'setUnitActiveCalibration'], place),
    clearUnitActiveCalibration: () => device,
    createUnitEstimator: () => estimatorFile,
    createEstimator: () => withUnit(estimatorFile),
    ...forAll(['getUnitEstimator', 'deleteUnitEstimator', 'setUnitActiveEstimator'], estimatorPlace),
    ...forAll(['listUnitDeviceEstimators', 'clearUnitActiveEstimator'], () => estimatorDevice),
    startUnitCalibrationSession: sessionStart,
    ...forAll(['getUnitCalibrationSession', 'abortUnitCalibrationSession'], anySession),
    advanceUnitCalibrationSession: sessionInputs,
    createCalibration: () => withUnit(creation),
    ...forAll(['listDeviceCalibrations', 'clearActiveCalibration'], () => withUnit(device)),
    ...forAll(['getCalibration', 'deleteCalibration', 'setActiveCalibration'], () =>
      withUnit(anyPlace.map((params) => ({ params }))),
    ),
    ...forAll(['listDeviceEstimators', 'clearActiveEstimator'], () => withUnit(estimatorDevice)),
    ...forAll(['getEstimator', 'deleteEstimator', 'setActiveEstimator'], () => withUnit(estimator)),
    ...forAll(['listCalibrations', 'listActiveCalibrations', 'listEstimators', 'listActiveEstimators'], atAll),
    ...forAll(['listCalibrationProtocols', 'zipCalibrations'], atAll),
    startCalibrationSession: (known, node) => onReal1(sessionStart(known, node)),
    ...forAll(['getCalibrationSession', 'abortCalibrationSession'], (known, node) => onReal1(anySession(known, node))),
    advanceCalibrationSession: (known, node) => onReal1(sessionInputs(known, node)),
  },
};
