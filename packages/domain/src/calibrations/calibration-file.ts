import type { CalibrationContent, OdAngle } from '@lcs/contract';
import { calibratedUnit, parseFileFields, toYaml } from './calibration-yaml.ts';
import { FileFields, InvalidCalibrationFile } from './file-fields.ts';

const calibrationTypes = ['od', 'od600', 'simple_peristaltic_pump', 'simple_stirring', 'temperature'] as const;
type CalibrationType = (typeof calibrationTypes)[number];

const defaultAxes: Readonly<Record<CalibrationType, { readonly x: string; readonly y: string }>> = {
  od: { x: 'OD', y: 'Voltage' },
  od600: { x: 'OD600', y: 'Voltage' },
  simple_peristaltic_pump: { x: 'Duration', y: 'Volume' },
  simple_stirring: { x: 'DC %', y: 'RPM' },
  temperature: { x: 'Estimated', y: 'Probe' },
};

export const pumpDevices = ['media_pump', 'alt_media_pump', 'waste_pump'] as const;
export type PumpDevice = (typeof pumpDevices)[number];
export const odAngles = ['45', '90', '135', '180'] as const;

const typesOfDevice: Readonly<Record<string, readonly CalibrationType[]>> = {
  ...Object.fromEntries(pumpDevices.map((device) => [device, ['simple_peristaltic_pump']])),
  ...Object.fromEntries(odAngles.map((angle) => [`od${angle}`, ['od', 'od600']])),
  stirring: ['simple_stirring'],
  temperature: ['temperature'],
};

/** The device under which the calibrations of an angle are stored. */
export const odDevice = (angle: OdAngle): string => `od${angle}`;

function recordedData(fields: FileFields): CalibrationContent['recorded_data'] {
  const recorded = fields.fields('recorded_data');
  const other = recorded.names.find((name) => name !== 'x' && name !== 'y');
  if (other !== undefined) throw recorded.invalid(other, 'It must have only x and y.');
  const [x, y] = [recorded.numbers('x'), recorded.numbers('y')];
  if (x.length !== y.length)
    throw recorded.invalid('y', `It must have as many numbers as x (${x.length}), not ${y.length}.`);
  return { x, y };
}

const odFields = (fields: FileFields) => ({
  ir_led_intensity: fields.number('ir_led_intensity'),
  angle: fields.angle('angle'),
  pd_channel: fields.choice('pd_channel', ['1', '2', '3', '4']),
});

function readContent(fields: FileFields): CalibrationContent {
  const type = fields.choice('calibration_type', calibrationTypes);
  const common = {
    calibration_name: fields.fileName('calibration_name'),
    calibrated_on_reactor_unit: calibratedUnit(fields),
    created_at: fields.instant('created_at'),
    curve_data_: fields.curve('curve_data_'),
    x: fields.text('x', defaultAxes[type].x),
    y: fields.text('y', defaultAxes[type].y),
    recorded_data: recordedData(fields),
  };
  switch (type) {
    case 'od':
      return { calibration_type: type, ...common, ...odFields(fields) };
    case 'od600':
      return { calibration_type: type, ...common, ...odFields(fields) };
    case 'simple_peristaltic_pump': {
      const drive = { hz: fields.number('hz', 0), dc: fields.number('dc', 0), voltage: fields.number('voltage') };
      return { calibration_type: type, ...common, ...drive };
    }
    case 'simple_stirring': {
      const drive = { pwm_hz: fields.number('pwm_hz', 0), voltage: fields.number('voltage') };
      return { calibration_type: type, ...common, ...drive };
    }
    case 'temperature':
      return { calibration_type: type, ...common };
  }
}

/** Reads a calibration; unknown fields are ignored. @throws InvalidCalibrationFile */
export const parseCalibration = (yaml: string): CalibrationContent => readContent(parseFileFields(yaml));

/** Reads a calibration that another node has sent; unknown fields are ignored. @throws InvalidCalibrationFile */
export const readCalibration = (value: unknown): CalibrationContent => readContent(new FileFields(value));

/** @throws InvalidCalibrationFile when a calibration of this type does not belong to this device */
export function assertDeviceAccepts(device: string, { calibration_type: type, ...content }: CalibrationContent): void {
  const accepted = Object.hasOwn(typesOfDevice, device) ? typesOfDevice[device] : undefined;
  if (accepted !== undefined && !accepted.includes(type))
    throw new InvalidCalibrationFile(
      'calibration_type',
      `It must be ${accepted.join(' or ')} for ${device}, not ${type}.`,
    );
  if ('angle' in content && accepted !== undefined && device !== `od${content.angle}`)
    throw new InvalidCalibrationFile('angle', `It must be the angle of ${device}, not ${content.angle}.`);
}

/** The file of a calibration. */
export const writeCalibration = (calibration: CalibrationContent): string => toYaml(calibration);
