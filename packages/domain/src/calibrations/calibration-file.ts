import type { CalibrationContent, OdAngle } from '@lcs/contract';
import { fieldsOfYaml, unitOf, yamlOf } from './artefact-yaml.ts';
import { ArtefactInvalid, FileFields } from './file-fields.ts';

const kinds = ['od', 'od600', 'simple_peristaltic_pump', 'simple_stirring', 'temperature'] as const;
type Kind = (typeof kinds)[number];

const usualAxes: Readonly<Record<Kind, { readonly x: string; readonly y: string }>> = {
  od: { x: 'OD', y: 'Voltage' },
  od600: { x: 'OD600', y: 'Voltage' },
  simple_peristaltic_pump: { x: 'Duration', y: 'Volume' },
  simple_stirring: { x: 'DC %', y: 'RPM' },
  temperature: { x: 'Estimated', y: 'Probe' },
};

export const pumpDevices = ['media_pump', 'alt_media_pump', 'waste_pump'] as const;
export type PumpDevice = (typeof pumpDevices)[number];
export const odAngles = ['45', '90', '135', '180'] as const;

const kindsOfDevice: Readonly<Record<string, readonly Kind[]>> = {
  ...Object.fromEntries(pumpDevices.map((device) => [device, ['simple_peristaltic_pump']])),
  ...Object.fromEntries(odAngles.map((angle) => [`od${angle}`, ['od', 'od600']])),
  stirring: ['simple_stirring'],
  temperature: ['temperature'],
};

/** Where the calibrations of an angle are kept. */
export const odDevice = (angle: OdAngle): string => `od${angle}`;

function recordedData(fields: FileFields): CalibrationContent['recorded_data'] {
  const recorded = fields.fields('recorded_data');
  const other = recorded.names.find((name) => name !== 'x' && name !== 'y');
  if (other !== undefined) throw recorded.fault(other, 'Only x and y are known here.');
  const [x, y] = [recorded.numbers('x'), recorded.numbers('y')];
  if (x.length !== y.length)
    throw recorded.fault('y', `It must have as many numbers as x (${x.length}), not ${y.length}.`);
  return { x, y };
}

const odFields = (fields: FileFields) => ({
  ir_led_intensity: fields.number('ir_led_intensity'),
  angle: fields.angle('angle'),
  pd_channel: fields.choice('pd_channel', ['1', '2', '3', '4']),
});

function contentOf(fields: FileFields): CalibrationContent {
  const type = fields.choice('calibration_type', kinds);
  const common = {
    calibration_name: fields.fileName('calibration_name'),
    calibrated_on_reactor_unit: unitOf(fields),
    created_at: fields.instant('created_at'),
    curve_data_: fields.curve('curve_data_'),
    x: fields.text('x', usualAxes[type].x),
    y: fields.text('y', usualAxes[type].y),
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

/** Fields that are not known are left out. @throws ArtefactInvalid */
export const parseCalibration = (yaml: string): CalibrationContent => contentOf(fieldsOfYaml(yaml));

/** A calibration that another node has sent. Fields that are not known are left out. @throws ArtefactInvalid */
export const readCalibration = (value: unknown): CalibrationContent => contentOf(new FileFields(value));

/** @throws ArtefactInvalid when a calibration of this kind says nothing about this device */
export function expectFitting(device: string, { calibration_type: type, ...content }: CalibrationContent): void {
  const fitting = Object.hasOwn(kindsOfDevice, device) ? kindsOfDevice[device] : undefined;
  if (fitting !== undefined && !fitting.includes(type))
    throw new ArtefactInvalid('calibration_type', `${device} takes ${fitting.join(' or ')}, not ${type}.`);
  if ('angle' in content && fitting !== undefined && device !== `od${content.angle}`)
    throw new ArtefactInvalid('angle', `${device} is another angle than ${content.angle}.`);
}

/** The file of a calibration. */
export const writeCalibration = (calibration: CalibrationContent): string => yamlOf(calibration);
