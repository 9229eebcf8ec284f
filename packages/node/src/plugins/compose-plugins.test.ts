import { expect, it } from 'vitest';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { composePlugins, type LoadOutcome } from './compose-plugins.ts';
import { checkDescription, type PluginDescription } from './plugin-description.ts';

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
  mayRunPumps: false,
  stopGroup: 'rest' as const,
  settings: {},
  options: {},
  usesJobs: [],
});
const automation = (name: string) => ({
  name,
  job: 'temperature_automation' as const,
  help: '',
  settings: {},
  options: {},
  usesJobs: [],
});

const find = (id: string, description: Partial<PluginDescription> = {}): LoadOutcome => ({
  found: { source: `plugins/${id}`, id, entry: `/x/${id}`, stamp: '1', identity: undefined },
  outcome: { description: { ...nothing, ...description } },
});

const faultsOf = (finds: readonly LoadOutcome[]) => composePlugins(finds, own).map(({ fault }) => fault?.code);

it('names a file by its manifest, or by its file name', () => {
  const named = composePlugins([find('a.js', { manifest: { name: '@lab/air', version: '2' } }), find('b.ts')], own);
  expect(named.map(({ identity }) => [identity.name, identity.version])).toEqual([
    ['@lab/air', '2'],
    ['b', null],
  ]);
});

it('gives a name to the first plugin that declares it', () => {
  const air = { manifest: { name: 'air' } };
  expect(faultsOf([find('a.js', air), find('b.js', air)])).toEqual([undefined, 'name_taken']);
  const rocker = { jobs: [job('rocker')] };
  expect(faultsOf([find('a.js', rocker), find('b.js', rocker)])).toEqual([undefined, 'name_taken']);
  const gentle = { automations: [automation('gentle')] };
  expect(faultsOf([find('a.js', gentle), find('b.js', gentle)])).toEqual([undefined, 'name_taken']);
  // An unusable plugin takes no name from those after it.
  const twice = find('a.js', { jobs: [job('rocker'), job('rocker')] });
  expect(faultsOf([twice, find('b.js', rocker)])).toEqual(['declared_twice', undefined]);
});

it.each([
  [{ jobs: [job('temperature_automation')] }, 'name_taken'],
  [{ automations: [automation('thermostat')] }, 'name_taken'],
  [{ jobs: [job('pwms')] }, 'name_reserved'],
  [{ manifest: { name: 'installed' } }, 'name_reserved'],
  [{ manifest: { name: '../up' } }, 'name_invalid'],
])('refuses %j', (description, code) => {
  expect(faultsOf([find('a.js', description)])).toEqual([code]);
});

it('lists a plugin that is being loaded, and one that could not be loaded', () => {
  const { found } = find('a.js');
  expect(faultsOf([{ found, outcome: 'not yet' }])).toEqual(['loading']);
  expect(faultsOf([{ found, outcome: { fault: { code: 'not_loaded', message: 'no' } } }])).toEqual(['not_loaded']);
});

it('requires descriptions of the declared shape', () => {
  const invalid = expect.objectContaining({ code: 'declaration_invalid' });
  expect(checkDescription(nothing)).toBe(nothing);
  const wrong = { ...nothing, jobs: [{ ...job('x'), settings: { level: { type: 'colour' } } }] };
  expect(() => checkDescription(wrong)).toThrow(invalid);
  expect(() => checkDescription({})).toThrow(invalid);
});
