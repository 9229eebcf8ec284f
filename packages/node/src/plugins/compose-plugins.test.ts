import { expect, it } from 'vitest';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { composePlugins, type LoadOutcome } from './compose-plugins.ts';
import { checkDescription, type PluginDescription, PluginUnusable } from './plugin-description.ts';

const own: JobDefinition[] = [
  {
    name: 'temperature_automation',
    isActuating: true,
    stopGroup: 'heat_and_pwm',
    settings: {},
    options: {},
    variants: { thermostat: { settings: {}, options: {} } },
    start: () => ({}),
  },
];

const nothing: PluginDescription = {
  manifest: {},
  jobs: [],
  automations: [],
  descriptors: { jobs: [], automations: {}, settings: [], charts: [], readings: [] },
  datasets: [],
  routes: [],
};
const job = (name: string) => ({
  name,
  help: '',
  drivesOutputs: false,
  stopGroup: 'rest' as const,
  settings: {},
  options: {},
});
const automation = (name: string) => ({
  name,
  job: 'temperature_automation' as const,
  help: '',
  settings: {},
  options: {},
});

const find = (id: string, description: Partial<PluginDescription> = {}): LoadOutcome => ({
  found: { source: `plugins/${id}`, id, entry: `/x/${id}`, stamp: '1', identity: undefined },
  outcome: { description: { ...nothing, ...description } },
});

const errorsOf = (finds: readonly LoadOutcome[]) => composePlugins(finds, own).map(({ error }) => error);

it('names a file by what it says, or by its name', () => {
  const named = composePlugins([find('a.js', { manifest: { name: '@lab/air', version: '2' } }), find('b.ts')], own);
  expect(named.map(({ identity }) => [identity.name, identity.version])).toEqual([
    ['@lab/air', '2'],
    ['b', null],
  ]);
});

it('gives a name to the first that wants it', () => {
  const air = { manifest: { name: 'air' } };
  expect(errorsOf([find('a.js', air), find('b.js', air)])).toEqual([
    undefined,
    'It declares the plugin air, which air has already.',
  ]);
  expect(errorsOf([find('a.js', { jobs: [job('x')] }), find('b.js', { jobs: [job('x')] })])).toEqual([
    undefined,
    'It declares the job x, which a has already.',
  ]);
  const gentle = { automations: [automation('gentle')] };
  expect(errorsOf([find('a.js', gentle), find('b.js', gentle)])).toEqual([
    undefined,
    'It declares the automation temperature_automation gentle, which a has already.',
  ]);
  // What could not stand takes no name from those after it.
  const both = find('a.js', { jobs: [job('x'), job('x')] });
  expect(errorsOf([both, find('b.js', { jobs: [job('x')] })])).toEqual(['It declares the job x twice.', undefined]);
});

it.each([
  [{ jobs: [job('temperature_automation')] }, 'Its job temperature_automation has the name of a job of the program.'],
  [
    { automations: [automation('thermostat')] },
    'Its automation thermostat has the name of an automation of the program.',
  ],
  [{ jobs: [job('pwms')] }, 'pwms is a reserved name and cannot be the name of a job.'],
  [{ manifest: { name: 'installed' } }, "'installed' is reserved and cannot be the name of a plugin."],
  [
    { manifest: { name: '../up' } },
    "'../up' is not a valid name of a plugin: use letters, digits, '.', '_' and '-', first a letter or digit.",
  ],
])('refuses %j', (description, error) => {
  expect(errorsOf([find('a.js', description)])).toEqual([error]);
});

it('says that a plugin is on its way, or why it could not be loaded', () => {
  const { found } = find('a.js');
  expect(errorsOf([{ found, outcome: 'not yet' }])).toEqual(['It is being loaded.']);
  expect(errorsOf([{ found, outcome: { error: 'no' } }])).toEqual(['no']);
});

it('wants descriptions as they are declared', () => {
  expect(checkDescription(nothing)).toBe(nothing);
  const wrong = { ...nothing, jobs: [{ ...job('x'), settings: { level: { type: 'colour' } } }] };
  expect(() => checkDescription(wrong)).toThrow('/jobs/0/settings/level');
  expect(() => checkDescription({})).toThrow(PluginUnusable);
});
