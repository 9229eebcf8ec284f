import type { CalibrationSummary } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import {
  blankCell,
  calibrationCell,
  deviceTitle,
  matrixDevices,
  matrixSentence,
  rangeText,
  scatterText,
} from './calibration-matrix.ts';

const nowMs = Date.parse('2026-11-26T12:00:00.000Z');
const daysAgo = (days: number): string => new Date(nowMs - 86_400_000 * days).toISOString();
const summary = (more: Partial<CalibrationSummary> = {}): CalibrationSummary => ({
  reactor_unit: 'unit1',
  device: 'media_pump',
  calibration_name: 'tube 7',
  calibration_type: 'simple_peristaltic_pump',
  created_at: daysAgo(3.5),
  is_active: true,
  active_since: null,
  points: 10,
  range: { quantity: 'Volume', low: 0.0956, high: 1.914 },
  residual: 0.02,
  scatter: 0.0213,
  copied_at: null,
  ...more,
});

describe('a cell of the matrix', () => {
  it.each([
    ['a good one', [summary()], { state: 'good', text: '3 d', details: ['±2.1 %', '0.096–1.9 mL'] }],
    ['a new one', [summary({ created_at: daysAgo(0.1) })], { state: 'good', text: 'today' }],
    [
      'an old one',
      [summary({ created_at: daysAgo(91) })],
      { state: 'old', text: '91 d', details: ['older than 90 days', '±2.1 %', '0.096–1.9 mL'] },
    ],
    [
      'a poor one',
      [summary({ scatter: 0.3 })],
      { state: 'poor', details: ['points scatter', '±30 %', '0.096–1.9 mL'] },
    ],
    ['one that is not used', [summary({ is_active: false })], { state: 'inactive', details: ['1 stored'] }],
    ['none', [], { state: 'none', text: 'none' }],
  ])('of %s', (_what, found, cell) => {
    expect(calibrationCell(found, nowMs)).toMatchObject(cell);
  });

  it('has the range and the scatter in the units of its device', () => {
    expect(rangeText({ quantity: 'OD600', low: 0, high: 2 })).toBe('0–2');
    expect(rangeText({ quantity: 'Probe', low: 36.9, high: 36.9 })).toBe('37 °C');
    expect(rangeText(null)).toBeNull();
    expect(scatterText({ device: 'temperature', residual: 0.14, scatter: 0.004 })).toBe('±0.1 °C');
    expect(scatterText({ device: 'media_pump', residual: 0, scatter: 1e-9 })).toBeNull();
    expect(scatterText({ device: 'od90', residual: null, scatter: null })).toBeNull();
  });
});

it('has columns of the usual devices, then of others that have a calibration', () => {
  const devices = matrixDevices([summary({ device: 'od135' }), summary({ device: 'od45' }), summary()]);
  expect(devices.slice(-3)).toEqual(['od90', 'od45', 'od135']);
  expect(new Set(devices).size).toBe(devices.length);
  expect(['od90', 'media_pump'].map(deviceTitle)).toEqual(['OD at 90°', 'Media pump']);
});

it('is summed up by what has to be done', () => {
  const cells = [[summary()], [summary({ created_at: daysAgo(400) })], [], [summary({ is_active: false })]];
  const sentence = matrixSentence(
    cells.map((found) => calibrationCell(found, nowMs)),
    [blankCell(undefined, nowMs), blankCell(undefined, nowMs)],
  );
  // As many as the matrix has cells.
  expect(sentence).toBe('Active calibrations: 1 up to date, 1 older than 90 days, 2 missing. Blanks: 2 missing.');
  expect(matrixSentence([], [])).toBe('');
});

it('a blank that was kept in spite of a warning is marked', () => {
  const measured_at = '2026-11-26T12:00:00.000Z';
  const blank = { reactor_unit: 'unit2', experiment: 'ramp', measured_at, means: { '2': 0.06134 }, problems: [] };
  const nowMs = Date.parse(measured_at) + 1_000;
  expect(blankCell(undefined, nowMs)).toMatchObject({ text: 'none', details: [] });
  expect(blankCell(blank, nowMs)).toEqual({ state: 'good', text: 'today', details: ['0.0613 V in ramp'] });
  expect(blankCell({ ...blank, problems: ['It drifted.'] }, nowMs)).toMatchObject({
    state: 'poor',
    details: ['kept in spite of a warning', '0.0613 V in ramp'],
  });
});
