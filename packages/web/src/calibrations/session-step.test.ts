import type { SessionField, SessionStep } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { readCalibrationsSearch } from './calibrations-search.ts';
import { bodyOf, chartOf, createdCalibrations, initialOf, resultFacts, tableOf } from './session-step.ts';

const field = (name: string, more: Partial<SessionField> = {}): SessionField => ({
  name,
  label: name,
  field_type: 'float',
  required: true,
  default: null,
  options: null,
  minimum: null,
  maximum: null,
  min_error_msg: null,
  max_error_msg: null,
  help_text: null,
  ...more,
});
const stepWith = (metadata: SessionStep['metadata']) => ({ metadata });

describe('a step', () => {
  it('shows its chart without empty series, and its table or that of its result', () => {
    const axes = { title: 'T', x_label: 'X', y_label: 'Y' };
    const filled = { id: 'a', label: 'A', points: [{ x: 1, y: 2 }] };
    const chart = { ...axes, series: [filled, { id: 'b', label: 'B', points: [] }] };
    expect(chartOf(stepWith({ chart }))).toEqual({ ...axes, series: [filled] });
    expect(chartOf(stepWith({ chart: { ...axes, series: [] } }))).toBeUndefined();
    expect(chartOf(stepWith({}))).toBeUndefined();
    const table = { title: 'T', columns: ['a'], rows: [['1']] };
    expect(tableOf(stepWith({ table }))).toEqual(table);
    expect(tableOf(stepWith({ result: { table } }))).toEqual(table);
  });

  it('has its text without what it does to the experiment, which is shown as a warning', () => {
    const effect = 'unit1 is in the experiment ramp.';
    const metadata = { experiment_effect: effect };
    expect(bodyOf({ body: `${effect}\n\nPlace the tubes.`, metadata })).toBe('Place the tubes.');
    expect(bodyOf({ body: effect, metadata })).toBe('');
    expect(bodyOf({ body: 'Place the tubes.', metadata: {} })).toBe('Place the tubes.');
    expect(bodyOf({ body: null, metadata: {} })).toBe('');
  });

  it('has the suggested values as initial values', () => {
    const fields = [
      field('a', { default: 15 }),
      field('b', { field_type: 'bool', default: true }),
      field('c'),
      field('d', { field_type: 'float_list', default: [1, 2] }),
    ];
    expect(initialOf(fields)).toEqual({ a: '15', b: true, c: '', d: '1, 2' });
  });
});

it('shows the result of a session', () => {
  const result = {
    title: 'Done',
    calibration_link: { device: 'media_pump', calibration_name: 'tube 7', path: 'p' },
    stats: { slope: 0.091234567, bias: 0, std_slope: 0.001, std_bias: 0, r_squared: 0.999 },
    recommended_volume_range_ml: [0.8, 1.1],
    calibrations: [{ device: 'stirring', calibration_name: 'a', path: 'q' }],
  };
  expect(createdCalibrations(result)).toEqual([
    { device: 'media_pump', name: 'tube 7' },
    { device: 'stirring', name: 'a' },
  ]);
  expect(resultFacts(result)).toEqual([
    ['Flow', '0.09123 ± 0.001 mL/s'],
    ['Offset', '0 ± 0 mL'],
    ['Fit (R²)', '0.999'],
    ['Recommended volumes', '0.8 to 1.1 mL'],
  ]);
  const blank = { means: { '2': 0.01214 }, noise: { '2': 0.0002 }, problems: [], failed: ['od_reading'], ran_s: 3 };
  expect(resultFacts(blank)).toEqual([
    ['Blank', 'photodiode 2: 0.0121 ± 0.0002 V'],
    ['Time of running', '3 s'],
    ['Failed checks', 'OD reading'],
  ]);
  expect([createdCalibrations(null), resultFacts(null)]).toEqual([[], []]);
});

it('reads addresses, and leaves out invalid parts', () => {
  expect(readCalibrationsSearch({ unit: 'unit1', session: 's' })).toEqual({ unit: 'unit1', session: 's' });
  expect(readCalibrationsSearch({ session: 's' })).toEqual({});
  expect(readCalibrationsSearch({ unit: 5 })).toEqual({});
});
