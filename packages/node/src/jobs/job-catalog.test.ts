import { expect, it } from 'vitest';
import { JobCatalog } from './job-catalog.ts';
import type { JobDefinition } from './job-definition.ts';

const job = (name: string, help = ''): JobDefinition => ({
  name,
  help,
  isActuating: false,
  stopGroup: 'rest',
  settings: {},
  options: {},
  start: () => ({}),
});

const names = (catalog: JobCatalog) => catalog.all().map(({ name, help }) => `${name}${help}`);

it('has the own jobs, and those that were added last', () => {
  const catalog = new JobCatalog();
  catalog.addOwn([job('stirring'), job('monitor')]);
  catalog.setAdded([job('bubbler')]);
  expect(names(catalog)).toEqual(['stirring', 'monitor', 'bubbler']);
  catalog.setAdded([job('rocker'), job('monitor', ' of a plugin')]);
  expect(names(catalog)).toEqual(['stirring', 'monitor of a plugin', 'rocker']);
  expect(catalog.get('bubbler')).toBeUndefined();
  expect(catalog.get('monitor')?.help).toBe(' of a plugin');
  catalog.setAdded([]);
  expect(names(catalog)).toEqual(['stirring', 'monitor']);
});

it('stays as it was when something that is added cannot be', () => {
  const catalog = new JobCatalog();
  catalog.setAdded([job('bubbler')]);
  expect(() => catalog.setAdded([job('rocker'), job('rocker')])).toThrow('The job rocker is added twice.');
  expect(() => catalog.setAdded([job('run')])).toThrow('run');
  expect(names(catalog)).toEqual(['bubbler']);
  expect(() => catalog.addOwn([job('a'), job('a')])).toThrow('declared twice');
});
