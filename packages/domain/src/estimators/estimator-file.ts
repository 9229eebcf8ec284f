import type { Curve, EstimatorContent, OdAngle } from '@lcs/contract';
import { calibratedUnit, parseFileFields, toYaml } from '../calibrations/calibration-yaml.ts';
import type { FileFields } from '../calibrations/file-fields.ts';

/** The device of fused OD. */
export const fusedDevice = 'od_fused';

function curvesOf(fields: FileFields, name: string, angles: readonly OdAngle[]): Record<string, Curve> {
  const curves = fields.fields(name);
  return Object.fromEntries(
    angles.map((angle) => {
      const curve = curves.curve(angle);
      if (curve.type === 'poly') throw curves.invalid(angle, 'It must be a piecewise curve.');
      return [angle, curve];
    }),
  );
}

function scalesOf(fields: FileFields): Record<string, number> {
  if (!fields.has('low_conc_scales')) return {};
  const scales = fields.fields('low_conc_scales');
  return Object.fromEntries(scales.names.map((angle) => [angle, scales.number(angle, 0)]));
}

function recordedOf(fields: FileFields): Record<string, unknown> {
  const recorded = fields.fields('recorded_data');
  return Object.fromEntries(recorded.names.map((name) => [name, recorded.raw(name)]));
}

/** Reads an estimator; unknown fields are ignored. @throws InvalidCalibrationFile */
export function parseEstimator(yaml: string): EstimatorContent {
  const fields = parseFileFields(yaml);
  const estimator_type = fields.choice('estimator_type', ['od_fused_estimator']);
  const angles = fields.angles('angles');
  if (angles.length === 0) throw fields.invalid('angles', 'It must have at least one angle.');
  const min_logc = fields.number('min_logc');
  const max_logc = fields.number('max_logc');
  if (max_logc <= min_logc) throw fields.invalid('max_logc', 'It must be above min_logc.');
  return {
    estimator_type,
    estimator_name: fields.fileName('estimator_name'),
    calibrated_on_reactor_unit: calibratedUnit(fields),
    created_at: fields.instant('created_at'),
    ir_led_intensity: fields.number('ir_led_intensity'),
    angles,
    mu_splines: curvesOf(fields, 'mu_splines', angles),
    sigma_splines_log: curvesOf(fields, 'sigma_splines_log', angles),
    min_logc,
    max_logc,
    sigma_floor: fields.number('sigma_floor', 0),
    recorded_data: recordedOf(fields),
    low_conc_scales: scalesOf(fields),
    y: fields.text('y', 'log(Voltage)'),
  };
}

/** The file of an estimator. */
export const writeEstimator = (estimator: EstimatorContent): string => toYaml(estimator);
