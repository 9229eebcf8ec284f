import type { PlannedAction, ProfilePlan } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { runConsequences, type UnitNow } from './run-consequences.ts';

const action = (job_name: string, at_s: number, options: PlannedAction['options'], more: Partial<PlannedAction> = {}) =>
  ({
    at_s,
    job_name,
    path: `${job_name} ${at_s}`,
    iteration: 0,
    action: 'start',
    options,
    condition: null,
    depends_on: null,
    line: 1,
    column: 1,
    ...more,
  }) satisfies PlannedAction;

const planOf = (actions: readonly PlannedAction[], units = ['rx1', 'rx2']): Pick<ProfilePlan, 'units'> => ({
  units: units.map((reactor_unit) => ({ reactor_unit, label: null, is_truncated: false, actions: [...actions] })),
});

const nowOf = (unit: string): UnitNow => ({
  signals: {
    unit,
    signals: {
      configured: 'od',
      automatic: 'od',
      signals: [{ signal: 'od', scale: 'od', value: 0.2, measured_at: null }],
      culture: { growth_rate: 0.1, volume_ml: 14, media_bottle_left_ml: 200 },
    },
  },
  temperature: { unit, liquidC: 22 },
});

const heat = (at_s: number, target_temperature: number, more: Partial<PlannedAction> = {}) =>
  action('temperature_automation', at_s, { automation_name: 'thermostat', target_temperature }, more);
const turbidostat = (at_s: number, target_biomass: number | string, more: Partial<PlannedAction> = {}) =>
  action('dosing_automation', at_s, { automation_name: 'turbidostat', target_biomass, biomass_signal: 'od' }, more);

describe('the start of a profile', () => {
  it('names each temperature, target and dose once, with its time and its units', () => {
    const plan = planOf([
      action('stirring', 0, { target_rpm: 500 }),
      heat(0, 30),
      heat(7200, 37, { action: 'update' }),
      turbidostat(3600, 0.4),
      action('add_media', 60, { ml: 2 }, { depends_on: 'common.jobs.x' }),
    ]);
    const { steps } = runConsequences(plan, nowOf);
    expect(steps.map(({ units }) => units)).toEqual(Array(4).fill(['rx1', 'rx2']));
    expect(steps.map(({ text }) => text.match(/\d+(\.\d+)?/g))).toEqual([
      ['30'],
      ['37', '2', '0'],
      ['0.4', '1', '0'],
      ['2'],
    ]);
  });

  it('says what the first steps mean for each unit as it is now, not what later ones or those after a wait do', () => {
    const of = (...actions: PlannedAction[]) => runConsequences(planOf(actions, ['rx1']), nowOf).texts;
    expect(of(heat(0, 30))).toEqual([expect.stringMatching(/^rx1: liquid 22 °C now, target 30 °C/)]);
    expect(of(turbidostat(0, 0.1))).toEqual([expect.stringMatching(/^rx1: OD now 0\.2, target 0\.1: dilutes at once/)]);
    expect(of(heat(7200, 30), turbidostat(7200, 0.1))).toEqual([]);
    expect(of(heat(0, 30, { depends_on: 'x' }), turbidostat(0, 0.1, { condition: 'x > 1' }))).toEqual([]);
    expect(of(turbidostat(0, '$'.concat('{{ first }}')))).toEqual([]);
  });

  it('asks about a target of another scale and a temperature that no culture survives, whenever they come', () => {
    const { warnings } = runConsequences(planOf([heat(0, 80), turbidostat(7200, 50)], ['rx1']), nowOf);
    expect(warnings).toHaveLength(2);
    const changed = [turbidostat(0, 0.4), turbidostat(60, 50, { action: 'update', options: { target_biomass: 50 } })];
    expect(runConsequences(planOf(changed, ['rx1']), nowOf).warnings).toHaveLength(1);
    expect(runConsequences(planOf([heat(0, 37), turbidostat(0, 0.4)]), nowOf).warnings).toEqual([]);
  });

  it('adds up the medium of several units, which begin above their target', () => {
    const { texts } = runConsequences(planOf([turbidostat(0, 0.1)]), nowOf);
    expect(texts).toHaveLength(3);
  });
});
