import type { Capability, DescribedSetting, JobDescriptor } from '@lcs/contract';
import { builtInAutomations, builtInJobDescriptors } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import {
  capabilitiesOf,
  capabilitiesOfAny,
  capabilitiesWithLastUsed,
  type JobFacts,
  keptCapabilities,
  shownJobs,
} from './job-catalog.ts';
import { fieldFault, needsNoQuestion, type StartForm, startOptions } from './job-forms.ts';

type Option = Capability['options'][number];

const option = (name: string, more: Partial<Option> = {}): Option => ({
  name,
  long_flag: name.replaceAll('_', '-'),
  help: '',
  required: false,
  multiple: false,
  default: null,
  type: 'float',
  ...more,
});

const capability = (job_name: string, options: readonly Option[], more: Partial<Capability> = {}): Capability => ({
  job_name,
  help: '',
  arguments: [],
  options: [...options],
  published_settings: {},
  cli_example: '',
  available: true,
  ...more,
});

const turbidostat = capability(
  'dosing_automation',
  [
    option('target_biomass', { required: true, min: 0.0001 }),
    option('exchange_volume_ml', { min: 0, max: 100, unit: 'mL' }),
    option('biomass_signal', { type: 'text' }),
    option('skip_first_run', { type: 'boolean' }),
  ],
  { automation_name: 'turbidostat' },
);

const own: readonly Capability[] = [
  capability('stirring', [
    option('target_rpm', { min: 0, max: 1500, unit: 'RPM' }),
    option('use_rpm', { type: 'boolean' }),
  ]),
  capability('growth_rate_calculating', []),
  turbidostat,
];

const setting = (key: string): DescribedSetting => ({
  key,
  type: 'string',
  display: true,
  description: 'How it bubbles.',
  default: null,
  unit: null,
  label: 'Mode',
  editable: true,
  min: null,
  max: null,
});

const bubbler: JobDescriptor = {
  display_name: 'Air bubbler',
  job_name: 'air_bubbler',
  display: true,
  published_settings: [setting('mode')],
  source: 'air-bubbler',
  description: 'Bubbles.',
  subtext: null,
  is_testing: false,
};

const facts: JobFacts = {
  descriptors: [...builtInJobDescriptors, bubbler],
  automations: builtInAutomations,
  capabilities: own,
  asOfMs: 0,
};
const named = (name: string, of: JobFacts = facts) => {
  const found = shownJobs(of).find((job) => job.name === name);
  if (found === undefined) throw new Error(`${name} is not shown`);
  return found;
};
const variant = (form: StartForm, name: string) => form.variants.find((each) => each.name === name);

describe('the jobs that people see', () => {
  it('are those of the descriptors, in their order, plugins among them', () => {
    expect(shownJobs(facts).map(({ title }) => title)).toEqual([
      ...['Stirring', 'OD reading', 'Growth rate', 'Temperature control', 'Dosing', 'Light'],
      'Air bubbler',
    ]);
    expect(named('air_bubbler').plugin).toBe('air-bubbler');
    expect(named('stirring').plugin).toBeNull();
  });

  it('ask what the unit takes, with its limits and units; what no card shows only on demand', () => {
    expect(named('stirring').form.fields).toMatchObject([
      { name: 'target_rpm', label: 'Target stir RPM', kind: 'number', unit: 'RPM', min: 0, max: 1500, isMain: true },
      { name: 'use_rpm', label: 'Use RPM', kind: 'switch', isMain: false },
    ]);
    expect(named('stirring').settings).toMatchObject([{ key: 'target_rpm', min: 0, max: 1500 }]);
    expect(needsNoQuestion(named('growth_rate_calculating').form)).toBe(true);
  });

  it('have no fields for options of tests and programs', () => {
    const options = [option('interval'), option('fake_data', { type: 'boolean', is_developer: true })];
    const capabilities = [capability('od_reading', options)];
    const fields = named('od_reading', { ...facts, capabilities }).form.fields.map(({ name }) => name);
    expect(fields).toEqual(['interval']);
  });

  it('have texts and choices of automations as fields with their defaults', () => {
    const { fields = [] } = variant(named('dosing_automation').form, 'turbidostat') ?? {};
    expect(fields).toMatchObject([
      // Before the target: it is its scale, which a person chooses each time.
      { name: 'biomass_signal', label: 'Biomass signal', kind: 'scale', initial: '', isRequired: true, isMain: true },
      { name: 'target_biomass', kind: 'number', isRequired: true, initial: '', min: 0.0001, densityOf: 'chosen' },
      { name: 'exchange_volume_ml', kind: 'number', initial: 1, max: 100, unit: 'mL', densityOf: null },
      { name: 'skip_first_run', kind: 'switch', isMain: false },
    ]);
    const mode = capability('air_bubbler', [option('mode', { type: 'text', choices: ['fast', 'slow'] })]);
    const bubbling = named('air_bubbler', { ...facts, capabilities: [mode] });
    expect(bubbling.form.fields).toMatchObject([
      { name: 'mode', label: 'Mode', kind: 'choice', choices: ['fast', 'slow'] },
    ]);
    expect(bubbling.settings).toMatchObject([{ key: 'mode', choices: ['fast', 'slow'] }]);
  });

  it('show why they cannot be started: missing hardware, a missing plugin', () => {
    const reason = 'Missing: the driver of the LEDs.';
    const capabilities = [
      capability('stirring', [], { available: false, reason }),
      { ...turbidostat, available: false, reason },
      capability('dosing_automation', [], { automation_name: 'silent' }),
    ];
    const of = { ...facts, capabilities };
    expect(named('stirring', of).missing).toBe(reason);
    expect(named('dosing_automation', of).missing).toBeNull();
    expect(variant(named('dosing_automation', of).form, 'turbidostat')?.missing).toBe(reason);
    expect(variant(named('dosing_automation', of).form, 'silent')?.missing).toBeNull();
    expect(named('air_bubbler', of).missing).toContain('does not know Air bubbler');
  });

  it('may be started before the unit has reported its capabilities', () => {
    const stirring = named('stirring', { ...facts, capabilities: undefined });
    expect(stirring.missing).toBeNull();
    expect(needsNoQuestion(stirring.form)).toBe(false);
  });

  it('have modes of a plugin without descriptors', () => {
    const strange = capability('dosing_automation', [option('step_h', { required: true })], {
      automation_name: 'ramp',
      help: 'Ramps.',
    });
    expect(variant(named('dosing_automation', { ...facts, capabilities: [strange] }).form, 'ramp')).toMatchObject({
      label: 'Ramp',
      help: 'Ramps.',
      fields: [{ name: 'step_h', isRequired: true, isMain: true }],
    });
  });

  it('are possible on several units when one of them can', () => {
    const broken = capability('stirring', [], { available: false, reason: 'No motor.' });
    const of = (units: Parameters<typeof capabilitiesOfAny>[0]) => capabilitiesOfAny(units);
    expect(named('stirring', { ...facts, capabilities: of([[broken], own, undefined]) }).missing).toBeNull();
    expect(named('stirring', { ...facts, capabilities: of([[broken], [broken]]) }).missing).toBe('No motor.');
    expect(of([undefined])).toBeUndefined();
  });
});

describe('a start', () => {
  const dosing = named('dosing_automation').form;

  it('sends entered and initial values, and leaves the rest as configured', () => {
    expect(startOptions(named('stirring').form, null, { target_rpm: 400, use_rpm: '' })).toEqual({ target_rpm: 400 });
    expect(startOptions(named('stirring').form, null, { use_rpm: 'no' })).toEqual({ use_rpm: false });
    expect(startOptions(dosing, 'turbidostat', { target_biomass: 2, biomass_signal: ' od ' })).toEqual({
      automation_name: 'turbidostat',
      target_biomass: 2,
      exchange_volume_ml: 1,
      biomass_signal: 'od',
    });
    expect(startOptions(dosing, 'silent', { target_biomass: 2 })).toEqual({ automation_name: 'silent' });
    const channels = named('air_bubbler', {
      ...facts,
      capabilities: [capability('air_bubbler', [option('channels', { type: 'integer', multiple: true })])],
    });
    expect(startOptions(channels.form, null, { channels: '1, 3,' })).toEqual({ channels: ['1', '3'] });
  });

  it('does not send what the unit would refuse', () => {
    const { fields = [] } = variant(dosing, 'turbidostat') ?? {};
    const [signal, target, exchange] = fields;
    if (!target || !exchange || !signal) throw new Error('fields are missing');
    expect(fieldFault(target, {})).toBe('A value is needed.');
    expect(fieldFault(exchange, { exchange_volume_ml: 101 })).toBe('At most 100 mL.');
    expect(fieldFault(exchange, { exchange_volume_ml: 0 })).not.toBeNull();
    expect(fieldFault(exchange, {})).toBeNull();
    expect(fieldFault(signal, {})).not.toBeNull();
    expect(fieldFault(signal, { biomass_signal: 'od' })).toBeNull();
    expect(fieldFault({ ...exchange, isInteger: true }, { exchange_volume_ml: 1.5 })).toBe('A whole number is needed.');
  });
});

it('keeps what a unit reported while it is away, until it reports again', () => {
  const [first, second] = [[turbidostat], [capability('stirring', [])]];
  const ended_at = '2026-11-26T16:35:00.000Z';
  const last = (reactor_unit: string, target_biomass: number) => ({
    reactor_unit,
    job_name: 'dosing_automation',
    automation_name: 'turbidostat',
    settings: { target_biomass },
    ended_at,
  });
  const before = {
    groups: [{ units: ['u1', 'u2', 'u3'], capabilities: first }],
    last_used: [last('u1', 1), last('u2', 2)],
    failed: [],
  };
  const answer = { groups: [{ units: ['u1'], capabilities: second }], last_used: [], failed: ['u2', 'u4'] };
  const after = keptCapabilities(before, answer);
  expect(capabilitiesWithLastUsed(after, 'u2')?.map(({ last_used }) => last_used)).toEqual([
    { settings: { target_biomass: 2 }, ended_at },
  ]);
  expect(capabilitiesWithLastUsed(after, 'u1')).toBe(second);
  expect(['u1', 'u2', 'u3', 'u4'].map((unit) => capabilitiesOf(after, unit))).toEqual([
    second,
    first,
    undefined,
    undefined,
  ]);
  expect(capabilitiesOf(keptCapabilities(undefined, after), 'u1')).toBe(second);
});
