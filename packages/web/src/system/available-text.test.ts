import { expect, it } from 'vitest';
import { matching, offerOf, originText } from './available-text.ts';

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
  const units = ['lead', 'unit1'];
  expect(offerOf(plugin('rocker'), [], units)).toEqual({ action: 'Install', present: null });
  expect(offerOf(plugin('shaker'), fleet(place('unit1', '1.2.0')), units)).toMatchObject({ action: 'Install' });
  expect(offerOf(plugin('rocker'), fleet(place('lead', '1.2.0'), place('unit1', '1.2.0')), units)).toEqual({
    action: null,
    present: 'Installed on lead, unit1',
  });
  expect(offerOf(plugin('rocker'), fleet(place('lead', '1.2.0'), place('unit1', '1.1.0')), units)).toEqual({
    action: 'Update',
    present: 'unit1 has 1.1.0',
  });
});

it('a plugin that one unit lacks can be installed; a unit with a newer version keeps it', () => {
  const units = ['lead', 'unit1', 'unit2'];
  const offer = (...places: ReturnType<typeof place>[]) => offerOf(plugin('rocker'), fleet(...places), units);
  expect(offer(place('lead', '1.2.0'), place('unit1', '1.2.0'))).toEqual({
    action: 'Install',
    present: 'unit2 has none',
  });
  const [lead, unit1] = [place('lead', '1.2.0'), place('unit1', '1.10.0')];
  expect(offer(lead, unit1, place('unit2', '1.2.0'))).toMatchObject({ action: null });
  expect(offer(lead, unit1)).toEqual({ action: null, present: 'unit1 has 1.10.0, which is newer; unit2 has none' });
  const early = place('unit1', '1.2.0-rc.1');
  expect(offer(lead, early, place('unit2', '1.2.0'))).toMatchObject({ action: 'Update' });
});

it('says when the index is on another host than the packages', () => {
  expect(originText('plugins.lab')).toContain('plugins.lab');
  expect(originText('registry.npmjs.org')).not.toContain('registry.npmjs.org');
});

it('a search finds all its words in name, description and author', () => {
  const all = [plugin('rocker', { description: 'Rocks the vial' }), plugin('@lab/shaker', { author: 'Rocky' })];
  const names = (search: string) => matching(all, search).map(({ name }) => name);
  expect(names('')).toEqual(['rocker', '@lab/shaker']);
  expect(names('ROCK')).toEqual(['rocker', '@lab/shaker']);
  expect(names('rock vial')).toEqual(['rocker']);
  expect(names('lab x')).toEqual([]);
});
