import { expect, it } from 'vitest';
import { matching, offerOf } from './available-text.ts';

const plugin = (name: string, more: object = {}) => ({
  name,
  version: '1.2.0',
  description: null,
  author: null,
  homepage: null,
  published_at: null,
  ...more,
});
const place = (unit: string, version: string) => ({ unit, version, error: null });
const fleet = (...places: ReturnType<typeof place>[]) => [{ name: 'rocker', description: null, author: 'Lab', places }];

it('a plugin is installed, updated, or present everywhere in this version', () => {
  expect(offerOf(plugin('rocker'), [])).toEqual({ action: 'Install', present: null });
  expect(offerOf(plugin('shaker'), fleet(place('unit1', '1.2.0')))).toMatchObject({ action: 'Install' });
  expect(offerOf(plugin('rocker'), fleet(place('lead', '1.2.0'), place('unit1', '1.2.0')))).toEqual({
    action: null,
    present: 'Installed on lead, unit1',
  });
  expect(offerOf(plugin('rocker'), fleet(place('lead', '1.2.0'), place('unit1', '1.1.0')))).toEqual({
    action: 'Update',
    present: 'unit1 has 1.1.0',
  });
});

it('a search finds all its words in name, description and author', () => {
  const all = [plugin('rocker', { description: 'Rocks the vial' }), plugin('@lab/shaker', { author: 'Rocky' })];
  const names = (search: string) => matching(all, search).map(({ name }) => name);
  expect(names('')).toEqual(['rocker', '@lab/shaker']);
  expect(names('ROCK')).toEqual(['rocker', '@lab/shaker']);
  expect(names('rock vial')).toEqual(['rocker']);
  expect(names('lab x')).toEqual([]);
});
