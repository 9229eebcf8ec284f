import type { BiomassSignals, UnitOutcome } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { biomassChange, biomassStart, expectOneScale, runningSignals } from './biomass-scales.ts';

const signals = (automatic: 'od' | 'normalized_od', isCalibrated: boolean, configured: string = automatic) =>
  ({
    configured,
    automatic,
    signals: [
      { signal: 'od', scale: isCalibrated ? 'od_calibrated' : 'od', value: 0.26, measured_at: null },
      { signal: 'normalized_od', scale: 'normalized_od', value: 1, measured_at: null },
    ],
  }) satisfies BiomassSignals;

const answers = (of: Readonly<Record<string, BiomassSignals | null>>): Record<string, UnitOutcome> =>
  Object.fromEntries(
    Object.entries(of).map(([unit, value]) => [
      unit,
      value === null
        ? { ok: false, unit, error: { kind: 'connection_error', message: 'No.' }, status_code: null, retryable: true }
        : { ok: true, unit, value },
    ]),
  );

const mixed = answers({ unit1: signals('od', true), unit2: signals('normalized_od', false) });
const alike = answers({ unit1: signals('normalized_od', false), unit2: signals('normalized_od', false) });

describe('one start on several units', () => {
  it.each([['auto'], [null], ['od']])(
    'with the signal %s is refused where the units would measure on different scales',
    (signal) => {
      expect(() => expectOneScale(mixed, () => signal)).toThrow(
        expect.objectContaining({ code: 'biomass_scales_differ', status: 409 }),
      );
    },
  );

  it('names the units and their scales', () => {
    expect(() => expectOneScale(mixed, () => 'auto')).toThrow(
      expect.objectContaining({
        body: expect.objectContaining({ cause: expect.stringMatching(/unit1 od_calibrated, unit2 normalized_od/) }),
      }),
    );
  });

  it('goes to all units that would measure on the same scale, and not to one that does not answer', () => {
    expect([...expectOneScale(mixed, () => 'normalized_od')]).toEqual(['unit1', 'unit2']);
    expect([...expectOneScale(alike, () => 'auto')]).toEqual(['unit1', 'unit2']);
    expect([...expectOneScale(mixed, () => 'meter/level')]).toEqual(['unit1', 'unit2']);
    expect([...expectOneScale({ ...alike, ...answers({ unit3: null }) }, () => null)]).toEqual(['unit1', 'unit2']);
  });
});

describe('a start that holds a biomass', () => {
  const turbidostat = { automation_name: 'turbidostat' };

  it('is known by its automation, and its signal by option, override and configuration', () => {
    const start = (options: object, config_overrides?: string[][]) =>
      biomassStart('dosing_automation', { options: { ...options }, ...(config_overrides && { config_overrides }) });
    expect(start(turbidostat)).toEqual({ signal: null });
    expect(start({ 'automation-name': 'turbidostat', 'biomass-signal': 'od' })).toEqual({ signal: 'od' });
    const override = [['dosing_automation.turbidostat', 'biomass_signal', 'od_fused']];
    expect(start(turbidostat, override)).toEqual({ signal: 'od_fused' });
    expect(start({ ...turbidostat, biomass_signal: 'od' }, override)).toEqual({ signal: 'od' });
  });

  it('is none of the others', () => {
    for (const automation_name of ['chemostat', 'pid_morbidostat', 'silent', 'constructor'])
      expect(biomassStart('dosing_automation', { options: { automation_name } })).toBeUndefined();
    expect(biomassStart('dosing_automation', {})).toBeUndefined();
    expect(biomassStart('stirring', { options: turbidostat })).toBeUndefined();
  });
});

describe('a change of the target of running jobs', () => {
  it('is measured by each unit with the signal of its job, without one on the normalised density', () => {
    const settings = (biomass_signal?: string) => ({
      settings: { target_biomass: 0.4, ...(biomass_signal !== undefined && { biomass_signal }) },
      job_id: 1,
    });
    const running = (one?: string, two?: string): Record<string, UnitOutcome> => ({
      unit1: { ok: true, unit: 'unit1', value: settings(one) },
      unit2: { ok: true, unit: 'unit2', value: settings(two) },
    });
    const differ = expect.objectContaining({ code: 'biomass_scales_differ' });
    expect(() => expectOneScale(mixed, runningSignals(running('od', 'od')))).toThrow(differ);
    expect(() => expectOneScale(alike, runningSignals(running('od', 'normalized_od')))).toThrow(differ);
    expect([...expectOneScale(mixed, runningSignals(running()))]).toEqual(['unit1', 'unit2']);
    const { unit1 } = running('od');
    expect([...expectOneScale(mixed, runningSignals(unit1 === undefined ? {} : { unit1 }))]).toEqual(['unit1']);
  });

  it('is one of a density that is not 0', () => {
    const change = (job: string, settings: Record<string, number | string>) => biomassChange(job, { settings }, 'p');
    expect(change('dosing_automation', { target_biomass: 0.4 })).toEqual({ settingsPath: 'p' });
    expect(change('dosing_automation', { target_biomass: 0 })).toBeUndefined();
    expect(change('dosing_automation', { exchange_volume_ml: 1 })).toBeUndefined();
    expect(change('stirring', { target_biomass: 0.4 })).toBeUndefined();
  });
});
