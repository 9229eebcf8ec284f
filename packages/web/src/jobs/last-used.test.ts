import type { AutomationDescriptor, BiomassScale, Capability } from '@lcs/contract';
import { builtInAutomations, builtInJobDescriptors } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { usualMode } from '../units/usual-start.ts';
import { capabilitiesOfAny, shownJobs } from './job-catalog.ts';
import { enteredIn, fieldsFor, formOnScales, proposedVariant, type StartValues, startOptions } from './job-forms.ts';

const ended_at = '2026-11-26T16:35:00.000Z';
type Settings = NonNullable<Capability['last_used']>['settings'];

const capability = (job_name: string, names: readonly string[], more: Partial<Capability>): Capability => ({
  job_name,
  help: '',
  arguments: [],
  options: names.map((name) => ({
    name,
    long_flag: name,
    help: '',
    required: false,
    multiple: false,
    default: null,
    type: name === 'biomass_signal' ? 'text' : 'float',
  })),
  published_settings: {},
  cli_example: '',
  ...more,
});
const stirring = (settings: Settings | undefined): Capability =>
  capability('stirring', ['target_rpm', 'duty_cycle'], {
    ...(settings !== undefined && { last_used: { settings, job_source: 'user', ended_at } }),
  });
const dosing = (automation_name: string, settings: Settings | undefined, scale?: BiomassScale): Capability =>
  capability('dosing_automation', ['biomass_signal', 'target_biomass', 'exchange_volume_ml'], {
    automation_name,
    ...(settings !== undefined && {
      last_used: { settings, job_source: 'user', ended_at, ...(scale !== undefined && { biomass_scale: scale }) },
    }),
  });
const formOf = (job: string, capabilities: readonly Capability[]) => {
  const { dosing: dosingKinds, temperature }: Record<string, readonly AutomationDescriptor[]> = builtInAutomations;
  const automations = { dosing: dosingKinds ?? [], temperature: temperature ?? [] };
  const shown = shownJobs({ descriptors: builtInJobDescriptors, automations, capabilities, asOfMs: 0 });
  const form = shown.find(({ name }) => name === job)?.form;
  if (form === undefined) throw new Error(`There is no job ${job}.`);
  return form;
};

describe('the values of the last run', () => {
  it('are proposed in the fields that are seen; the default is one entry away', () => {
    const form = formOf('stirring', [stirring({ target_rpm: 610, duty_cycle: 45 })]);
    expect(startOptions(form, null, {})).toEqual({ target_rpm: 610 });
    expect(startOptions(form, null, { target_rpm: '' })).toEqual({});
    expect(startOptions(formOf('stirring', [stirring(undefined)]), null, {})).toEqual({});
    // A value of another type is not one of this field.
    expect(startOptions(formOf('stirring', [stirring({ target_rpm: 'fast' })]), null, {})).toEqual({});
  });

  it('choose the kind of an automation, but not the scale of its target', () => {
    const last = { biomass_signal: 'normalized_od', target_biomass: 0.4, exchange_volume_ml: 1.5 };
    const form = formOf('dosing_automation', [dosing('chemostat', undefined), dosing('turbidostat', last)]);
    expect(proposedVariant(form)).toBe('turbidostat');
    const values = (entered: StartValues) =>
      Object.fromEntries(fieldsFor(form, 'turbidostat').map((field) => [field.name, enteredIn(field, entered)]));
    expect(values({})).toEqual({ biomass_signal: '', target_biomass: '', exchange_volume_ml: 1.5 });
    expect(values({ biomass_signal: 'od' })).toMatchObject({ target_biomass: '' });
    expect(values({ biomass_signal: 'normalized_od' })).toMatchObject({ target_biomass: 0.4 });
  });

  it('are a target only while its signal has the scale that the target was a number of', () => {
    const last = { biomass_signal: 'od', target_biomass: 0.4, exchange_volume_ml: 1.5 };
    const form = formOf('dosing_automation', [dosing('turbidostat', last, 'od_calibrated')]);
    const target = (scale: BiomassScale) => {
      const settled = formOnScales(form, [{ signal: 'od', scale }]);
      return startOptions(settled, 'turbidostat', { biomass_signal: 'od' }).target_biomass;
    };
    expect(target('od_calibrated')).toBe(0.4);
    // Without its calibration the same number is another density.
    expect(target('od')).toBeUndefined();
    const unknown = formOnScales(formOf('dosing_automation', [dosing('turbidostat', last)]), [
      { signal: 'od', scale: 'od' },
    ]);
    expect(startOptions(unknown, 'turbidostat', { biomass_signal: 'od' })).not.toHaveProperty('target_biomass');
  });

  it('choose the mode also when it has no values', () => {
    const record = { ...capability('temperature_automation', [], { automation_name: 'only_record_temperature' }) };
    const thermostat = capability('temperature_automation', [], { automation_name: 'thermostat' });
    const ran = { ...record, last_used: { settings: {}, experiment: 'batch-7', job_source: 'user', ended_at } };
    expect(proposedVariant(formOf('temperature_automation', [thermostat, ran]))).toBe('only_record_temperature');
    const both =
      capabilitiesOfAny([
        [thermostat, ran],
        [thermostat, ran],
      ]) ?? [];
    expect(proposedVariant(formOf('temperature_automation', both))).toBe('only_record_temperature');
  });

  it('of several units are proposed where all have the same', () => {
    const both = (one: Settings | undefined, other: Settings | undefined) =>
      startOptions(formOf('stirring', capabilitiesOfAny([[stirring(one)], [stirring(other)]]) ?? []), null, {});
    expect(both({ target_rpm: 610 }, { target_rpm: 610, duty_cycle: 1 })).toEqual({ target_rpm: 610 });
    expect(both({ target_rpm: 610 }, { target_rpm: 500 })).toEqual({});
    expect(both({ target_rpm: 610 }, undefined)).toEqual({});
  });

  it('are no proposal when a profile or an older version set them', () => {
    const of = (job_source?: string) => {
      const last_used = { settings: { target_rpm: 610 }, ended_at, ...(job_source !== undefined && { job_source }) };
      return startOptions(formOf('stirring', [{ ...stirring(undefined), last_used }]), null, {});
    };
    expect([of('user'), of('experiment_profile/1'), of('demo'), of()]).toEqual([{ target_rpm: 610 }, {}, {}, {}]);
  });

  it('are a heat only where a person entered the same one last on every unit', () => {
    const kind = (automation_name: string, run?: readonly [number, string, string]): Capability => ({
      ...capability('temperature_automation', ['target_temperature'], { automation_name }),
      ...(run !== undefined && {
        last_used: {
          settings: automation_name === 'thermostat' ? { target_temperature: run[0] } : {},
          job_source: run[1],
          ended_at: `2026-11-26T${run[2]}:00.000Z`,
        },
      }),
    });
    const unit = (heated?: readonly [number, string, string], recorded?: readonly [number, string, string]) => [
      kind('only_record_temperature', recorded),
      kind('thermostat', heated),
    ];
    const proposal = (...units: readonly (readonly Capability[])[]) => {
      const form = formOf('temperature_automation', capabilitiesOfAny(units) ?? []);
      const mode = usualMode(form);
      return [mode, startOptions(form, mode, {}).target_temperature];
    };
    const none = ['only_record_temperature', undefined];
    const profile = 'experiment_profile/1';
    expect(proposal(unit([37, 'user', '09:00']), unit([37, 'user', '10:00']))).toEqual(['thermostat', 37]);
    expect(proposal(unit([37, 'user', '09:00']), unit([28, profile, '10:00']))).toEqual(none);
    expect(proposal(unit([37, 'user', '09:00']), unit([37, profile, '10:00']))).toEqual(none);
    expect(proposal(unit([37, 'user', '09:00']), unit([28, 'user', '10:00']))).toEqual(none);
    expect(proposal(unit([37, 'user', '09:00']), unit())).toEqual(none);
    expect(
      proposal(unit([37, 'user', '09:00'], [0, 'user', '08:00']), unit([37, 'user', '09:00'], [0, 'user', '11:00'])),
    ).toEqual(none);
    expect(proposal(unit([28, profile, '09:00']))).toEqual(none);
    // Whoever chooses to heat enters how much.
    expect(startOptions(formOf('temperature_automation', unit()), 'thermostat', {})).not.toHaveProperty(
      'target_temperature',
    );
  });
});
