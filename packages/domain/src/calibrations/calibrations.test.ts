import type { CalibrationContent } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertDeviceAccepts, parseCalibration, writeCalibration } from './calibration-file.ts';
import { validateCalibrationName, validateDeviceName } from './calibration-names.ts';
import { calibratedX, secondsFor, volumeIn } from './calibration-use.ts';
import { InvalidCalibrationFile } from './file-fields.ts';

const pumpYaml = `# made with care
calibration_type: simple_peristaltic_pump
calibration_name: media_pump-2026-11-21
calibrated_on_reactor_unit: unit1
created_at: 2026-11-21 04:24:05.756000+00:00
curve_data_:
  type: poly
  coefficients:
  - 0.37585
  - 0.0
x: Duration
y: Volume
recorded_data:
  x: [0.8, 1.5, 2.2]
  y: [0.3, 0.55, 0.83]
hz: 250.0
dc: 100.0
voltage: 11.9
colour: blue
`;

const odYaml = `calibration_type: od600
calibration_name: od-cal-2026
calibrated_on_pioreactor_unit: unit1
created_at: 2026-01-02T03:04:05Z
curve_data_: {type: spline, knots: [0.0, 1.0], coefficients: [[0.01, 0.5, 0.0, 0.0]]}
recorded_data: {x: [0.0, 1.0], y: [0.01, 0.51]}
ir_led_intensity: 80.0
angle: "90"
pd_channel: "2"
`;

const faultOf = (yaml: string): string => {
  try {
    parseCalibration(yaml);
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) return error.message;
    throw error;
  }
  return 'none';
};

describe('a calibration file', () => {
  it('is read with its time, and without unknown fields', () => {
    expect(parseCalibration(pumpYaml)).toEqual({
      calibration_type: 'simple_peristaltic_pump',
      calibration_name: 'media_pump-2026-11-21',
      calibrated_on_reactor_unit: 'unit1',
      created_at: '2026-11-21T04:24:05.756Z',
      curve_data_: { type: 'poly', coefficients: [0.37585, 0] },
      x: 'Duration',
      y: 'Volume',
      recorded_data: { x: [0.8, 1.5, 2.2], y: [0.3, 0.55, 0.83] },
      hz: 250,
      dc: 100,
      voltage: 11.9,
    });
  });

  it('has default axes, and may use the other spelling of the unit', () => {
    expect(parseCalibration(odYaml)).toMatchObject({
      calibrated_on_reactor_unit: 'unit1',
      created_at: '2026-01-02T03:04:05.000Z',
      x: 'OD600',
      y: 'Voltage',
      angle: '90',
    });
  });

  it('is written so that it is read as the same', () => {
    for (const yaml of [pumpYaml, odYaml]) {
      const content = parseCalibration(yaml);
      expect(parseCalibration(writeCalibration(content))).toEqual(content);
    }
  });

  it.each([
    ['a: [', ''],
    ['- 1', ''],
    ['', ''],
    [pumpYaml.replace('simple_peristaltic_pump', 'wheel'), 'calibration_type: '],
    [pumpYaml.replace(/^hz: .*$/m, ''), 'hz: '],
    [pumpYaml.replace(/^hz: .*$/m, 'hz: -1'), 'hz: '],
    [pumpYaml.replace(/^hz: .*$/m, 'hz: "250"'), 'hz: '],
    [pumpYaml.replace(/^hz: .*$/m, 'hz: .nan'), 'NaN'],
    [pumpYaml.replace('[0.3, 0.55, 0.83]', '[0.3]'), 'recorded_data.y: '],
    [pumpYaml.replace('y: [0.3, 0.55, 0.83]', 'y: [0.3, 0.55, 0.83]\n  z: []'), 'recorded_data.z: '],
    [pumpYaml.replace('756000+00:00', '756000'), 'created_at: '],
    [pumpYaml.replace('media_pump-2026-11-21', '../x'), 'calibration_name: '],
    [pumpYaml.replace('media_pump-2026-11-21', '.x'), 'calibration_name: '],
    ['x: [', 'line 1, column 5'],
    [pumpYaml.replace('calibrated_on_reactor_unit: unit1', ''), 'calibrated_on_pioreactor_unit: '],
    [odYaml.replace('"90"', '90'), 'angle: '],
    [odYaml.replace('[0.0, 1.0], coefficients', '[1], coefficients'), 'curve_data_.knots: '],
    [odYaml.replace('[0.0, 1.0], coefficients', '[1, 0], coefficients'), 'curve_data_.knots: '],
    [odYaml.replace('[[0.01, 0.5, 0.0, 0.0]]', '[[1, 2]]'), 'curve_data_.coefficients[0]: '],
    [odYaml.replace('[[0.01, 0.5, 0.0, 0.0]]', '[]'), 'curve_data_.coefficients: '],
    [
      pumpYaml.replace('- 0.37585\n  - 0.0', '[]').replace('coefficients:\n  []', 'coefficients: []'),
      'curve_data_.coefficients: ',
    ],
  ])('is refused with the name of the invalid field (%#)', (yaml, fault) => {
    expect(faultOf(yaml)).not.toBe('none');
    expect(faultOf(yaml)).toContain(fault);
  });

  it('survives any text', () => {
    fc.assert(fc.property(fc.string(), (text) => faultOf(text) !== 'none'));
  });

  it('belongs to the devices of its type, or to an unknown device', () => {
    const pump = parseCalibration(pumpYaml);
    expect(() => assertDeviceAccepts('media_pump', pump)).not.toThrow();
    expect(() => assertDeviceAccepts('bubbler', pump)).not.toThrow();
    expect(() => assertDeviceAccepts('od90', pump)).toThrow('calibration_type: ');
    expect(() => assertDeviceAccepts('od45', parseCalibration(odYaml))).toThrow('angle');
  });
});

describe('the name of a calibration', () => {
  it.each(['a', 'a b', 'media_pump-2026-11-21', 'A.b_c-d'])('may be %s', (name) => {
    expect(validateCalibrationName(name).ok).toBe(true);
  });
  it.each(['', ' a', 'a ', 'a  b', '.', '..', '.a', '-a', 'a/b', 'a\\b', 'ä', 'a\n', 'a'.repeat(201)])(
    'may not be %j',
    (name) => {
      expect(validateCalibrationName(name).ok).toBe(false);
    },
  );
  it('of a device must not be that of the sessions', () => {
    expect([validateDeviceName('sessions').ok, validateDeviceName('od90').ok]).toEqual([false, true]);
  });
});

describe('a calibration in use', () => {
  const od = parseCalibration(odYaml);

  it('gives the x of a measured y, limited to the recorded range', () => {
    expect(calibratedX(od, 0.26)).toEqual({ x: 0.5, isOutOfRange: false, isLowerBound: false });
    expect(calibratedX(od, 0.9)).toEqual({ x: 1, isOutOfRange: true, isLowerBound: true });
    expect(calibratedX(od, 0)).toEqual({ x: 0, isOutOfRange: true, isLowerBound: false });
  });

  it('applies its curve alone without recorded points', () => {
    const bare: Pick<CalibrationContent, 'curve_data_' | 'recorded_data'> = {
      ...od,
      recorded_data: { x: [], y: [] },
    };
    expect(calibratedX(bare, 5.01)).toEqual({ x: 10, isOutOfRange: false, isLowerBound: false });
    expect(calibratedX({ ...bare, curve_data_: { type: 'poly', coefficients: [1] } }, 5)).toBeUndefined();
  });

  it('converts between volume and running time of a pump', () => {
    const pump = parseCalibration(pumpYaml);
    expect(secondsFor(pump, 0.37585)).toBeCloseTo(1, 9);
    expect(volumeIn(pump, 2)).toBeCloseTo(0.7517, 9);
    expect(secondsFor(pump, -1)).toBeUndefined();
  });
});
