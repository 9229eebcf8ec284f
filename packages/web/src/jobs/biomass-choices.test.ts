import type { BiomassSignals } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { biomassChoices, signalOfTarget, unitOfTarget } from './biomass-choices.ts';

const signals = (od: number | null, isCalibrated = false, normalized: number | null = 1.005): BiomassSignals => ({
  configured: 'normalized_od',
  automatic: 'normalized_od',
  signals: [
    { signal: 'od', scale: isCalibrated ? 'od_calibrated' : 'od', value: od, measured_at: null },
    { signal: 'normalized_od', scale: 'normalized_od', value: normalized, measured_at: null },
  ],
  culture: { growth_rate: 0.3, volume_ml: 15, media_bottle_left_ml: 500 },
});

describe('the scales of a target that a person chooses from', () => {
  it('have their unit and the newest value of each unit', () => {
    const units = [
      { unit: 'unit1', signals: signals(0.26512) },
      { unit: 'unit2', signals: signals(null, false, 1.019) },
    ];
    expect(biomassChoices(units)).toMatchObject([
      { signal: 'od', label: 'OD reading', unit: 'AU', now: 'unit1 0.265, unit2 no reading', missing: null },
      { signal: 'normalized_od', unit: '× start OD', now: 'unit1 1, unit2 1.02', missing: null },
    ]);
    expect(biomassChoices([{ unit: 'unit1', signals: signals(0.5, true) }])[0]).toMatchObject({
      label: 'Calibrated OD',
      unit: 'OD',
    });
  });

  it('cannot be chosen where units measure on different scales, or not at all', () => {
    const [calibrated, plain] = [signals(0.5, true), signals(0.26)];
    const fused = { ...plain, signals: [{ ...plain.signals[0], signal: 'od_fused', scale: 'od_fused' } as const] };
    const mixed = biomassChoices([
      { unit: 'unit1', signals: calibrated },
      { unit: 'unit2', signals: plain },
    ]);
    expect(mixed.map(({ signal, missing }) => [signal, missing === null])).toEqual([
      ['od', false],
      ['normalized_od', true],
    ]);
    expect(mixed[0]?.missing).toMatch(/unit1: Calibrated OD, unit2: OD reading/);
    const one = { value: 1, measured_at: null, ...fused.signals[0] } as BiomassSignals['signals'][number];
    const partly = biomassChoices([
      { unit: 'unit1', signals: { ...plain, signals: [one] } },
      { unit: 'unit2', signals: plain },
    ]);
    expect(partly.find(({ signal }) => signal === 'od_fused')?.missing).toMatch(/unit2/);
  });

  it('are offered before the units have answered, without a value', () => {
    expect(biomassChoices([{ unit: 'unit1', signals: undefined }])).toMatchObject([
      { signal: 'od', now: 'unit1 not known yet', missing: null },
      { signal: 'normalized_od', missing: null },
    ]);
  });
});

it('a target has the unit of the signal that it is a number of', () => {
  expect(signalOfTarget('turbidostat', 'target_biomass')).toBe('chosen');
  expect(signalOfTarget('pid_morbidostat', 'target_normalized_od')).toBe('normalized_od');
  expect(signalOfTarget('turbidostat', 'exchange_volume_ml')).toBeNull();
  expect(signalOfTarget('chemostat', 'duration')).toBeNull();
  const unit = (settings: Record<string, string>, setting = 'target_biomass') => unitOfTarget(setting, settings);
  expect(unit({ biomass_signal: 'normalized_od' })).toBe('× start OD');
  expect(unit({ biomass_signal: 'od', biomass_scale: 'od_calibrated' })).toBe('OD');
  expect(unit({ biomass_signal: 'od', biomass_scale: 'od' })).toBe('AU');
  // A unit of an older version does not say whether it is calibrated.
  expect(unit({ biomass_signal: 'od' })).toBe('');
  expect(unit({ biomass_signal: 'meter/level' })).toBe('');
  expect(unit({}, 'target_normalized_od')).toBe('× start OD');
  expect(unit({}, 'target_rpm')).toBeUndefined();
});
