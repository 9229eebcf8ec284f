import { expect, it } from 'vitest';
import type { UnitSignals } from './biomass-choices.ts';
import { densityWarnings, stirringWarnings, temperatureWarnings } from './value-warnings.ts';

const units = (value: number | null): readonly UnitSignals[] => [
  {
    unit: 'unit5',
    signals: {
      configured: 'od',
      automatic: 'od',
      signals: [{ signal: 'od', scale: 'od', value, measured_at: null }],
    },
  },
];
const targets = (target: number | string, value: number | null) =>
  densityWarnings('turbidostat', { target_biomass: target, biomass_signal: 'od' }, units(value)).target_biomass ?? [];

it('a target far above the present density is questioned, with the factor', () => {
  expect(targets(100, 0.5)).toEqual([expect.stringContaining('200 times')]);
  expect(targets(100, 0.5)[0]).toContain('0.5 AU');
  expect(targets(4, 0.5)).toEqual([]);
  expect([targets(100, null), targets('', 0.5)]).toEqual([[], []]);
  expect(densityWarnings('chemostat', { target_biomass: 100, biomass_signal: 'od' }, units(0.5))).toEqual({});
});

it('a temperature that kills cultures is questioned', () => {
  expect(temperatureWarnings('thermostat', { target_temperature: 60 }).target_temperature).toHaveLength(1);
  expect(temperatureWarnings('thermostat', { target_temperature: 45 })).toEqual({});
  expect(temperatureWarnings('only_record_temperature', { target_temperature: 60 })).toEqual({});
});

it('a stirrer that turns slower than its sensor can measure is questioned; one that stands is not', () => {
  expect(stirringWarnings({ target_rpm: 0.5, interval: 1 })).toEqual({
    target_rpm: [expect.stringContaining('24 RPM')],
  });
  expect(
    stirringWarnings({ target_rpm: 0, target_rpm_during_od_reading: 24, target_rpm_outside_od_reading: '' }),
  ).toEqual({});
});
